"""RFC 6455 in the test's own process: the tables of `test_rfc6455` against an application that only answers texts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from uvicorn.server import ServerState

from server.http import hardened_socket
from server.http.hardened import HardenedHttpProtocol
from server.http.hardened_socket import HardenedSocketProtocol
from server.http.server import config
from server.limits import Limits
from tests.integration.ws.raw import BINARY, CLOSE, PING, PONG, Raw, closing, frame, raw
from tests.integration.ws.test_rfc6455 import (
    ANSWER,
    BROKEN,
    BYE,
    CLOSES,
    ENDED,
    GOOD,
    HANDSHAKES,
    Heard,
    more,
    read_to_end,
    started,
    text,
)
from tests.parts.sampled import one_of
from tests.parts.wait import until_async

SAID = json.dumps({"code": "bad_json"})
JUDGED = {name: each for name, each in HANDSHAKES.items() if each[1] != 404}
"""Handshakes: the others are requests of HTTP, which another application answers."""


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer each text, and close at a binary message."""
    await receive()
    if scope["type"] == "http":
        return
    await send({"type": "websocket.accept", "subprotocol": "loopwire.v1"})
    while (message := await receive())["type"] != "websocket.disconnect":
        if message.get("text") is None:
            await send({"type": "websocket.close", "code": 1003, "reason": "text frames only"})
            return
        await send({"type": "websocket.send", "text": SAID})


@asynccontextmanager
async def serving(*, trusted_proxies: str = "") -> AsyncIterator[tuple[str, ServerState]]:
    """Yield the address of a server in this loop, and its connections."""
    settings = config(app, host="127.0.0.1", port=0, trusted_proxies=trusted_proxies, limits=Limits())
    settings.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: HardenedHttpProtocol(config=settings, server_state=state, app_state={}), "127.0.0.1", 0
    )
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", state
        await until_async(lambda: not (state.connections or state.tasks), what="the end of the connections")


async def exchange(talk: Callable[[Raw], Any]) -> Any:
    """Let a client talk with a server of its own."""
    async with serving() as (url, _):

        def client() -> Any:
            with raw(url) as wire:
                return talk(wire)

        return await asyncio.to_thread(client)


async def heard(*sent: bytes) -> Heard:
    """Return all that a client hears that says this."""

    def talk(wire: Raw) -> Heard:
        wire.open()
        for each in sent:
            wire.send(each)
        return read_to_end(wire)

    return await exchange(talk)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", GOOD)
async def test_valid_frames_are_read_and_the_close_is_returned(name: str) -> None:
    sent, expected = GOOD[name]
    assert await heard(sent + BYE) == [*expected, ENDED]


@pytest.mark.parametrize(
    "name", ["two fragments", "a ping between fragments", "a character over four fragments"]
)
async def test_frames_sent_byte_by_byte_are_read_the_same(name: str) -> None:
    sent, expected = GOOD[name]
    assert await heard(*[bytes([byte]) for byte in sent + BYE]) == [*expected, ENDED]


async def test_large_fragmented_messages_are_read_whole_and_in_order() -> None:
    """So much that reading has to pause for the application, and that no message fits into one turn."""
    sent = b"".join(
        started(b"x" * 30_000) + frame(PING, b"%d" % number) + more(b"y" * 30_000, fin=True)
        for number in range(12)
    )
    expected = [each for number in range(12) for each in (("pong", b"%d" % number), ANSWER)]
    assert await heard(sent + BYE) == [*expected, ENDED]


@pytest.mark.parametrize("name", one_of(4, BROKEN))
async def test_an_invalid_frame_closes_the_socket_with_its_code(name: str) -> None:
    sent, expected = BROKEN[name]
    assert await heard(sent) == expected


@pytest.mark.parametrize("name", CLOSES)
async def test_a_close_frame_is_returned_or_refused_by_its_code(name: str) -> None:
    payload, code = CLOSES[name]
    assert await heard(frame(CLOSE, payload)) == [("close", code)]
    assert await heard(started(b"x") + more(b"y") + frame(CLOSE, payload)) == [("close", code)]


async def test_frames_after_a_close_are_not_answered() -> None:
    assert await heard(BYE + frame(PING, b"p") + text("x") + BYE) == [ENDED]


async def test_the_close_of_the_server_waits_for_the_answer_of_the_client() -> None:
    def talk(wire: Raw) -> None:
        wire.open()
        wire.send(frame(BINARY))
        assert next(wire.frames()) == (CLOSE, closing(1003, b"text frames only"))
        wire.send(text("too late") + frame(PING, b"too late") + frame(CLOSE, closing(1003)))
        assert not [each for each in wire.frames() if each[0] != PONG]

    await exchange(talk)


@pytest.mark.parametrize("name", JUDGED)
async def test_each_handshake_gets_its_status(name: str) -> None:
    changes, expected = JUDGED[name]

    def talk(wire: Raw) -> tuple[int, dict[str, str]]:
        wire.send(wire.head(**changes))
        return wire.answer()

    status, headers = await exchange(talk)
    assert status == expected
    if status == 101:
        assert "sec-websocket-extensions" not in headers
    if status == 426:
        assert headers["sec-websocket-version"] == "13"


@pytest.mark.parametrize("apart", [False, True], ids=["in the same segment", "after it"])
async def test_frames_before_the_handshake_answer_are_answered_after_it(apart: bool) -> None:
    def talk(wire: Raw) -> Heard:
        early = frame(PING, b"early") + text("x") + BYE
        for each in (wire.head(), early) if apart else (wire.head() + early,):
            wire.send(each)
        assert wire.status() == 101
        return read_to_end(wire)

    assert await exchange(talk) == [("pong", b"early"), ANSWER, ENDED]


async def opened(talk: Callable[[HardenedSocketProtocol, Raw], Awaitable[None]]) -> None:
    """Talk with both ends of an open socket, whose client is behind a proxy."""
    async with serving(trusted_proxies="127.0.0.1") as (url, state):
        wire = await asyncio.to_thread(lambda: Raw(url))
        try:
            await asyncio.to_thread(lambda: wire.open(X_Forwarded_For="203.0.113.5"))
            (socket,) = [each for each in state.connections if isinstance(each, HardenedSocketProtocol)]
            await talk(socket, wire)
        finally:
            wire.socket.close()


async def test_an_open_socket_keeps_the_address_of_its_client_and_nothing_else_of_its_handshake() -> None:
    async def talk(socket: HardenedSocketProtocol, _: Raw) -> None:
        assert socket.conn.address == "203.0.113.5"
        assert socket.scope["headers"] == []
        assert not hasattr(socket, "request")
        assert not hasattr(socket, "response")

    await opened(talk)


async def test_a_client_that_stops_reading_is_not_read_and_is_ended_unless_it_reads_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def talk(socket: HardenedSocketProtocol, wire: Raw) -> None:
        monkeypatch.setattr(hardened_socket, "STALL_S", 3600)
        flows: list[bool] = []
        socket.follow(lambda: flows.append(socket.full))
        socket.pause_writing()
        assert not socket.transport.is_reading()
        assert not socket.send_frame(frame(PING, mask=None))
        socket.resume_writing()
        assert socket.transport.is_reading()
        assert flows == [False]
        assert socket.send_frame(frame(PING, b"now", mask=None))
        assert await asyncio.to_thread(lambda: next(wire.frames())) == (PING, b"now")
        monkeypatch.setattr(hardened_socket, "STALL_S", 0.01)
        socket.pause_writing()
        assert await asyncio.to_thread(wire.ended)
        assert flows == [False, False], "who waits for room is told of the end too"

    await opened(talk)


async def test_the_server_sends_no_frame_and_no_second_close_after_its_close() -> None:
    async def talk(socket: HardenedSocketProtocol, wire: Raw) -> None:
        socket.send_close(4001, "enough")
        socket.send_close(4002, "again")
        assert socket.send_frame(frame(PING, mask=None)), "it counts as written"
        wire.send(frame(CLOSE, closing(4001)))
        heard = await asyncio.to_thread(lambda: list(wire.frames()))
        assert heard == [(CLOSE, closing(4001, b"enough"))]

    await opened(talk)


async def test_a_client_that_does_not_answer_the_close_is_ended_after_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hardened_socket, "CLOSE_S", 0.01)

    async def talk(socket: HardenedSocketProtocol, wire: Raw) -> None:
        socket.send_close(4001, "enough")
        assert await asyncio.to_thread(wire.ended)

    await opened(talk)
