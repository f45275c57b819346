"""A socket that sends many small frames at once is read in turns, between which the loop does something else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from server.limits import Limits
from server.ws.fair_reader import TURN_BYTES, TURN_FRAMES, FairReader
from server.ws.frame_parser import FrameCounts
from tests.integration.ws.raw import PING, frame
from tests.parts.wait import until_async
from tests.unit.ws.test_frame_parser import HANDSHAKE

FRAMES = 2_000
PONG_HEAD = b"\x8a"
NO_LIMIT = Limits(control_frames_per_socket="9999/10s", control_frames_per_address="9999/10s")  # type: ignore[arg-type]


class Line(asyncio.Transport):
    """The server's end of a connection, which counts the pongs that leave by it."""

    def __init__(self) -> None:
        super().__init__()
        self.pongs = 0

    def write(self, data: Any) -> None:
        self.pongs += bytes(data).count(PONG_HEAD)

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        """Nothing more comes here anyway."""

    def resume_reading(self) -> None:
        """As above."""

    def close(self) -> None:
        """There is no other end."""


async def accept(scope: Any, receive: Any, send: Any) -> None:
    """Open the socket and wait for what comes."""
    await receive()
    await send({"type": "websocket.accept"})
    await receive()


@pytest.mark.parametrize(
    ("ping", "most"),
    [
        (frame(PING), TURN_FRAMES),
        (frame(PING, b"x" * 125), TURN_BYTES // len(frame(PING, b"x" * 125)) + 1),
    ],
    ids=["frames", "bytes"],
)
async def test_no_turn_of_the_loop_handles_more_than_its_bound(ping: bytes, most: int) -> None:
    line = Line()
    reader = FairReader(
        config=Config(accept, ws_ping_interval=None),
        server_state=ServerState(),
        app_state={},
        counts=FrameCounts(NO_LIMIT),
    )
    reader.connection_made(line)
    reader.data_received(HANDSHAKE)
    await until_async(lambda: reader.handshake_complete, what="the end of the handshake")
    line.pongs = 0

    reader.data_received(ping * FRAMES)
    turns = [line.pongs]
    while turns[-1]:
        before = line.pongs
        await asyncio.sleep(0)  # Every callback that was ready has run once.
        turns.append(line.pongs - before)

    assert sum(turns) == FRAMES
    assert max(turns) <= most
    assert turns[0] >= most - 1
    reader.connection_lost(None)
    await asyncio.gather(*reader.tasks)


async def test_a_frame_that_has_not_come_yet_is_looked_for_once_and_not_in_every_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line()
    reader = FairReader(
        config=Config(accept, ws_ping_interval=None),
        server_state=ServerState(),
        app_state={},
        counts=FrameCounts(NO_LIMIT),
    )
    reader.connection_made(line)
    reader.data_received(HANDSHAKE)
    await until_async(lambda: reader.handshake_complete, what="the end of the handshake")
    looks: list[int] = []
    take = reader.conn.take_frame
    monkeypatch.setattr(reader.conn, "take_frame", lambda most: looks.append(most) or take(most))

    reader.data_received(frame(PING, b"x" * 100)[:50])
    for _ in range(20):
        await asyncio.sleep(0)  # Every callback that was ready has run once.

    assert len(looks) == 2  # What came of the frame, and that nothing more did.
    reader.connection_lost(None)
    await asyncio.gather(*reader.tasks)
