"""The widget on a phone's line of 1.6 Mbit/s and 150 ms: what is loaded when, and how soon a message can be sent."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from bench.page import LINE, MARK_READY, PHONE, TAKES_MESSAGES
from tests.e2e.embed.conftest import Site, Widget
from tests.e2e.embed.test_widget import say
from tests.parts.chromium import NewPage

pytestmark = pytest.mark.once

MOST_MS = 5_000
"""From the press of the button to a composer that takes messages. On a machine with other work it was 620 ms."""

NOW = "performance.timeOrigin + performance.now()"
TIMES = """() => [performance.timeOrigin, ...performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith("/embed.js")).map(({ duration }) => duration)]"""
"""When the frame began, and how long its script took over the line."""


@pytest.mark.conformance
async def test_a_message_can_be_sent_soon_after_the_button_is_pressed_on_a_slow_line(
    site: Site, new_page: NewPage
) -> None:
    page: Page = await new_page(**PHONE)
    line = await page.context.new_cdp_session(page)
    await line.send("Network.enable")
    await line.send("Network.emulateNetworkConditions", LINE)
    await page.add_init_script(f"({MARK_READY})()")
    await site.visit(page, site.tag())
    widget = Widget(page)
    await expect(widget.launcher).to_be_visible()
    await page.wait_for_load_state("networkidle")
    assert site.asked == ["/widget.js"]

    pressed = await page.evaluate(NOW)
    await widget.launcher.click()
    handle = await page.locator("loopwire-chat iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    ready = await (await frame.wait_for_function(TAKES_MESSAGES, polling="raf")).json_value()
    begun, script = await frame.evaluate(TIMES)
    assert script >= LINE["latency"], "the line of the frame is not slow"
    assert begun + ready - pressed <= MOST_MS
    await say(frame, "Polly Magic")
