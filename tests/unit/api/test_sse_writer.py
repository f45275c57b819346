"""The writer of a stream: events in order, bounded while the reader does not take them, and an end with its reason."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from server.api import sse_writer
from server.api.sse_writer import ENOUGH, SseWriter, event_frame
from server.bus import Entry
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.envelope import durable
from server.rooms.connection import Connection
from server.rooms.outbox import MERGE_ABOVE
from tests.parts.wait import until_async


class Response:
    """The part of a response that a reader takes; the reader can stop taking."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.over = False
        self.taking = asyncio.Event()
        self.taking.set()

    async def send(self, message: Any) -> None:
        await self.taking.wait()
        self.chunks.append(message["body"])
        self.over = not message["more_body"]

    @property
    def text(self) -> str:
        return b"".join(self.chunks).decode()

    def events(self) -> list[tuple[str | None, dict[str, Any]]]:
        """Return the events with their ids."""
        blocks = [each.split("\n") for each in self.text.split("\n\n") if "data: " in each]
        fields = [dict(line.split(": ", 1) for line in each) for each in blocks]
        return [(each.get("id"), json.loads(each["data"])) for each in fields]


def stream(wire: SseWriter) -> Connection:
    return Connection(wire, html=False, language="pt", framing=event_frame)


def put_delta(connection: Connection, seq: int) -> None:
    data = encode_event(ev.text_content("m", "ç"))
    connection.put_event(event_frame(durable(seq, data), "a.1", seq), Entry(seq, "a.1", data))


async def test_frames_with_a_position_have_an_id_and_the_last_event_is_the_close() -> None:
    wire, response = SseWriter(), Response()
    connection = stream(wire)
    pump = asyncio.ensure_future(wire.pump(response.send))
    connection.put(b'{"type":"welcome"}')
    connection.put_snapshot(b'{"type":"snapshot"}', "a.1", 7)
    put_delta(connection, 8)
    connection.close(1012, "drain")
    connection.close(1000, "later")
    connection.put(b'{"type":"late"}')
    await pump
    assert response.over
    assert [(place, each.get("type")) for place, each in response.events()] == [
        (None, "welcome"),
        ("a.1-7", "snapshot"),
        ("a.1-8", None),
        (None, "close"),
    ]
    assert response.events()[-1][1] == {"type": "close", "code": 1012, "reason": "drain"}
    assert response.text.endswith('retry: 1000\ndata: {"type":"close","code":1012,"reason":"drain"}\n\n')


async def test_a_close_without_reconnect_names_no_time() -> None:
    wire, response = SseWriter(), Response()
    stream(wire).close(4409, "replaced")
    await wire.pump(response.send)
    assert response.text == 'data: {"type":"close","code":4409,"reason":"replaced"}\n\n'


async def test_a_reader_that_takes_nothing_gets_merged_deltas_later_under_the_last_ones_id() -> None:
    wire, response = SseWriter(), Response()
    connection = stream(wire)
    response.taking.clear()
    pump = asyncio.ensure_future(wire.pump(response.send))
    connection.put(b"[" + b" " * ENOUGH + b"]")
    assert wire.full
    for seq in range(1, 4 * MERGE_ABOVE):
        put_delta(connection, seq)
    response.taking.set()
    await until_async(lambda: f'"seq":{4 * MERGE_ABOVE - 1},' in response.text)
    events = response.events()[1:]
    merged = events[-1]
    assert merged[0] == f"a.1-{4 * MERGE_ABOVE - 1}"
    assert merged[1]["from"] == MERGE_ABOVE
    assert sum(len(each["event"]["delta"]) for _, each in events) == 4 * MERGE_ABOVE - 1
    connection.close(1000, "")
    await pump


async def test_a_reader_that_takes_nothing_for_too_long_is_told_only_that() -> None:
    wire, response = SseWriter(), Response()
    connection = stream(wire)
    response.taking.clear()
    pump = asyncio.ensure_future(wire.pump(response.send))
    connection.put(b'{"type":"' + b"x" * ENOUGH + b'"}')
    for _ in range(400):
        connection.put(b'{"type":"later"}')
    assert connection.closing
    response.taking.set()
    await pump
    assert [each["type"][:5] for _, each in response.events()] == ["xxxxx", "close"]
    assert response.events()[-1][1]["code"] == 1013


async def test_an_idle_stream_sends_keep_alive_comments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sse_writer, "KEEP_ALIVE_S", 0.01)
    wire, response = SseWriter(), Response()
    pump = asyncio.ensure_future(wire.pump(response.send))
    await until_async(lambda: response.text.count(":\n\n") >= 2)
    wire.drop()
    await pump
    assert response.events() == []


async def test_a_reader_that_is_gone_keeps_nothing_waiting() -> None:
    wire, response = SseWriter(), Response()
    connection = stream(wire)
    connection.put(b" " * ENOUGH)
    connection.put(b"{}")
    wire.drop()
    connection.put(b"{}")
    connection.close(1000, "")
    await wire.pump(response.send)
    assert response.text == ""
