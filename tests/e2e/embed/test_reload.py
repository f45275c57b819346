"""A page that is reloaded, or moves its chat: what was written in the frame is neither lost nor sent twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Frame, Page, Route, WebSocketRoute, expect

from tests.e2e.embed.conftest import Hosts, Site, Widget, secure_site
from tests.e2e.embed.test_widget import SETTLED, say
from tests.parts.sampled import later, one_of
from tests.parts.server import Backend
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

TEXT = "Polly Magic"
SESSION = "loopwire.session"


@pytest.fixture(scope="module")
def secure(backend: Backend, hosts: Hosts) -> Iterator[Site]:
    """Yield a Loopwire whose frames have a cookie."""
    with secure_site(backend, hosts) as made:
        yield made


@pytest.fixture(params=[later("cookie"), "bearer"])
def place(request: pytest.FixtureRequest, secure: Site, site: Site) -> Site:
    """Return a Loopwire whose frames have a cookie, and one whose frames have their bearer alone."""
    return secure if request.param == "cookie" else site


class Network:
    """The way of a page to the server, which may be cut at a point."""

    cut = ""

    async def follow(self, page: Page) -> None:
        """Follow the requests of a page."""
        await page.route_web_socket("**/ws", self._socket)
        await page.context.route("**/v1/sessions/**", self._command)
        await page.context.route("**/v1/tickets", self._ticket)

    def _socket(self, socket: WebSocketRoute) -> None:
        if self.cut in ("ticket", "commit"):
            return
        server = socket.connect_to_server()
        if self.cut == "ack":
            server.on_message(lambda text: None if '"ack"' in str(text) else socket.send(text))

    async def _command(self, route: Route) -> None:
        if self.cut in ("ticket", "commit"):
            await route.abort()
        else:
            await route.continue_()

    async def _ticket(self, route: Route) -> None:
        if self.cut == "ticket":
            await route.abort()
        else:
            await route.continue_()


async def write(frame: Frame) -> None:
    """Send a message whose acknowledgement does not come."""
    await frame.fill("#composer-text", TEXT)
    await frame.press("#composer-text", "Enter")


async def is_there_once(frame: Frame) -> None:
    """The message is in the conversation once, and answered."""
    await frame.locator(SETTLED).wait_for(state="attached")
    await expect(frame.locator("#log .row-user")).to_have_count(1)
    await expect(frame.locator("#log .row-user .bubble")).to_have_text(TEXT)
    await expect(frame.locator("#composer-text")).to_have_value("")
    assert await frame.evaluate("Object.keys(sessionStorage).filter((each) => each.includes('unsent'))") == []


@pytest.mark.parametrize("cut", [later("commit"), "ack"])
async def test_a_first_message_is_sent_once_by_the_frame_of_a_reloaded_page(
    place: Site, new_page: Any, troubles: Any, cut: str
) -> None:
    page: Page = await new_page()
    network = Network()
    await network.follow(page)
    await place.visit(page, place.tag())
    network.cut = cut
    frame = await Widget(page).open()
    await write(frame)
    await until_async(lambda: frame.evaluate(f"Boolean({SESSION})"), what="the ticket")
    session = await frame.evaluate(SESSION)
    if cut == "ack":
        await expect(frame.locator("#log .row-user .bubble")).to_have_text(TEXT)
    network.cut = ""
    await page.reload()
    await Widget(page).launcher.click()
    drawn = page.frame_locator("loopwire-chat iframe").locator(f"body[data-session={session}].closable")
    await expect(drawn).to_be_attached()
    frame = await Widget(page).frame()
    await is_there_once(frame)
    assert await frame.evaluate(SESSION) == session
    troubles.clear()


@pytest.mark.conformance
async def test_a_first_message_without_a_conversation_is_in_the_composer_of_a_reloaded_page(
    place: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    network = Network()
    await network.follow(page)
    await place.visit(page, place.tag())
    network.cut = "ticket"
    await write(await Widget(page).open())
    network.cut = ""
    await page.reload()
    frame = await Widget(page).open()
    await expect(frame.locator("#composer-text")).to_have_value(TEXT)
    await frame.press("#composer-text", "Enter")
    await is_there_once(frame)
    troubles.clear()


@pytest.mark.conformance
async def test_the_first_message_of_another_conversation_is_not_lost_for_the_former_one(
    secure: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    network = Network()
    await network.follow(page)
    await secure.visit(page, secure.tag())
    frame = await Widget(page).open()
    await say(frame, "iPhone 12")
    former = await frame.evaluate(SESSION)
    await frame.locator("#new").click()
    inside = page.frame_locator("loopwire-chat iframe")
    await expect(inside.locator("body.closable[data-session='']")).to_be_attached()
    frame = await Widget(page).frame()
    network.cut = "commit"
    await write(frame)
    await until_async(lambda: frame.evaluate(f"Boolean({SESSION})"), what="the ticket")
    session = await frame.evaluate(SESSION)
    network.cut = ""
    await page.reload()
    await Widget(page).launcher.click()
    await expect(inside.locator(f"body[data-session={session}].closable")).to_be_attached()
    frame = await Widget(page).frame()
    await is_there_once(frame)
    assert session != former
    troubles.clear()


@pytest.mark.conformance
async def test_a_message_of_a_conversation_that_is_gone_is_in_the_composer_of_the_next_one(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    network = Network()
    await network.follow(page)
    await site.visit(page, site.tag())
    network.cut = "commit"
    frame = await Widget(page).open()
    await write(frame)
    await until_async(lambda: frame.evaluate(f"Boolean({SESSION})"), what="the ticket")
    lose = """for (const key of Object.keys(sessionStorage)) if (key.includes('conversation'))
        sessionStorage[key] = sessionStorage[key].replace(/lwf_[^"]+/, 'lwf_x')"""
    await frame.evaluate(lose)
    network.cut = ""
    await page.reload()
    await Widget(page).launcher.click()
    inside = page.frame_locator("loopwire-chat iframe")
    await expect(inside.locator("#composer-text")).to_have_value(TEXT)
    await expect(inside.locator("#talk.new-talk")).to_be_attached()
    await page.reload()
    await Widget(page).open()
    await expect(inside.locator("#composer-text")).to_have_value(TEXT)
    troubles.clear()


MOVES = {
    "moved": "document.querySelector('footer').append(document.querySelector('loopwire-chat'))",
    "swapped": """document.documentElement.replaceChild(
        Object.assign(document.createElement('body'), { innerHTML: document.body.innerHTML }), document.body)""",
}


@pytest.mark.parametrize("how", one_of(2, MOVES))
async def test_an_inline_chat_that_the_page_moves_goes_on_without_a_cookie(
    site: Site, new_page: Any, how: str
) -> None:
    page: Page = await new_page()
    inline = '<loopwire-chat app="shop" mode="inline"></loopwire-chat><footer></footer>'
    await site.visit(page, f'{inline}<script src="{site.chat}/widget.js" async></script>')
    handle = await page.locator("loopwire-chat iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    await expect(frame.locator("form[data-ready]")).to_be_attached()
    await say(frame, TEXT)
    session, rows = await frame.evaluate(SESSION), await frame.locator("#log > .row").count()
    await page.evaluate(MOVES[how])
    inside = page.frame_locator("loopwire-chat iframe")
    await expect(inside.locator(f"body[data-session={session}]")).to_be_attached()
    await expect(inside.locator("#log > .row")).to_have_count(rows)
    # The page cannot read what leads there.
    assert await page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
