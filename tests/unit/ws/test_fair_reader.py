"""A socket that sends many small frames at once is read in turns, between which the loop does something else."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from server.limits import Limits
from server.ws import fair_reader
from server.ws.fair_reader import LINGER_S, TURN_BYTES, TURN_FRAMES, FairReader, Incoming
from server.ws.frame_parser import FrameCounts
from tests.integration.ws.raw import CLOSE, PING, PONG, TEXT, closing, frame
from tests.parts.wait import until_async
from tests.unit.ws.test_frame_parser import HANDSHAKE

FRAMES = 2_000
PONG_HEAD = b"\x8a"
BROKEN = frame(3)
NO_LIMIT = Limits(control_frames_per_socket="9999/10s", control_frames_per_address="9999/10s")  # type: ignore[arg-type]


class Line(asyncio.Transport):
    """The server's end of a connection: it keeps what leaves by it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = bytearray()
        self.reads = True
        self.ended = self.closed = False

    @property
    def pongs(self) -> int:
        """Return how many pongs have left."""
        return self.sent.count(PONG_HEAD)

    def write(self, data: Any) -> None:
        self.sent += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def close(self) -> None:
        self.closed = True


async def accept(scope: Any, receive: Any, send: Any) -> None:
    """Open the socket and wait for what comes."""
    await receive()
    await send({"type": "websocket.accept"})
    await receive()


async def nothing_more(scope: Any, receive: Any, send: Any) -> None:
    """Open the socket, and leave what comes to the test."""
    await receive()
    await send({"type": "websocket.accept"})
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


async def closing_at_once(scope: Any, receive: Any, send: Any) -> None:
    """Open the socket and close it."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": 1000})


def new_reader(app: Any = accept, limits: Limits = NO_LIMIT) -> tuple[FairReader, Line]:
    """Return a reader that has got a connection and nothing else."""
    line = Line()
    reader = FairReader(
        config=Config(app, ws_ping_interval=None),
        server_state=ServerState(),
        app_state={},
        counts=FrameCounts(limits),
    )
    reader.connection_made(line)
    return reader, line


async def opened(app: Any = accept, limits: Limits = NO_LIMIT) -> tuple[FairReader, Line]:
    """Return a reader that has shaken hands."""
    reader, line = new_reader(app, limits)
    reader.data_received(HANDSHAKE)
    await until_async(lambda: reader.handshake_complete, what="the end of the handshake")
    line.sent.clear()
    return reader, line


async def rest() -> None:
    """Let every callback run that is ready, and what they call."""
    for _ in range(30):
        await asyncio.sleep(0)


async def lose(reader: FairReader) -> None:
    """End the connection."""
    reader.transport.close()
    reader.connection_lost(None)
    for each in reader.tasks:
        each.cancel()
    await asyncio.gather(*reader.tasks)


@pytest.mark.parametrize(
    ("ping", "most"),
    [
        (frame(PING), TURN_FRAMES),
        (frame(PING, b"x" * 125), TURN_BYTES // len(frame(PING, b"x" * 125)) + 1),
    ],
    ids=["frames", "bytes"],
)
async def test_no_turn_of_the_loop_handles_more_than_its_bound(ping: bytes, most: int) -> None:
    reader, line = await opened()

    reader.data_received(ping * (FRAMES - 1))
    reader.data_received(ping)  # More comes before the next turn, which has to be waited for.
    turns = [line.pongs]
    while turns[-1]:
        assert line.reads is (line.pongs == FRAMES), "nothing more is taken from the system meanwhile"
        before = line.pongs
        await asyncio.sleep(0)  # Every callback that was ready has run once.
        turns.append(line.pongs - before)

    assert sum(turns) == FRAMES
    assert max(turns) <= most
    assert turns[0] >= most - 1
    await lose(reader)


async def test_a_frame_that_has_not_come_yet_is_looked_for_once_and_not_in_every_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader, _ = await opened()
    looks: list[int] = []
    take = reader.conn.take_frame
    monkeypatch.setattr(reader.conn, "take_frame", lambda most: looks.append(most) or take(most))

    reader.data_received(frame(PING, b"x" * 100)[:50])
    for _ in range(20):
        await asyncio.sleep(0)  # Every callback that was ready has run once.

    assert len(looks) == 2  # What came of the frame, and that nothing more did.
    await lose(reader)


async def test_unparsed_bytes_are_dropped_with_their_connection() -> None:
    reader, line = await opened()
    reader.data_received(frame(PING) * FRAMES)
    parsed = line.pongs
    await lose(reader)
    await rest()
    assert line.pongs == parsed < FRAMES
    assert not reader.conn.has_kept()


async def test_a_client_that_does_not_read_is_not_read_either() -> None:
    reader, line = await opened()
    reader.full = True
    reader.data_received(frame(PING))
    await rest()
    assert (line.pongs, line.reads) == (0, False)
    await lose(reader)


async def test_a_text_waits_for_the_application_to_take_the_one_before() -> None:
    reader, line = await opened(nothing_more)
    reader.data_received(frame(TEXT, b"one") + frame(TEXT, b"two") + frame(PING))
    await rest()
    assert (line.pongs, line.reads) == (0, False)
    assert (await reader.receive())["text"] == "one"
    await rest()
    assert (line.pongs, line.reads) == (0, False)
    assert (await reader.receive())["text"] == "two"
    await rest()
    assert (line.pongs, line.reads) == (1, True)
    await lose(reader)


async def test_after_a_broken_frame_its_code_is_told_and_what_is_on_its_way_is_read_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fair_reader, "LINGER_S", 3600)
    reader, line = await opened(nothing_more)
    reader.data_received(frame(PING) * (TURN_FRAMES + 1) + BROKEN + frame(PING))
    assert not line.reads
    await rest()
    assert bytes(line.sent).endswith(frame(CLOSE, closing(1002, b"invalid opcode"), mask=None))
    assert line.pongs == TURN_FRAMES + 1
    assert (line.ended, line.reads, reader.close_sent) == (True, True, True)
    assert not reader.conn.has_kept()
    assert await reader.receive() == {
        "type": "websocket.disconnect",
        "code": 1002,
        "reason": "invalid opcode",
    }
    for _ in range(2):
        reader.data_received(b"x" * 32 * 1024)
    assert not line.closed
    reader.data_received(b"x")
    assert line.closed
    await lose(reader)


async def test_a_client_that_stays_after_a_broken_frame_is_closed_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fair_reader, "LINGER_S", 0.001)
    reader, line = await opened(nothing_more)
    reader.data_received(BROKEN)
    assert not line.closed
    await until_async(lambda: line.closed, what="the end of the connection")
    await lose(reader)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /ws HTTP/1.1\r\nno header\r\n\r\n", b"400 Bad Request"),
        (HANDSHAKE.replace(b"Version: 13", b"Version: 8"), b"426 Upgrade Required"),
    ],
)
async def test_a_handshake_that_is_refused_is_answered_once_and_nothing_after_it(
    head: bytes, status: bytes
) -> None:
    reader, line = new_reader()
    reader.data_received(head)
    reader.data_received(HANDSHAKE + frame(PING))
    await rest()
    assert bytes(line.sent).startswith(b"HTTP/1.1 " + status)
    assert line.sent.count(b"HTTP/1.1") == 1
    assert (line.closed, line.pongs, len(reader.tasks)) == (True, 0, 0)
    await lose(reader)


async def test_frames_do_not_wait_for_an_application_that_has_closed() -> None:
    reader, line = await opened(closing_at_once)
    await until_async(lambda: reader.close_sent, what="our close")
    await asyncio.gather(*reader.tasks)
    reader.data_received(frame(TEXT, b"x") + frame(PING) + frame(CLOSE, closing(1000)))
    assert line.closed, "the client has answered the close"
    assert (await reader.receive())["type"] == "websocket.disconnect"
    assert reader.queue.empty()
    await lose(reader)


async def test_a_pong_of_the_client_ends_the_wait_for_it() -> None:
    reader, line = await opened(nothing_more)
    reader.ping_interval = reader.ping_timeout = 3600
    reader.send_keepalive_ping()
    payload = reader.pending_ping_payload
    assert payload is not None
    assert bytes(line.sent) == frame(PING, payload, mask=None)
    reader.data_received(frame(PONG, b"of another ping"))
    assert reader.pong_timer is not None
    reader.data_received(frame(PONG, payload))
    assert reader.pong_timer is None
    await lose(reader)


async def test_messages_are_taken_in_order_though_who_waited_for_one_was_cancelled() -> None:
    messages = Incoming()
    gone = asyncio.ensure_future(messages.get())
    await asyncio.sleep(0)
    gone.cancel()
    messages.put_nowait(1)
    waiting = asyncio.ensure_future(messages.get())
    assert await waiting == 1
    waiting = asyncio.ensure_future(messages.get())
    await asyncio.sleep(0)
    assert messages.empty()
    messages.put_nowait(2)
    messages.put_nowait(3)
    assert [await waiting, await messages.get()] == [2, 3]
    assert messages.empty()


def test_bytes_after_a_broken_frame_are_read_for_at_most_a_second() -> None:
    assert 0 < LINGER_S <= 1
