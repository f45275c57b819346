"""Slow readers, floods, lost positions and closing: a fault of one client affects no other."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.bus import Bus
from server.http import hardened_socket
from server.protocol import events as ev
from server.protocol.events import Event
from server.rooms.connection import Connection
from server.rooms.outbox import MAX_BYTES, MERGE_ABOVE
from tests.integration.requests.chat_client import body_of
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.long_answer import DELTA, written
from tests.integration.ws.raw import PING, TEXT, Raw, raw
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts.server import Served
from tests.parts.wait import until, until_async

MOST_UNSENT = 256 * 1024
"""The transport takes 64 KiB, and the frame that goes beyond them, which is at most the answer of one burst."""


LARGE = 40_000
PATHS = 40
MOST_SENT = 15
"""Snapshots of 0.8 MB that a page gets which reads only afterwards: the kernel holds 4 MiB, the transport one."""


@pytest.fixture
async def instance(tmp_path: Path, parts: dict[str, str]) -> AsyncIterator[Inside]:
    """Yield a server in this loop, on each column of parts."""
    async with inside(tmp_path, **parts) as running:
        yield running


async def ticket(visitor: Visitor, session: str | None = None) -> dict[str, str]:
    """Get a ticket without standing still, since the server lives in the same loop."""
    body = {"session_id": session} if session else {}
    return await asyncio.to_thread(lambda: visitor.ticket(**body))


async def joined(visitor: Visitor, session: str | None = None, *, html: bool = False) -> Talk:
    given = await ticket(visitor, session)
    return await visitor.open(html=html, hello={"ticket": given["ticket"]})


def rss_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.once
async def test_a_reader_that_stops_gets_merged_deltas_then_1013_and_others_get_all_meanwhile(
    instance: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is not given up while it is looked at: a waiting reader would wait longer than this test does.
    monkeypatch.setattr(hardened_socket, "STALL_S", 600.0)
    fast = await joined(instance.visitor)
    given = await ticket(instance.visitor, fast.session)
    slow = await asyncio.to_thread(lambda: Raw(instance.visitor.served.url, receive_buffer=4096).open())
    try:
        slow.send(slow.frame(TEXT, json.dumps({"type": "hello", "ticket": given["ticket"]}).encode()))
        room = instance.web.rooms.by_session[fast.session]
        await until_async(lambda: len(room.members) == 2)
        stopped = room.members[1].connection
        writer = await instance.ready.parts.bus.writer(fast.session, fence=1, floor=0)

        length = await written(writer, fast, "run_1", lambda: len(stopped.outbox or ()) >= MERGE_ABOVE)
        assert stopped.outbox
        assert not stopped.closing
        assert length == len(fast.transcript.messages[0]["content"])
        frames = slow.frames()
        late = await asyncio.to_thread(lambda: taken_to_the_end(frames))
        assert late.seq == fast.seq
        assert late.transcript.messages == fast.transcript.messages
        assert any("from" in each for each in late.frames)
        assert len(late.frames) < len(fast.frames)
        assert stopped._writer._stall is None, "who reads again is not given up"  # type: ignore[attr-defined]

        length = await written(writer, fast, "run_2", lambda: stopped.closing)
        assert len(room.members) == 2, "it has not gone yet"
        assert length == len(fast.transcript.messages[1]["content"])
        assert await asyncio.to_thread(slow.close_code) == 1013
        await until_async(lambda: len(room.members) == 1, what="the slow reader to be gone")
        await writer.aclose()
    finally:
        slow.socket.close()


def taken_to_the_end(frames: Iterator[tuple[int, bytes]]) -> Talk:
    """Fold what a raw socket gives, without a hole, until a run has ended."""
    talk = Talk(None)  # type: ignore[arg-type]
    while talk.transcript.run is None or talk.transcript.run.status == "running":
        opcode, payload = next(frames)
        if opcode == TEXT:
            talk.take(json.loads(payload))
    return talk


@pytest.mark.once
async def test_a_deep_chat_that_reads_nothing_holds_little_memory_delays_nobody_and_is_closed(
    instance: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened_socket, "STALL_S", 600.0)
    await asyncio.to_thread(instance.visitor.request, "GET", "/v1/sessions")
    given = {"path": "/chat", "Cookie": instance.visitor.cookie}
    deaf = await asyncio.to_thread(
        lambda: Raw(instance.visitor.served.url, receive_buffer=4096).open(**given)
    )
    sockets = instance.web.chat_sockets
    try:
        deaf.send(deaf.frame(TEXT, json.dumps(body_of("quero vender um iPhone 12")).encode()))
        (chat,) = sockets
        await until_async(lambda: chat.answers, what="the message to be stored")
        answer, stopped = chat.answers[0], chat.connection
        fast = await joined(instance.visitor, answer.session.id)
        writer = await instance.ready.parts.bus.writer(fast.session, fence=1, floor=0)
        await writer.publish(ev.run_started(fast.session, answer.run_id))
        held, messages = [0], 0
        while not stopped.closing:
            # A message is told to a Deep Chat when the next one begins; the other reader has each delta at once.
            text = f"msg_{messages}"
            await writer.publish(ev.text_start(text, "assistant"))
            writer.append(ev.text_content(text, DELTA * 20))
            await writer.publish(ev.text_end(text))
            await fast.until(lambda _, least=writer.seq: fast.seq >= least)
            messages += 1
            held.append((stopped.outbox.size if stopped.outbox else 0) + unsent(stopped))
        assert len(fast.transcript.messages) == messages
        assert max(held) <= MAX_BYTES + MOST_UNSENT
        assert stopped.outbox is None, "what waited is dropped"
        assert answer.follower.unread_events < messages, "what is heard is told, whether it is read or not"
        assert await asyncio.to_thread(deaf.close_code) == 1013
        await until_async(lambda: not len(sockets), what="its place to be free")
        await writer.aclose()
    finally:
        deaf.socket.close()


@pytest.mark.conformance
@pytest.mark.once
async def test_a_slow_page_waits_for_one_snapshot_however_often_another_tab_changes_the_path(
    instance: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened_socket, "STALL_S", 600.0)
    fast = await joined(instance.visitor)
    given = await ticket(instance.visitor, fast.session)
    slow = await asyncio.to_thread(
        lambda: Raw(instance.visitor.served.url, receive_buffer=4096).open(protocol="loopwire.v1.html")
    )
    try:
        slow.send(slow.frame(TEXT, json.dumps({"type": "hello", "ticket": given["ticket"]}).encode()))
        room = instance.web.rooms.by_session[fast.session]
        await until_async(lambda: len(room.members) == 2 and room.members[1].live)
        stopped = room.members[1]
        writer = await instance.ready.parts.bus.writer(fast.session, fence=1, floor=0)
        for path in range(PATHS):
            said = [
                {"id": f"msg_{path}_{place}", "role": "user", "content": "x" * LARGE} for place in range(10)
            ]
            await writer.publish(ev.messages_snapshot(said, scope="path"))
            await fast.until(lambda _, least=writer.seq: fast.seq >= least)
            await until_async(lambda least=writer.seq: stopped.live and stopped.seq >= least)
        assert not stopped.connection.closing
        await writer.publish(ev.run_started(fast.session, "run_1"), ev.run_finished(fast.session, "run_1"))
        await fast.finished("run_1")
        frames = slow.frames()
        late = await asyncio.to_thread(lambda: taken_to_the_end(frames))
        assert late.seq == fast.seq
        assert late.transcript.messages == fast.transcript.messages
        got = [each for each in late.frames if each.get("type") == "snapshot"]
        assert len(got) <= MOST_SENT
        await writer.aclose()
    finally:
        slow.socket.close()


def unsent(connection: Connection) -> int:
    """Bytes that the transport of a socket holds."""
    writer: Any = connection._writer
    return int(writer.transport.get_write_buffer_size())


@pytest.mark.once
async def test_a_reader_of_a_fenced_holder_gets_a_snapshot_of_the_log(instance: Inside) -> None:
    plain = await joined(instance.visitor)
    html = await joined(instance.visitor, plain.session, html=True)
    writer = await instance.ready.parts.bus.writer(plain.session, fence=1, floor=0)
    await writer.publish(ev.run_started(plain.session, "run_1"), ev.text_start("msg_1", "assistant"))
    await writer.publish(ev.text_content("msg_1", "from the first holder"))
    await asyncio.gather(plain.event("TEXT_MESSAGE_CONTENT"), html.event("TEXT_MESSAGE_CONTENT"))
    other = Bus(instance.redis_url)
    await other.start()
    try:
        second = await other.writer(plain.session, fence=2, floor=0)
        writer.append(ev.text_content("msg_1", " that nobody will ever see again"))
        for tab in (plain, html):
            await tab.until(lambda frame: frame.get("type") == "snapshot")
        ends: list[Event] = [ev.text_end("msg_1"), ev.run_finished(plain.session, "run_1")]
        await second.publish(ev.text_content("msg_1", " and the second"), *ends)
        await asyncio.gather(plain.event("RUN_FINISHED"), html.event("RUN_FINISHED"))
        texts = {tab.transcript.messages[0]["content"] for tab in (plain, html)}
        assert texts == {"from the first holder and the second"}
        assert plain.epoch == html.epoch == second.cursor.epoch
        await second.aclose()
    finally:
        await other.aclose()
        await writer.aclose()


@pytest.mark.once
async def test_a_join_while_much_is_written_misses_no_event(instance: Inside) -> None:
    first = await joined(instance.visitor)
    writer = await instance.ready.parts.bus.writer(first.session, fence=1, floor=0)
    await writer.publish(ev.run_started(first.session, "run_1"), ev.text_start("msg_1", "assistant"))
    tickets = [await ticket(instance.visitor, first.session) for _ in range(4)]
    opening = [
        asyncio.ensure_future(instance.visitor.open(html=place % 2 == 1, hello={"ticket": each["ticket"]}))
        for place, each in enumerate(tickets)
    ]
    while not all(each.done() for each in opening):
        writer.append(ev.text_content("msg_1", f"{writer.seq} "))
        await asyncio.sleep(0)
    late = [each.result() for each in opening]
    await writer.publish(ev.text_end("msg_1"), ev.run_finished(first.session, "run_1"))
    await asyncio.gather(*(each.event("RUN_FINISHED") for each in (first, *late)))
    assert [each.transcript for each in late] == [first.transcript] * 4
    await writer.aclose()


async def test_a_flood_of_pings_does_not_fill_the_memory(bare: Served) -> None:
    with raw(bare.url) as wire:
        wire.open()
        before = rss_mb(bare.process.pid)
        flood = wire.frame(PING, b"x" * 125) * 500
        wire.socket.settimeout(1)
        try:
            for _ in range(1000):
                wire.send(flood)
        except (TimeoutError, OSError):
            pass
        assert rss_mb(bare.process.pid) - before < 20


async def test_a_flood_of_messages_that_are_refused_at_sight_is_ended(bare: Served) -> None:
    visitor = Visitor(bare)
    talk = await visitor.open()
    for number in range(130):
        await talk.send({"type": "message", "id": f"b{number}", "content": [{"type": "text", "text": " "}]})
    assert await talk.closed() == 4429
    codes = [each["code"] for each in talk.frames if each.get("type") == "error"]
    assert (codes.count("empty"), codes[-1]) == (120, "rate_limited")
    await visitor.aclose()


@pytest.mark.once
async def test_a_leaving_server_tells_all_clients_and_finishes_its_runs(serve_each: object) -> None:
    served: Served = serve_each({"LOOPWIRE_DEMO_DELAY_MS": "50"})  # type: ignore[operator]
    visitor = Visitor(served)
    talks = [await visitor.open()]
    talks += [await visitor.open(session=talks[0].session) for _ in range(4)]
    await talks[0].say("Quero vender um iPhone 13", "c1")
    await talks[0].event("TEXT_MESSAGE_CONTENT")
    served.process.send_signal(signal.SIGTERM)
    codes = await asyncio.gather(*(each.closed() for each in talks))
    assert codes == [1012] * 5
    told = [[frame for frame in each.frames if frame.get("type") == "reconnect"] for each in talks]
    assert all(len(each) == 1 and each[0]["after_ms"] > 0 for each in told)
    assert until(lambda: served.process.poll() is not None, what="the end") is True
    assert served.process.returncode == 0
    await visitor.aclose()
    again: Served = serve_each({"LOOPWIRE_DEMO_DELAY_MS": "0"}, data_dir=served.data_dir)  # type: ignore[operator]
    visitor = Visitor(again, cookie=visitor.cookie)
    back = await visitor.open(session=talks[0].session)
    assert back.transcript.messages[-1]["content"]
    assert "ended" not in back.transcript.messages[-1]["metadata"]["loopwire"]
    assert len([each for each in back.transcript.messages if each["role"] == "user"]) == 1
    await visitor.aclose()


@pytest.mark.conformance
@pytest.mark.once
async def test_a_leaving_server_refuses_newcomers(serve_each: object) -> None:
    served: Served = serve_each({"LOOPWIRE_DEMO_DELAY_MS": "2000"})  # type: ignore[operator]
    visitor = Visitor(served)
    talk = await visitor.open()
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    served.process.send_signal(signal.SIGTERM)
    assert await talk.closed() == 1012
    assert visitor.request("GET", "/readyz").status == 503
    with raw(served.url) as late:
        late.send(late.head())
        assert late.status() == 503
    await visitor.aclose()
    assert served.stop() == 0


@pytest.mark.once
async def test_a_socket_that_cannot_be_brought_up_to_date_is_sent_away_and_comes_back(
    instance: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = await joined(instance.visitor)

    async def broken(_session_id: str) -> None:
        raise RuntimeError("a bug of ours")

    with monkeypatch.context() as patched:
        patched.setattr(instance.ready.parts.runs, "snapshot", broken)
        instance.web.rooms.by_session[talk.session].resync()
        assert await talk.closed() == 1011
    again = await joined(instance.visitor, talk.session)
    assert again.session == talk.session
