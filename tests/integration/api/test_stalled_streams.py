"""Streams in trouble: a reader that stalls, one that dies, a server that leaves, an instance that runs elsewhere."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server.http import hardened
from server.rooms.outbox import MERGE_ABOVE
from server.rooms.room import Room
from tests.integration.api.line import Line, lines, over_stream
from tests.integration.conversation.seller import Seller, seen
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.long_answer import written
from tests.integration.ws.raw import PATIENCE_S, Raw
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts import postgres
from tests.parts.server import Served, served
from tests.parts.wait import until_async

LONG = "Olá, o que é que posso vender aqui e como funciona?"


@pytest.fixture
async def instance(tmp_path: Path, parts: dict[str, str]) -> AsyncIterator[Inside]:
    """Yield a server in this loop, on each column of parts."""
    async with inside(tmp_path, **parts) as running:
        yield running


async def ticket(visitor: Visitor, session: str | None = None) -> dict[str, str]:
    """Get a ticket without standing still, since the server lives in the same loop."""
    body = {"session_id": session} if session else {}
    return await asyncio.to_thread(lambda: visitor.ticket(**body))


def request(session: str, bearer: str, **headers: str) -> bytes:
    """Return the bytes of a request for a stream."""
    own = {"host": "127.0.0.1", "authorization": f"Bearer {bearer}", **headers}
    head = [f"GET /v1/sessions/{session}/events HTTP/1.1", *(f"{name}: {text}" for name, text in own.items())]
    return "\r\n".join([*head, "", ""]).encode()


def farewell(wire: Raw) -> dict[str, Any]:
    """Read a stream up to the event that ends it; one that is kept alive is not read for ever."""
    latest = time.monotonic() + PATIENCE_S
    with wire.socket.makefile("rb") as lines:
        for each in lines:
            assert time.monotonic() < latest, "the stream goes on"
            event = json.loads(each.removeprefix(b"data: ")) if each.startswith(b"data: ") else {}
            if event.get("type") == "close":
                return dict(event)
    return {}


async def request_stream(instance: Inside, session: str, **options: int) -> Raw:
    """Ask for a stream and read nothing of it."""
    given = await ticket(instance.visitor, session)
    wire = await asyncio.to_thread(lambda: Raw(instance.visitor.served.url, **options))
    host = instance.visitor.served.url.removeprefix("http://")
    wire.send(request(session, given["ticket"], host=host))
    return wire


@asynccontextmanager
async def beside_one_who_stopped(instance: Inside) -> AsyncIterator[tuple[Talk, Raw, Room]]:
    """A visitor with a socket, in a room with a stream that is not read."""
    given = await ticket(instance.visitor)
    fast = await instance.visitor.open(hello={"ticket": given["ticket"]})
    slow = await request_stream(instance, fast.session, receive_buffer=4096)
    try:
        room = instance.web.rooms.by_session[fast.session]
        await until_async(lambda: len(room.members) == 2, what="both readers")
        yield fast, slow, room
    finally:
        slow.socket.close()


@pytest.mark.once
async def test_a_stream_that_stalls_delays_nobody_and_is_sent_away(
    instance: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is not given up while it is looked at: a waiting reader would wait longer than this test does.
    monkeypatch.setattr(hardened, "STALL_S", 600.0)
    async with beside_one_who_stopped(instance) as (fast, slow, room):
        stopped = room.members[1].connection
        writer = await instance.ready.parts.bus.writer(fast.session, fence=1, floor=0)
        length = await written(writer, fast, "run_1", lambda: len(stopped.outbox or ()) >= MERGE_ABOVE)
        assert stopped.outbox, "the fast one has everything, and it has not"
        assert not stopped.closing
        assert length == len(fast.transcript.messages[0]["content"])
        length = await written(writer, fast, "run_2", lambda: stopped.closing)
        assert len(room.members) == 2, "it has not gone yet"
        assert length == len(fast.transcript.messages[1]["content"])
        gone = await asyncio.to_thread(farewell, slow)
        assert (gone["code"], gone["reason"]) == (1013, "slow")
        await until_async(lambda: len(room.members) == 1, what="its place to be free")
        await writer.aclose()


@pytest.mark.once
async def test_a_stream_that_stops_reading_is_ended_after_its_time(
    instance: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened, "STALL_S", 1.0)
    async with beside_one_who_stopped(instance) as (fast, _, room):
        stopped = room.members[1].connection
        writer = await instance.ready.parts.bus.writer(fast.session, fence=1, floor=0)
        await written(writer, fast, "run_1", lambda: bool(stopped.outbox) or len(room.members) == 1)
        await until_async(lambda: len(room.members) == 1, what="its place to be free")
        await writer.aclose()


@pytest.mark.once
async def test_a_reader_that_dies_is_noticed(instance: Inside) -> None:
    given = await ticket(instance.visitor)
    wire = await request_stream(instance, given["session_id"])
    rooms = instance.web.rooms
    await until_async(lambda: len(rooms) == 1, what="the reader")
    wire.socket.close()
    await until_async(lambda: len(rooms) == 0, what="its end")
    assert rooms.by_session == {}


@pytest.mark.once
async def test_a_leaving_server_tells_streams_and_takes_no_new_ones(serve_each: Any) -> None:
    running: Served = serve_each({"LOOPWIRE_DEMO_DELAY_MS": "2000"})
    visitor = Visitor(running)
    one, late = visitor.ticket(), visitor.ticket()
    async with lines(running.url) as open_line:
        talk = await over_stream(await open_line(one["session_id"], one["ticket"]))
        line: Line = talk.socket  # type: ignore[assignment]
        await talk.say(LONG, "c1")
        await talk.event("TEXT_MESSAGE_CONTENT")
        running.process.send_signal(signal.SIGTERM)
        told = await talk.until(lambda frame: frame.get("type") == "reconnect")
        assert told["after_ms"] > 0
        gone = await talk.until(lambda frame: frame.get("type") == "close")
        assert (gone["code"], line.retry) == (1012, 1000)
        with pytest.raises(EOFError):
            await talk.receive()
        refused = await open_line(late["session_id"], late["ticket"])
        assert refused.response.status_code == 503
        assert int(refused.response.headers["retry-after"]) > 0
        body = json.loads(await refused.response.aread())
        assert (body["type"], body["code"], body["retry"]) == ("error", "unavailable", True)
        posted = await line.post({"type": "typing"})
        assert posted.status_code == 503
    assert running.stop() == 0


@pytest.fixture(scope="module")
def instances(redis_url: str, postgres_server: object) -> Iterator[tuple[Served, Served]]:
    """Yield one instance that executes runs, and one that leaves them to it."""
    with postgres.fresh_database(postgres_server) as database:  # type: ignore[arg-type]
        shared = {"REDIS_URL": redis_url, "DATABASE_URL": database, "LOOPWIRE_SECRET": "one secret for both"}
        shared["LOOPWIRE_DEMO_DELAY_MS"] = "100"
        with (
            served(shared) as first,
            served({**shared, "LOOPWIRE_WORKERS_IN_WEB": "false"}, command="web") as second,
        ):
            yield first, second


async def elsewhere(open_line: Any, talk: Talk, seller: Seller) -> Talk:
    """Open a conversation's stream at another instance."""
    given = await asyncio.to_thread(lambda: seller.ticket(session_id=talk.session))
    return await over_stream(await open_line(talk.session, given["ticket"]))


@pytest.mark.conformance
async def test_a_stream_on_an_instance_that_runs_nothing_shows_everything(
    instances: tuple[Served, Served],
) -> None:
    seller = Seller(instances[0])
    talk = await seller.begin()
    async with lines(instances[1].url) as open_line:
        there = Seller(instances[1], cookie=seller.cookie, sockets=seller.sockets)
        watcher = await elsewhere(open_line, talk, there)
        ack = await watcher.say(LONG, "c1")
        await asyncio.gather(talk.finished(ack["run_id"]), watcher.finished(ack["run_id"]))
        assert seen(talk) == seen(watcher)
        assert (talk.seq, talk.epoch) == (watcher.seq, watcher.epoch)
    await seller.aclose()


async def test_a_post_to_one_instance_stops_a_run_of_the_other(instances: tuple[Served, Served]) -> None:
    seller = Seller(instances[0])
    talk = await seller.begin()
    async with lines(instances[1].url) as open_line:
        there = Seller(instances[1], cookie=seller.cookie, sockets=seller.sockets)
        watcher = await elsewhere(open_line, talk, there)
        ack = await talk.say(LONG, "c1")
        while not watcher.transcript.open_texts:
            await watcher.receive()
        line: Line = watcher.socket  # type: ignore[assignment]
        stopped = await line.post({"type": "cancel", "id": "stop", "message_id": "c1"})
        assert stopped.status_code == 200
        await asyncio.gather(talk.finished(ack["run_id"]), watcher.finished(ack["run_id"]))
        assert seen(talk) == seen(watcher)
        assert talk.transcript.run is not None
        assert talk.transcript.run.outcome == {"type": "cancelled"}
        assert seller.stored() == watcher.transcript.messages
    await seller.aclose()
