"""Errors of the page look alike wherever they are: in the log, a dialog, the composer and the connection bar."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Locator, Route, WebSocketRoute, expect

LOOK = """(card) => {
    const { backgroundColor, borderBottomColor } = getComputedStyle(card);
    return [backgroundColor, borderBottomColor, getComputedStyle(card.querySelector(".icon")).color];
}"""


async def look(card: Locator) -> list[str]:
    """Return the colours of an error that is seen, and of its icon."""
    await expect(card).to_be_visible()
    found: list[str] = await card.evaluate(LOOK)
    return found


async def test_a_search_that_is_refused_keeps_the_list_and_says_so(gallery, page, troubles):
    async def refuse(route: Route) -> None:
        error = {"code": "rate_limited", "message": "Too many requests.", "retry_after": 9}
        await route.fulfill(status=429, json={"error": error})

    await gallery.open(page, "options")
    lines = page.locator("#sessions li")
    count = await lines.count()
    assert count > 0
    await page.route("**/sessions?*", refuse)
    await page.fill("#session-search", "bicicleta")
    await expect(page.locator("#sessions").get_by_role("alert")).to_have_text(
        "Não foi feito. Tente outra vez."
    )
    await expect(lines).to_have_count(count)
    await page.unroute("**/sessions?*")
    await page.fill("#session-search", "bicicletas")
    await expect(page.locator("#sessions .trouble")).to_have_count(0)
    troubles[:] = [each for each in troubles if "429" not in each]


@pytest.fixture(params=["light", "dark"])
def scheme(request) -> str:
    """Return the colour scheme that the browser prefers."""
    name: str = request.param
    return name


async def test_an_error_has_the_same_colours_and_icon_everywhere(gallery, new_page, troubles, scheme):
    page = await new_page(color_scheme=scheme)
    await gallery.open(page, "failed")
    colours = await look(page.locator("#log .trouble"))

    await page.fill("#composer-text", "x" * 8_001)
    assert await look(page.locator("#composer-hint")) == colours
    await page.fill("#composer-text", "")
    await expect(page.locator("#composer-hint .icon")).to_have_count(0)

    dialog = page.locator("#session-dialog")
    await page.click("[data-erase]")
    await expect(dialog.locator(".trouble")).to_be_hidden()
    await dialog.locator("[value=yes]").click()  # The gallery has no such route.
    assert await look(dialog.locator(".trouble")) == colours
    await expect(dialog.get_by_role("alert")).to_have_text("Não foi feito. Tente outra vez.")
    await page.keyboard.press("Escape")

    closing: list[asyncio.Task[None]] = []

    def close(socket: WebSocketRoute) -> None:
        closing.append(asyncio.ensure_future(socket.close(code=4404)))

    await page.route_web_socket("**/ws", close)
    await page.goto(gallery.of("options"))
    bar = page.locator("#connection")
    await expect(bar).to_contain_text("Esta conversa já não existe.")
    assert await look(bar) == colours
    await asyncio.gather(*closing)
    troubles[:] = [each for each in troubles if "404" not in each]
