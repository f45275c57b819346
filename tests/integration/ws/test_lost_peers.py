"""Peers that are gone without a word, or read nothing more: the server notices, and their place in the room is free."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server import metrics
from server.http import hardened, hardened_socket, server
from server.http.hardened import HardenedHttpProtocol
from server.http.hardened_socket import HardenedSocketProtocol
from server.rooms.connection import Connection
from server.rooms.room import Room
from tests.integration.ws.inside import Address, Inside, inside
from tests.integration.ws.long_answer import written
from tests.integration.ws.raw import TEXT, Raw
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts.proxy import Proxy, Weather
from tests.parts.wait import until_async

NEVER_S = 600
PING_S, PONG_S = 0.5, 2.5
"""In the place of the promised 15 and 20, whose sum tests/promises/test_times.py looks at."""


def aborted(reason: str) -> float:
    """Return how many sockets this process has aborted for a reason."""
    return metrics.REGISTRY.get_sample_value("loopwire_closed_readers_total", {"reason": reason}) or 0.0


async def joined(visitor: Visitor, session: str | None = None) -> Talk:
    """Open a socket without standing still, since the server lives in the same loop."""
    body = {"session_id": session} if session else {}
    ticket = await asyncio.to_thread(lambda: visitor.ticket(**body))
    return await visitor.open(hello={"ticket": ticket["ticket"]})


@asynccontextmanager
async def through_a_line(here: Inside) -> AsyncIterator[tuple[Visitor, Proxy]]:
    """Yield a visitor behind a line of its own."""
    at = urlsplit(here.visitor.served.url)
    line = Proxy(lambda: [(at.hostname or "", at.port or 0)])
    await line.start()
    visitor = Visitor(Address(f"http://127.0.0.1:{line.port}"))  # type: ignore[arg-type]
    try:
        yield visitor, line
    finally:
        await visitor.aclose()
        await line.aclose()


@pytest.mark.once
async def test_a_peer_that_vanished_without_a_fin_is_noticed_and_leaves_its_room(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PING_S", PING_S)
    monkeypatch.setattr(server, "PONG_S", PONG_S)
    async with inside(tmp_path, **parts) as here, through_a_line(here) as (visitor, line):
        gone = await joined(visitor)
        rooms = here.web.rooms
        assert rooms.sessions() == [gone.session]
        line.weather = Weather(silent_up=True, silent_down=True)
        await until_async(lambda: not rooms.by_session, what="the server to notice")
        assert here.server.server_state.connections == set()
        assert gone.socket.close_code is None, "it was told nothing: the line is silent"


@asynccontextmanager
async def beside_one_who_stopped(here: Inside) -> AsyncIterator[tuple[Talk, Room]]:
    """A reader, in a room with a peer that stopped, whose buffers are full."""
    fast = await joined(here.visitor)
    ticket = await asyncio.to_thread(lambda: here.visitor.ticket(session_id=fast.session))
    silent = await asyncio.to_thread(lambda: Raw(here.visitor.served.url, receive_buffer=4096).open())
    try:
        silent.send(silent.frame(TEXT, json.dumps({"type": "hello", "ticket": ticket["ticket"]}).encode()))
        room = here.web.rooms.by_session[fast.session]
        await until_async(lambda: len(room.members) == 2, what="both")
        stopped: Connection = room.members[1].connection
        writer = await here.ready.parts.bus.writer(fast.session, fence=1, floor=0)
        # Until it is full or gone: how long it may be full is what the tests are about.
        await written(writer, fast, "run_1", lambda: bool(stopped.outbox) or len(room.members) == 1)
        await writer.aclose()
        yield fast, room
    finally:
        silent.socket.close()


@pytest.mark.once
async def test_a_peer_that_answers_no_ping_is_ended_although_nothing_more_can_be_written_to_it(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A close waits behind what was not read: without an abort it would wait for ever."""
    monkeypatch.setattr(hardened_socket, "STALL_S", NEVER_S)
    async with inside(tmp_path, **parts) as here, beside_one_who_stopped(here) as (_, room):
        sockets = [
            each for each in here.server.server_state.connections if isinstance(each, HardenedSocketProtocol)
        ]
        (late,) = [each for each in sockets if each.full]
        # What its timer does: the fast one has to answer none in a hurry.
        before = aborted("silent")
        late.keepalive_timeout()
        await until_async(lambda: len(room.members) == 1, what="its place to be free")
        assert aborted("silent") - before == 1


@pytest.mark.once
async def test_a_peer_that_stops_reading_is_ended_after_its_time(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened_socket, "STALL_S", 1.0)
    monkeypatch.setattr(server, "PING_S", NEVER_S)
    before = aborted("stalled")
    async with inside(tmp_path, **parts) as here, beside_one_who_stopped(here) as (fast, room):
        await until_async(lambda: len(room.members) == 1, what="its place to be free")
        assert room.members[0].seq == fast.seq
    assert aborted("stalled") - before == 1


@pytest.mark.once
async def test_half_a_body_has_its_time_and_a_whole_one_has_no_deadline_after_it(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened, "HEAD_S", NEVER_S)
    monkeypatch.setattr(hardened, "BODY_S", 1.0)
    async with inside(tmp_path, **parts) as here:
        half = await asyncio.to_thread(lambda: Raw(here.visitor.served.url))
        try:
            what = "Content-Type: application/json\r\nContent-Length: 500"
            half.send(f"POST /v1/tickets HTTP/1.1\r\nHost: {half.host}\r\n{what}\r\n\r\n{{".encode())
            assert await asyncio.to_thread(half.status) == 0, "it is cut off, not answered"
        finally:
            half.socket.close()
        whole = await asyncio.to_thread(lambda: Raw(here.visitor.served.url))
        try:
            whole.send(f"GET /healthz HTTP/1.1\r\nHost: {whole.host}\r\n\r\n".encode())
            assert await asyncio.to_thread(whole.status) == 200
            (left,) = [
                each
                for each in here.server.server_state.connections
                if isinstance(each, HardenedHttpProtocol)
            ]
            assert left._deadline is None, "an answer may take as long as it does"
        finally:
            whole.socket.close()


@pytest.mark.once
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux knows it")
async def test_the_system_ends_a_line_on_which_nothing_is_acknowledged_for_as_long_as_a_ping_may_take(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, **parts) as here:
        await joined(here.visitor)
        for each in here.server.server_state.connections:
            line = each.transport.get_extra_info("socket")
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 35_000
        assert here.server.server_state.connections
