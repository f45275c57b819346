"""Frames that cannot be loaded: the window says so, can be closed, and tries again."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.embed.conftest import Site, Widget
from tests.e2e.embed.test_widget import PHONE, focused, say
from tests.e2e.still import at_rest
from tests.parts.sampled import is_whole, later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

SENTENCES = {
    "de": ("Der Chat öffnet sich nicht.", "Erneut versuchen", "Schließen"),
    "en": ("The chat does not open.", "Try again", "Close"),
    "es": ("El chat no se abre.", "Reintentar", "Cerrar"),
    "fr": ("Le chat ne s’ouvre pas.", "Réessayer", "Fermer"),
    "pt": ("O chat não abre.", "Tentar de novo", "Fechar"),
}


class Failing:
    """Loses what matches until it is told to stop, as a network that is away."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._page = page
        self._pattern = pattern
        self.lost: list[str] = []

    async def _lose(self, route: Route) -> None:
        self.lost.append(route.request.url)
        await route.abort("internetdisconnected")

    async def begin(self) -> None:
        """Lose requests from here on."""
        await self._page.route(self._pattern, self._lose)

    async def end(self) -> None:
        """Let requests pass."""
        await self._page.unroute(self._pattern)


async def failing(page: Page, pattern: str) -> Failing:
    """Return what loses the requests of a page that match."""
    made = Failing(page, pattern)
    await made.begin()
    return made


NOTE = "window.errors = []; addEventListener('loopwire:error', ({ detail }) => errors.push(detail.code))"


@pytest.mark.parametrize(
    "pattern", ["**/embed/**", later("**/widget-page.js*"), later("**/{embed/,widget-page.js}**")]
)
async def test_what_fails_is_told_and_loaded_by_another_try(
    site: Site, new_page: Any, troubles: Any, pattern: str
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(), headers=site.strict)
    await page.evaluate(NOTE)
    network, widget = await failing(page, pattern), Widget(page)
    await widget.launcher.click()
    again = widget.window.get_by_role("button", name="Tentar de novo")
    await expect(widget.window.get_by_role("alert")).to_have_text("O chat não abre.")
    await expect(again).to_be_focused()
    assert await page.evaluate("errors") == ["unavailable"]
    if is_whole() or pattern == "**/embed/**":
        await at_rest(page)
        await page.evaluate(AXE)
        found = await looked_at(page, {"runOnly": {"type": "tag", "values": TAGS}})
        assert [each["id"] for each in found["violations"]] == []
    await network.end()
    await again.click()
    await say(await widget.frame(), "Polly Magic")
    await expect(widget.window.locator("button")).to_have_count(0)
    assert await focused(page) == "frame"
    assert network.lost
    troubles.clear()


@pytest.mark.conformance
async def test_a_frame_that_failed_is_loaded_again_when_the_network_is_back_or_the_window_is_opened(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, '<input id="own">' + site.tag())
    await page.evaluate(NOTE)
    network, widget = await failing(page, "**/embed/**"), Widget(page)
    await widget.launcher.click()
    await expect(widget.window.get_by_role("alert")).to_be_visible()
    await widget.window.get_by_role("button", name="Fechar").click()
    await expect(widget.window).to_be_hidden()
    assert await focused(page) == "launcher"
    await widget.launcher.click()
    await until_async(lambda: page.evaluate("errors.length === 2"), what="the second failure")
    await network.end()
    await page.locator("#own").focus()
    await page.evaluate("dispatchEvent(new Event('online'))")
    await widget.frame()
    await expect(page.locator("#own")).to_be_focused()
    await widget.launcher.click()
    await widget.launcher.click()
    await expect(widget.window.get_by_role("alert")).to_have_count(0)
    await expect(page.locator("loopwire-chat iframe")).to_be_visible()
    troubles.clear()


@pytest.mark.conformance
async def test_a_frame_that_goes_to_a_page_that_cannot_be_loaded_is_told_too(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag())
    widget = Widget(page)
    frame = await widget.open()
    await say(frame, "Polly Magic")
    network = await failing(page, "**/embed/**")
    await frame.locator("#new").click()
    await expect(widget.window.get_by_role("alert")).to_be_visible()
    await network.end()
    await widget.window.get_by_role("button", name="Tentar de novo").click()
    await widget.frame()
    troubles.clear()


async def test_a_frame_that_is_slow_is_shown_when_it_comes(site: Site, new_page: Any, troubles: Any) -> None:
    page: Page = await new_page()
    # The time of fifteen seconds passes at once.
    short = "const timeout = setTimeout; window.setTimeout = (act, ms) => timeout(act, ms === 15000 ? 0 : ms)"
    await site.visit(page, site.tag(), head=f"<script>{short}</script>")
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await page.route("**/embed/**", hold)
    widget = Widget(page)
    await widget.launcher.click()
    await expect(widget.window.get_by_role("alert")).to_be_visible()
    await until_async(lambda: held, what="the request")
    await held[0].continue_()
    await widget.frame()
    await expect(widget.window.get_by_role("alert")).to_have_count(0)
    await expect(page.locator("loopwire-chat iframe")).to_be_visible()
    troubles.clear()


@pytest.mark.conformance
async def test_on_a_phone_a_window_that_fails_fills_the_screen_and_is_closed_in_each_language(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page(**PHONE)
    await failing(page, "**/{embed/,widget-page.js}**")
    for language, (sentence, again, close) in SENTENCES.items():
        await site.visit(page, site.tag(language=language))
        widget = Widget(page)
        await widget.launcher.click()
        await expect(widget.window.get_by_role("alert")).to_have_text(sentence)
        await expect(widget.window.get_by_role("button", name=again)).to_be_visible()
        cross = widget.window.get_by_role("button", name=close)
        box = await cross.bounding_box()
        assert box is not None
        assert (box["x"] + box["width"], box["y"], box["width"]) == (384, 6, 44), language
        assert await widget.window.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
        await cross.click()
        await expect(widget.window).to_be_hidden()
    troubles.clear()


@pytest.mark.parametrize("mode", [later("sidebar"), "bubble"])
async def test_a_window_has_a_cross_of_its_own_until_its_frame_has_one(
    site: Site, new_page: Any, mode: str
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(mode=mode))
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await page.route("**/embed/**", hold)
    widget = Widget(page)
    await widget.launcher.click()
    cross = widget.window.get_by_role("button", name="Fechar")
    await cross.click()
    await expect(widget.window).to_be_hidden()
    await widget.launcher.click()
    await held[0].continue_()
    await widget.frame()
    await expect(cross).to_have_count(0)
