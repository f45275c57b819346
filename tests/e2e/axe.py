"""The findings of axe-core about a page: all that is wrong with it, and how many rules found nothing wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import Page

AXE = (Path(__file__).parent / "vendor/axe.min.js").read_text()
"""The script: evaluate it in a page before it is looked at."""

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# A description of every element that passed every rule is a megabyte that nobody reads.
_LOOK = """async (options) => {
    const { violations, passes } = await axe.run(document, { ...options, resultTypes: ["violations"] });
    return { violations, passes: passes.length };
}"""


async def looked_at(page: Page, options: dict[str, Any]) -> dict[str, Any]:
    """Let axe look with its own options; returns `violations`, whole, and the number of `passes`."""
    found: dict[str, Any] = await page.evaluate(_LOOK, options)
    return found
