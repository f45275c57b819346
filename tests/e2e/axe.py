"""The findings of axe-core about a page: all that is wrong with it, and how many rules found nothing wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import Page

from tests.e2e.still import at_rest

AXE = (Path(__file__).parent / "vendor/axe.min.js").read_text()
"""The script: evaluate it in a page before it is looked at."""

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

THEMES = {
    "light": {"runOnly": {"type": "tag", "values": TAGS}},
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}},
}
"""What is looked at in each theme: everything in one, and what a theme changes in the other."""

# A description of every element that passed every rule is a megabyte that nobody reads.
_LOOK = """async (options) => {
    const { violations, passes } = await axe.run(document, { ...options, resultTypes: ["violations"] });
    return { violations, passes: passes.length };
}"""

_IN_THEME = """(theme) => {
    const { dataset } = document.documentElement;
    if (theme === null) delete dataset.theme;
    else dataset.theme = theme;
}"""


async def looked_at(page: Page, options: dict[str, Any]) -> dict[str, Any]:
    """Let axe look with its own options; returns `violations`, whole, and the number of `passes`."""
    found: dict[str, Any] = await page.evaluate(_LOOK, options)
    return found


async def is_without_fault(page: Page, place: str) -> None:
    """Require that axe finds nothing wrong in a page that shows this place, in either theme; it keeps its own."""
    assert await page.locator(place).first.is_visible(), place
    own = await page.evaluate("document.documentElement.dataset.theme ?? null")
    await page.evaluate(AXE)
    for theme, rules in THEMES.items():
        await page.evaluate(_IN_THEME, theme)
        await at_rest(page)
        found = await looked_at(page, rules)
        told = [
            (theme, each["id"], node["html"][:160]) for each in found["violations"] for node in each["nodes"]
        ]
        assert told == [], place
        assert found["passes"] > 0, place
    await page.evaluate(_IN_THEME, own)
