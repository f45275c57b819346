"""The handshake and the hello of a socket, judged by a server in the test's own process."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from server.errors import Unavailable
from server.limits import Limits
from server.ws import endpoint
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.raw import CLOSE, TEXT, Raw, frame, raw
from tests.integration.ws.test_bad_wire import BROKEN
from tests.integration.ws.visitor import Talk
from tests.parts.wait import until

pytestmark = pytest.mark.once

WORDS = Path(__file__).parents[3] / "docs" / "protocol" / "README.md"
EVIL = "https://evil.example"
REFUSED: dict[str, tuple[dict[str, str | None], int]] = {
    "another page with a protocol of its own": ({"Origin": EVIL, "Sec_WebSocket_Protocol": "chat"}, 403),
    "a sandboxed page without a protocol": ({"Origin": "null", "Sec_WebSocket_Protocol": None}, 403),
    "two hosts": ({"X-First": "1\r\nHost: evil.example"}, 400),
    "no host": ({"Host": None}, 400),
    "a foreign name for this machine": ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
    "a foreign name, of a program": ({"Host": "evil.example", "Origin": None}, 421),
}
TOLD: dict[str, tuple[dict[str, str | None], int]] = {
    "a page of another origin": ({"Origin": EVIL}, 4403),
    "a program without a protocol": ({"Origin": None, "Sec_WebSocket_Protocol": None}, 4410),
    "a program with another protocol": ({"Origin": None, "Sec_WebSocket_Protocol": "chat"}, 4410),
}
MOST_UNKNOWN = Limits().unidentified_per_address


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a server that executes no run."""
    async with inside(tmp_path) as running:
        yield running


async def talked(here: Inside, talk: Callable[[str], Any]) -> Any:
    """Let a client that blocks talk in a thread: the server is in this loop."""
    return await asyncio.to_thread(talk, here.visitor.served.url)


async def hello(here: Inside, ticket: dict[str, Any]) -> Talk:
    return await here.visitor.open(hello={"ticket": ticket["ticket"]})


async def test_a_wrong_handshake_is_refused_or_told_by_a_close_code(
    here: Inside, caplog: pytest.LogCaptureFixture
) -> None:
    def talk(url: str) -> None:
        for name, (changes, status) in REFUSED.items():
            with raw(url) as wire:
                wire.send(wire.head(**changes))
                assert wire.status() == status, name
        for name, (changes, code) in TOLD.items():
            with raw(url) as wire:
                assert wire.open(**changes).close_code() == code, name

    await talked(here, talk)
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR], "it is no error of ours"


async def test_a_broken_beginning_ends_the_socket_with_its_code(here: Inside) -> None:
    def talk(url: str) -> None:
        for name, frames, code in BROKEN:
            with raw(url) as wire:
                wire.open()
                for opcode, payload, how in frames:
                    wire.send(wire.frame(opcode, payload, **how))  # type: ignore[arg-type]
                assert wire.close_code() == code, name

    await talked(here, talk)


async def test_a_good_hello_opens_after_four_bad_frames_that_are_each_answered(here: Inside) -> None:
    ticket = await asyncio.to_thread(here.visitor.ticket)

    def talk(url: str) -> list[dict[str, Any]]:
        with raw(url) as wire:
            wire.open()
            for _ in range(4):
                wire.send(frame(TEXT, b"{"))
            wire.send(frame(TEXT, json.dumps({"type": "hello", "ticket": ticket["ticket"]}).encode()))
            said = []
            for opcode, payload in wire.frames():
                assert opcode == TEXT
                said.append(json.loads(payload))
                if said[-1]["type"] == "welcome":
                    break
            return said

    said = await talked(here, talk)
    assert [each.get("code") for each in said] == ["bad_json"] * 4 + [None]


async def test_a_client_that_says_no_hello_is_told_that_it_was_too_late(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"you said no hello in {endpoint.HELLO_S:.0f} s" in WORDS.read_text()
    monkeypatch.setattr(endpoint, "HELLO_S", 0.05)

    def talk(url: str) -> int:
        with raw(url) as wire:
            return wire.open().close_code()

    assert await talked(here, talk) == 4408


async def test_only_unidentified_sockets_of_an_address_count_for_their_limit(here: Inside) -> None:
    tickets = [await asyncio.to_thread(here.visitor.ticket) for _ in range(3)]
    talks = [await hello(here, each) for each in tickets]
    talks[0].socket.transport.abort()
    await talks[0].socket.wait_closed()

    def opens(url: str) -> bool:
        with raw(url) as wire:
            wire.send(wire.head())
            return wire.status() == 101

    def talk(url: str) -> None:
        with ExitStack() as stack:
            wires: list[Raw] = [stack.enter_context(raw(url)) for _ in range(MOST_UNKNOWN + 1)]
            for wire in wires[:-1]:
                wire.open()
            wires[-1].send(wires[-1].head())
            status, headers = wires[-1].answer()
            assert status == 503
            assert int(headers["retry-after"]) > 0
            assert not opens(url)
            wires[0].send(frame(CLOSE))
            assert wires[0].ended()
            until(lambda: opens(url), what="room for another")
        until(lambda: opens(url), what="room for another")

    await talked(here, talk)


async def test_a_ticket_opens_a_socket_after_an_attempt_during_an_outage(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = await asyncio.to_thread(here.visitor.ticket)

    async def away(*_values: Any) -> Any:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(here.ready.parts.store.sessions, "get", away)
        socket = await here.visitor.socket()
        talk = Talk(socket)
        await talk.send({"type": "hello", "ticket": ticket["ticket"]})
        await talk.closed()
        assert [each["code"] for each in talk.frames] == ["unavailable"]
    assert (await hello(here, ticket)).session == ticket["session_id"]


async def test_a_message_of_a_socket_belongs_to_the_trace_of_its_ticket(here: Inside) -> None:
    traced = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
    answer = await asyncio.to_thread(here.visitor.request, "POST", "/v1/tickets", {}, headers=traced)
    talk = await hello(here, answer.body)
    await talk.say("olá", "c1")
    claim = await here.ready.parts.store.runs.claim("me", 10)
    assert claim is not None
    assert "a" * 32 in (claim.run.trace_context or "")


async def test_a_socket_is_spoken_to_in_the_language_that_was_asked_for_or_in_that_of_its_session(
    here: Inside,
) -> None:
    for asked, spoken in ({}, None), ({"language": "fr"}, "fr"):
        ticket = await asyncio.to_thread(lambda asked=asked: here.visitor.ticket(**asked))
        talk = await hello(here, ticket)
        (member,) = here.web.rooms.by_session[talk.session].members
        assert member.connection.language == (spoken or ticket["language"])
