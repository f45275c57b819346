"""The weight of the page: requests and bytes of its first and second view, on a phone without a cache."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Route, expect

from bench.page import MOST_BYTES, MOST_NEEDED_BYTES, MOST_REQUESTS, PHONE, SECOND_REQUESTS, views
from server.html.files.short_files import minifier_version
from tests.parts.chromium import NewPage
from tests.parts.missing import skip_missing
from tests.parts.sampled import later
from tests.parts.server import Served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once


@pytest.mark.parametrize("path", ["/", later("/embed/demo")])
async def test_the_first_view_is_light_and_the_second_asks_for_the_page_alone(
    quick: Served, new_page: NewPage, path: str
) -> None:
    if not minifier_version():
        skip_missing("tdewolff-minify", "make parts")
    page = await new_page(**PHONE)
    first, second = await views(page.context, quick.url + path)
    assert 1 < first.requests <= MOST_REQUESTS, first.bytes_of
    assert 10_000 < first.bytes <= MOST_BYTES, first.bytes_of
    assert len(first.before) >= 5, first.before
    assert 20_000 < first.needed_bytes <= MOST_NEEDED_BYTES[path], first.before
    assert 1 <= second.requests <= SECOND_REQUESTS, second.bytes_of


@pytest.mark.parametrize("way", ["Enter", later("the button")])
async def test_a_message_sent_before_the_script_is_there_goes_when_it_comes(
    quick: Served, new_page: NewPage, way: str
) -> None:
    page = await new_page(**PHONE)
    let = asyncio.Event()

    async def hold(route: Route) -> None:
        await let.wait()
        await route.continue_()

    await page.route("**/js/page.js", hold)
    await page.goto(quick.url, wait_until="commit")
    asked = "() => performance.getEntriesByName(document.querySelector('script[async]').src).length"
    await until_async(lambda: page.evaluate(asked), what="the request for the script")
    text, send = page.locator("#composer-text"), page.locator("#send")
    await text.fill("uma bicicleta")
    await expect(send).to_be_enabled()
    await (text.press("Enter") if way == "Enter" else send.click())
    await expect(page.locator("#composer-hint")).to_have_text("Segue assim que a página estiver pronta.")
    await expect(page.locator("#composer-hint")).to_be_visible()
    await expect(text).to_have_value("uma bicicleta")
    let.set()
    await expect(page.locator("#log .row-user")).to_contain_text("uma bicicleta")
    await expect(text).to_have_value("")
