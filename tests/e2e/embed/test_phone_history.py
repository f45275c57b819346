"""The history of a page on a phone, where the back button closes the chat."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.embed.conftest import Site, Widget
from tests.e2e.embed.test_widget import PHONE
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

SETTLED = "new Promise((done) => setTimeout(done, 300))"
"""A step back in the history, if one is on its way, is done by then."""


async def opened(site: Site, page: Page) -> Widget:
    """Open the chat of a page."""
    await site.visit(page, site.tag())
    widget = Widget(page)
    await widget.open()
    return widget


@pytest.mark.parametrize(
    "leave",
    [
        "Loopwire.close()",
        *map(later, ("Loopwire.destroy()", "document.querySelector('loopwire-chat').toggle()")),
    ],
)
async def test_a_page_that_ends_the_chat_and_goes_on_stays_where_it_went(
    site: Site, new_page: Any, leave: str
) -> None:
    page: Page = await new_page(**PHONE)
    widget = await opened(site, page)
    await page.evaluate(f"() => {{ {leave}; history.pushState({{ own: 1 }}, '', '/spa'); }}")
    await page.evaluate(SETTLED)
    assert page.url == site.at("shop") + "/spa"
    assert await page.evaluate("history.state") == {"own": 1}
    await expect(widget.window.locator("visible=true")).to_have_count(0)


@pytest.mark.conformance
async def test_a_page_that_closes_and_opens_the_chat_has_it_open(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    widget = await opened(site, page)
    await page.evaluate("Loopwire.close(); Loopwire.open()")
    await page.evaluate("Loopwire.toggle(); Loopwire.toggle(); Loopwire.toggle(); Loopwire.toggle()")
    await page.evaluate(SETTLED)
    await expect(widget.window).to_be_visible()
    await page.evaluate("history.back()")
    await expect(widget.window).to_be_hidden()
    assert await page.evaluate("history.state") is None


async def test_forward_shows_the_chat_again_that_back_has_closed(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    widget = await opened(site, page)
    await page.evaluate("history.back()")
    await expect(widget.window).to_be_hidden()
    await page.evaluate("history.forward()")
    await expect(widget.window).to_be_visible()
    await page.evaluate("history.back()")
    await expect(widget.window).to_be_hidden()


async def test_a_page_reloaded_with_the_chat_open_uses_its_entry_again(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    await opened(site, page)
    await page.reload()
    widget = Widget(page)
    await widget.open()
    await page.evaluate("history.back()")
    await expect(widget.window).to_be_hidden()
    assert await page.evaluate("history.state") is None


@pytest.mark.conformance
async def test_the_cross_leaves_the_entry_unless_the_page_went_on(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    widget = await opened(site, page)
    frame = await widget.frame()
    await page.evaluate("history.pushState({}, '', '/spa')")
    await frame.locator("#close").click()
    await expect(widget.window).to_be_hidden()
    await page.evaluate(SETTLED)
    assert page.url == site.at("shop") + "/spa"
    await page.evaluate("history.back()")
    await until_async(lambda: page.evaluate("location.pathname === '/'"), what="the former address")
