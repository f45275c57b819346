"""The lines of the README in a page of a shop, as they stand there, but for the address."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.embed.conftest import Site, Widget
from tests.parts.server import ROOT
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

README = (ROOT / "README.md").read_text()


def block(language: str, site: Site) -> str:
    """Return the one block of a language, at the Loopwire of the test."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(found).replace("https://chat.example", site.chat)


async def test_the_three_lines_show_a_button_a_conversation_and_a_frame(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    lines = block("html", site)
    assert len(lines.splitlines()) == 3
    await site.visit(page, lines)
    await Widget(page, "html > loopwire-chat").open()
    inline = page.frame_locator("loopwire-chat[mode=inline] iframe")
    plain = page.frame_locator("main > iframe")
    for each in (inline, plain):
        await each.locator("#composer-text").fill("Polly Magic")
        await each.locator("#composer-text").press("Enter")
        await expect(each.locator("#log .row-block.open .option").first).to_be_visible()
    box = await page.locator("main > iframe").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) >= (400, 600)


async def test_the_javascript_client_writes_the_answer(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    written: list[str] = []
    page.on("console", lambda said: written.append(said.text))
    await site.visit(page, f'<script type="module">{block("js", site)}</script>')
    await until_async(lambda: "iPhone 12" in "".join(written), what="the answer")
