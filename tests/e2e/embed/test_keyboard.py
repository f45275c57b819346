"""The window of a chat on a phone whose keyboard lies over the page, so that the visual viewport alone becomes smaller.

Chromium without a screen has no such keyboard: a test sets what the page's `visualViewport` tells. The zoom is real.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect

from tests.e2e.embed.conftest import Site, Widget
from tests.e2e.embed.test_page_messages import say
from tests.e2e.embed.test_widget import PHONE
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

WHOLE = {"x": 0, "y": 0, "width": 390, "height": 844}
VIEWPORT = """if (window === top) {
  const seen = Object.assign(new EventTarget(), { width: 390, height: 844, offsetTop: 0, offsetLeft: 0, scale: 1 });
  Object.defineProperty(window, "visualViewport", { value: seen });
}"""
TELL = """([told, name]) => {
  Object.assign(visualViewport, told);
  visualViewport.dispatchEvent(new Event(name));
}"""


PLACE = """(() => {
  const window = document.querySelector("loopwire-chat").shadowRoot.querySelector("[part=window]");
  const { top, height } = window.getBoundingClientRect();
  return [top, height];
})()"""
"""Where the window is laid out, which a zoom does not change."""


async def tell(page: Page, name: str = "resize", **told: float) -> None:
    """Tell the page of another visual viewport."""
    await page.evaluate(TELL, [told, name])


async def composer_ends(frame: Frame) -> float:
    """Return where the composer ends in the frame, in pixels from its top."""
    ends: float = await frame.evaluate(
        "document.getElementById('composer-text').form.getBoundingClientRect().bottom"
    )
    return ends


async def test_a_keyboard_over_the_page_does_not_cover_the_composer(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    await page.add_init_script(VIEWPORT)
    await site.visit(page, site.tag(service="chat"))
    widget = Widget(page)
    frame = await widget.open()
    await say(frame, "olá, quem és?")
    assert await widget.window.bounding_box() == WHOLE

    await tell(page, height=500)
    assert await widget.window.bounding_box() == {**WHOLE, "height": 500}
    await until_async(lambda: frame.evaluate("innerHeight === 500"), what="the smaller frame")
    assert await composer_ends(frame) <= 500
    await expect(frame.locator("#log .row-text").last).to_be_in_viewport()
    await tell(page, "scroll", offsetTop=60)
    assert await widget.window.bounding_box() == {**WHOLE, "y": 60, "height": 500}
    await tell(page, height=844, offsetTop=0)
    assert await widget.window.bounding_box() == WHOLE

    await tell(page, height=500)
    await page.evaluate("Loopwire.close()")
    await tell(page, height=844)
    await widget.launcher.click()
    assert await widget.window.bounding_box() == WHOLE


@pytest.mark.conformance
async def test_a_window_is_as_high_as_its_styles_say_where_it_does_not_fill_the_screen(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page(**PHONE)
    await page.add_init_script(VIEWPORT)
    await site.visit(page, site.tag())
    widget = Widget(page)
    await widget.open()
    await tell(page, height=500, offsetTop=60)
    await page.set_viewport_size({"width": 1024, "height": 800})
    await tell(page, height=400, offsetTop=0)
    box = await widget.window.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (400, 680)
    await page.evaluate("Loopwire.close()")
    assert await widget.window.get_attribute("style") == ""


@pytest.mark.conformance
async def test_a_window_keeps_its_size_when_somebody_zooms(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    await site.visit(page, site.tag())
    widget = Widget(page)
    frame = await widget.open()
    session = await page.context.new_cdp_session(page)
    await page.evaluate(
        "void (window.zoomed = new Promise((done) => (visualViewport.onresize = () => done(visualViewport.scale))))"
    )
    await session.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})
    assert await page.evaluate("zoomed") == 2
    assert await page.evaluate("visualViewport.height") == 422
    assert await page.evaluate(PLACE) == [0, 844]
    assert await frame.evaluate("innerHeight") == 844
