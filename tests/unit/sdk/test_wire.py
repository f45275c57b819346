"""The frames of a wire: what it takes for one, what it sends and when, and what is left when it begins anew."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from loopwire.errors import Closed, Garbled, Refused
from loopwire.wire import Wire, encode, read_frame
from tests.parts.wait import until_async
from tests.unit.sdk.socket_server import (
    Caller,
    Json,
    SocketServer,
    answer,
    numbered,
    snapshot,
    socket_server,
    welcome,
)

EVENT: Json = {"type": "RUN_STARTED", "runId": "run_1"}
EVENTS = answer()


async def ticket() -> dict[str, str]:
    return {"ticket": "t"}


def wire_to(server: SocketServer) -> Wire:
    return Wire("ws" + server.url.removeprefix("http") + "/ws", ticket)


async def tell_all(caller: Caller) -> None:
    """Send a whole answer in one frame."""
    await caller.greet()
    await caller.say({"batch": numbered(EVENTS)})
    await caller.stay()


def without(frame: Json, name: str) -> Json:
    return {key: value for key, value in frame.items() if key != name}


@pytest.mark.parametrize(
    "frame",
    [
        {"seq": 1, "event": EVENT},
        {"seq": 3, "from": 1, "epoch": "a.1", "event": EVENT},
        {"batch": [{"seq": 1, "event": EVENT}, {"seq": 2, "event": EVENT}]},
        {"batch": []},
        welcome(0, resumed=True),
        snapshot(0),
        {"type": "queue", "items": []},
        {"type": "reconnect", "after_ms": 3},
        {"type": "reconnect", "after_ms": 0.5},
        {"type": "of a later version"},
    ],
    ids=str,
)
def test_a_frame_of_the_wire_is_read(frame: Json) -> None:
    assert read_frame(json.dumps(frame)) == frame
    assert read_frame(json.dumps(frame).encode()) == frame


@pytest.mark.parametrize(
    "frame",
    [
        [],
        None,
        {},
        {"type": 1},
        {"type": ["queue"]},
        {"seq": 1},
        {"event": EVENT},
        {"seq": "1", "event": EVENT},
        {"seq": True, "event": EVENT},
        {"seq": 1, "from": "1", "event": EVENT},
        {"seq": 1, "from": True, "event": EVENT},
        {"seq": 1, "epoch": 7, "event": EVENT},
        {"seq": 1, "event": 3},
        {"seq": 1, "event": {}},
        {"seq": 1, "event": {"type": 1}},
        {"batch": 3},
        {"batch": {}},
        {"batch": [3]},
        {"batch": [{"seq": 1, "event": EVENT}, {"seq": 2, "event": {}}]},
        {"type": "queue"},
        {"type": "queue", "items": {}},
        {"type": "reconnect", "after_ms": "3"},
        *(
            without(welcome(0, resumed=True), each)
            for each in ("session_id", "resume_token", "resumed", "seq", "epoch")
        ),
        *(without(snapshot(0), each) for each in ("seq", "epoch", "events")),
    ],
    ids=str,
)
def test_a_frame_of_no_known_form_is_garbage(frame: Any) -> None:
    with pytest.raises(Garbled, match="a frame of no known form"):
        read_frame(json.dumps(frame))


@pytest.mark.parametrize("text", ["no json", b"\x00\xff", "[" * 100_000], ids=["words", "bytes", "depth"])
def test_a_frame_that_is_no_json_is_garbage(text: str | bytes) -> None:
    with pytest.raises(Garbled, match="no JSON"):
        read_frame(text)


def test_a_frame_has_65_536_bytes_at_most() -> None:
    room = 65_536 - len(encode({"a": ""}))
    assert len(encode({"a": "x" * room})) == 65_536
    assert len(encode({"a": "é" * (room // 2)}).encode()) in {65_535, 65_536}
    for each in ("x" * (room + 1), "é" * (room // 2 + 1), "\ud83d" + "x" * room):
        with pytest.raises(Refused, match="A frame may have 65536 bytes") as refused:
            encode({"a": each})
        assert refused.value.code == "too_long"


@pytest.mark.parametrize("text", ["x", "\ud83d"])
def test_a_number_that_json_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"a": float("nan"), "b": text})


async def test_a_frame_is_sent_after_the_welcome_alone() -> None:
    heard: list[Json] = []
    hello, go = asyncio.Event(), asyncio.Event()

    async def late(caller: Caller) -> None:
        hello.set()
        await go.wait()
        await caller.greet()
        heard.append(await caller.hear())
        await caller.cut()

    async with socket_server(late, tell_all) as server:
        wire = wire_to(server)
        await wire.send({"type": "before a socket"})
        first = asyncio.ensure_future(wire.next())
        await hello.wait()
        await wire.send({"type": "before the welcome"})
        go.set()
        assert (await first)["type"] == "welcome"
        await wire.send({"type": "after it"})
        await until_async(lambda: heard)
        assert heard == [{"type": "after it"}]
        assert wire._socket is not None
        await wire._socket.wait_closed()
        await wire.send({"type": "after the end"})
        kinds = [(await wire.next()).get("type") for _ in range(3)]
        assert kinds == ["snapshot", "queue", "welcome"]
        await wire.aclose()


async def test_a_wire_that_begins_anew_forgets_what_was_received_and_its_position() -> None:
    async with socket_server(tell_all) as server:
        wire = wire_to(server)
        for _ in range(4):
            frame = await wire.next()
        assert frame["event"] == EVENTS[0]
        await wire.restart()
        assert (await wire.next())["type"] == "welcome"
        assert server.callers[1].hello == {"type": "hello", "v": 1, "resume_token": "t1"}
        await wire.aclose()


async def test_another_user_goes_on_behind_what_was_received() -> None:
    async with socket_server(tell_all) as server:
        wire = wire_to(server)
        for _ in range(4):
            await wire.next()
        await wire.renew(anew=False)
        rest = [await wire.next() for _ in EVENTS[1:]]
        assert [each["event"] for each in rest] == EVENTS[1:]
        assert (await wire.next())["type"] == "welcome"
        place = {"last_seq": len(EVENTS), "epoch": "a.1"}
        assert server.callers[1].hello == {"type": "hello", "v": 1, "ticket": "t", **place}
        await wire.aclose()


async def test_another_user_with_another_session_gets_nothing_of_this_one() -> None:
    async with socket_server(tell_all) as server:
        wire = wire_to(server)
        for _ in range(4):
            await wire.next()
        await wire.renew(anew=True)
        assert (await wire.next())["type"] == "welcome"
        assert server.callers[1].hello == {"type": "hello", "v": 1, "ticket": "t"}
        await wire.aclose()


async def test_a_wire_that_was_closed_gives_nothing_more() -> None:
    async with socket_server(tell_all) as server:
        wire = wire_to(server)
        for _ in range(4):
            await wire.next()
        await wire.aclose()
        for _ in range(2):
            with pytest.raises(Closed, match="This connection was closed") as closed:
                await wire.next()
            assert closed.value.code == "closed"
        assert not wire.opened
        await until_async(lambda: server.callers[0].socket.close_code)
        assert len(server.callers) == 1


async def test_a_wire_that_is_closed_while_it_is_read_is_not_opened_again() -> None:
    async def read(wire: Wire) -> None:
        while True:
            await wire.next()

    async with socket_server(tell_all) as server:
        wire = wire_to(server)
        reading = asyncio.ensure_future(read(wire))
        await until_async(lambda: wire.position.seq == len(EVENTS))
        await wire.aclose()
        with pytest.raises(Closed, match="This connection was closed"):
            await reading
        assert len(server.callers) == 1


async def test_a_resumed_session_goes_on_at_the_servers_place_where_the_client_has_none() -> None:
    async def resume(caller: Caller) -> None:
        await caller.say(welcome(5, resumed=True), {"seq": 6, "event": EVENT})
        await caller.stay()

    async with socket_server(resume) as server:
        wire = wire_to(server)
        assert (await wire.next())["type"] == "welcome"
        assert await wire.next() == {"seq": 6, "event": EVENT, "epoch": "a.1"}
        await wire.aclose()


async def test_an_event_before_its_snapshot_is_garbage(caplog: pytest.LogCaptureFixture) -> None:
    async def hurry(caller: Caller) -> None:
        await caller.say(welcome(5, resumed=False), {"seq": 6, "event": EVENT})
        await caller.stay()

    async with socket_server(hurry, tell_all) as server:
        wire = wire_to(server)
        assert (await wire.next())["type"] == "welcome"
        assert (await wire.next())["type"] == "welcome"
        assert len(server.callers) == 2
        assert isinstance(wire.trouble, Garbled)
        assert wire.trouble.message == "events are missing before 6"
        await wire.aclose()
    warnings = [(each.name, each.args) for each in caplog.records if each.levelname == "WARNING"]
    assert warnings == [("loopwire", ("events are missing before 6",))]
