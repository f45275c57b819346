"""The weight of an embedded chat until a message can be written and sent, by gzip, and what it does not wait for."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Page, Route, expect

from bench.page import MARK_READY, MOST_GZIPPED_BYTES, NOT_AWAITED, PHONE, TAKES_MESSAGES, gzipped_bytes
from server.html.files.short_files import minifier_version
from tests.e2e.embed.conftest import Site, Widget
from tests.parts.chromium import NewPage
from tests.parts.missing import skip_missing

pytestmark = pytest.mark.once

LATER = re.compile("|".join(re.escape(each) for each in (*NOT_AWAITED, "/widget-page.js", "/frame_rows.")))
"""The font, the pictures, the link to the host page, and what draws the rows of an answer."""

HAS_COME = """(ready) => performance.getEntriesByType("resource")
  .filter(({ responseEnd }) => responseEnd && responseEnd <= ready).map(({ name }) => name)"""


async def test_the_first_message_is_taken_after_30_kb_of_loader_and_frame(
    site: Site, new_page: NewPage
) -> None:
    if not minifier_version():
        skip_missing("tdewolff-minify", "make parts")
    page: Page = await new_page(**PHONE)
    held: list[str] = []
    let = asyncio.Event()

    async def hold(route: Route) -> None:
        held.extend(LATER.findall(route.request.url))
        await let.wait()
        await route.continue_()

    await page.route(LATER, hold)
    await page.add_init_script(f"({MARK_READY})()")
    await site.visit(page, site.tag())
    await Widget(page).launcher.click()
    handle = await page.locator("loopwire-chat iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    ready = await (await frame.wait_for_function(TAKES_MESSAGES, polling="raf")).json_value()
    await frame.fill("#composer-text", "Polly Magic")
    await frame.press("#composer-text", "Enter")
    await expect(frame.locator("#sending li")).to_contain_text("Polly Magic")
    assert {*held} >= {*NOT_AWAITED, "/widget-page.js"}

    files = await frame.evaluate(HAS_COME, ready)
    assert {each.rpartition("/")[2] for each in files} == {"frame.css", "early_submit.js", "embed.js"}
    needed = [f"{site.chat}/widget.js", frame.url, *files]
    weight = gzipped_bytes(each.replace(site.chat, site.served.url) for each in needed)
    assert 20_000 < weight <= MOST_GZIPPED_BYTES, f"{weight} bytes"

    let.set()
    await expect(frame.locator("#log .bubble", has_text="Polly Magic")).to_be_visible()
