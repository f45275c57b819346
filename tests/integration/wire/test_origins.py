"""The origin that a ticket is good for: a named one, that of its page, or, for a program, any that is let in."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.integration.conversation.seller import Seller
from tests.integration.wire.conftest import SHOP
from tests.integration.ws.raw import raw
from tests.integration.ws.visitor import Frame, Talk
from tests.parts.sampled import later
from tests.parts.server import Served

EVIL = "https://evil.example"

pytestmark = pytest.mark.once


def given(place: Served, body: Frame) -> tuple[int, Any]:
    """Ask for a ticket as a server does, which sends no Origin."""
    request = urllib.request.Request(
        f"{place.url}/v1/tickets",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json", "x-forwarded-for": "10.9.0.1"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


async def opened(person: Seller, hello: Frame, origin: str | None) -> int | Frame:
    """Say hello from a page of this origin, or as a program; give the welcome, or the code that closes."""
    talk = Talk(await person.socket(origin=origin))
    with suppress(ConnectionClosed):  # Who may not come is sent away without being heard.
        await talk.send({"type": "hello", **hello})
        await talk.until(lambda frame: frame.get("type") in {"queue", "error"})
    return talk.welcome or await talk.closed()


@pytest.mark.parametrize("named", [SHOP, SHOP.upper(), f"{SHOP}:80"])
async def test_a_ticket_that_a_server_asks_for_names_the_origin_of_its_page(
    place: Served, people: Callable[[], Seller], named: str
) -> None:
    for origin, let_in in ((SHOP, True), (place.url, False), (None, False)):
        status, ticket = given(place, {"origin": named})
        assert status == 200
        answer = await opened(people(), {"ticket": ticket["ticket"]}, origin)
        if not let_in:
            assert answer == 4403
            continue
        assert isinstance(answer, dict)
        token = {"resume_token": answer["resume_token"]}
        assert isinstance(await opened(people(), token, SHOP), dict)
        assert await opened(people(), token, place.url) == 4403


async def test_a_ticket_of_a_program_opens_a_socket_of_a_program_and_of_any_page_that_is_let_in(
    place: Served, people: Callable[[], Seller]
) -> None:
    """Some programs send the origin of the server that they call (websocket-client), others none."""
    for origin in (None, place.url, SHOP):
        _, ticket = given(place, {})
        answer = await opened(people(), {"ticket": ticket["ticket"]}, origin)
        assert isinstance(answer, dict)
        for again in (None, place.url, SHOP):
            assert isinstance(await opened(people(), {"resume_token": answer["resume_token"]}, again), dict)


@pytest.mark.parametrize("named", [EVIL, "null", "", "*", f"{SHOP}/", f"{SHOP}.evil.example", "shop.example"])
async def test_an_origin_that_is_not_allowed_is_not_named_on_a_ticket(place: Served, named: str) -> None:
    status, body = given(place, {"origin": named})
    assert (status, body["error"]["code"]) == (403, "forbidden")
    assert "LOOPWIRE_ALLOWED_ORIGINS" in body["error"]["message"]


@pytest.mark.parametrize("origin", [EVIL, later("null")])
def test_a_page_of_another_origin_is_told_by_the_close_code_and_a_sentence(
    place: Served, origin: str
) -> None:
    with raw(place.url) as wire:
        wire.send(wire.head(Origin=origin))
        assert wire.status() == 101
        frames = list(wire.frames())
    told = json.loads(frames[0][1])
    assert (told["type"], told["code"]) == ("error", "forbidden")
    assert "LOOPWIRE_ALLOWED_ORIGINS" in told["message"]
    assert int.from_bytes(frames[1][1][:2]) == 4403


async def test_a_page_of_another_origin_is_refused_with_any_ticket(
    place: Served, people: Callable[[], Seller]
) -> None:
    _, ticket = given(place, {})
    assert await opened(people(), {"ticket": ticket["ticket"]}, EVIL) == 4403
    assert isinstance(await opened(people(), {"ticket": ticket["ticket"]}, None), dict)
