"""A message that was sent and not acknowledged outlives a reload: it is stored once, and seen once."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_lost_connection import only_cuts
from tests.e2e.hold import Hold
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

HELLO = "Olá, o que é que posso vender aqui e como funciona?"
MINE = "tenho uma Bimby TM5"


async def stored(seller: Person, text: str) -> list[str]:
    """Return how often the store has this message."""
    return [text for each in await seller.stored() if each["role"] == "user" and each["content"] == text]


async def once(seller: Person, text: str) -> None:
    """Assert that the message is in the log and in the store, once."""
    await seller.settled()
    await expect(seller.page.locator(".bubble").get_by_text(text, exact=True)).to_have_count(1)
    assert len(await stored(seller, text)) == 1
    await seller.shows_what_is_stored()
    assert await seller.page.evaluate("sessionStorage.length") == 0


async def test_a_message_written_without_internet_is_sent_after_a_reload(quick, person, troubles):
    seller: Person = await person(quick)
    await seller.open()
    await seller.say(HELLO)
    await seller.settled()
    path = seller.path
    await seller.page.context.set_offline(True)
    await expect(seller.page.locator("body[data-state=offline]")).to_be_attached()
    await seller.say(MINE)
    await expect(seller.page.locator("#sending .bubble")).to_have_text(MINE)
    # A browser has no page to load again without internet: it is left, and loaded when the internet is back.
    await seller.page.goto("about:blank")
    await seller.page.context.set_offline(False)
    await seller.open(path)
    await once(seller, MINE)
    only_cuts(troubles)


@pytest.mark.conformance
async def test_a_stored_message_whose_ack_was_lost_is_not_stored_again(quick, person):
    seller: Person = await person(quick)
    hold = Hold()
    await seller.page.route_web_socket("**/ws", hold.wire)
    await seller.open()
    await seller.say(HELLO)
    await seller.settled()
    hold.everything()
    await seller.say(MINE)
    await expect(seller.page.locator("#sending .bubble")).to_have_text(MINE)
    await until_async(lambda: stored(seller, MINE), what="the message in the store")
    hold.forget()
    await seller.reload()
    await once(seller, MINE)


async def test_a_first_message_that_began_nothing_is_back_in_the_composer(quick, person, troubles):
    seller: Person = await person(quick)
    await seller.page.route("**/v1/tickets", lambda route: route.abort())
    await seller.open()
    await seller.say(MINE)
    await expect(seller.page.locator("#sending .bubble")).to_have_text(MINE)
    await seller.page.fill("#composer-text", "por acabar")
    await seller.page.reload()
    await expect(seller.page.locator("#composer-text")).to_have_value(f"{MINE}\npor acabar")
    await seller.page.unroute("**/v1/tickets")
    await seller.say(MINE)
    await once(seller, MINE)
    only_cuts(troubles)


@pytest.mark.conformance
async def test_a_message_that_cannot_be_stored_yet_says_so_until_it_is(quick, person):
    seller: Person = await person(quick)
    away = [True]

    def wire(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def said(text: str | bytes) -> None:
            frame = json.loads(text)
            if frame["type"] != "message" or not away[0]:
                return server.send(text)
            refused = {"type": "error", "code": "unavailable", "message": "Away.", "retry": True}
            return route.send(json.dumps({**refused, "retry_after": 0.1, "id": frame["id"]}))

        route.on_message(said)

    await seller.page.route_web_socket("**/ws", wire)
    await seller.open()
    await seller.say(MINE)
    line = seller.page.locator("#sending li small")
    await expect(line).to_have_text("Ainda não foi guardada, a tentar de novo")
    assert "Ainda não foi guardada, a tentar de novo " in await seller.seen("said")
    away[0] = False
    await once(seller, MINE)
