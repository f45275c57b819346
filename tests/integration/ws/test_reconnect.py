"""A reconnect inside the window costs the database nothing, and the client gets no outdated event."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import Engine, event

from server.protocol.transcript import Transcript
from server.rooms.revocation_watch import RevocationWatch
from server.rooms.room_renderer import RoomRenderer
from tests.integration.ws.inside import Inside, inside, rested
from tests.integration.ws.visitor import Talk
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

DOCUMENT = Path(__file__).parents[3] / "docs" / "sql.md"
TEXT = "Quero vender um iPhone 13"
TABS = 4
BY_THE_CLOCK = ("AS reached",)
"""The statement that reads how far sessions with readers here are stored. It names all of these sessions."""


def listed() -> list[list[str]]:
    """Return the statements of a reconnect, row by row, as the document has them."""
    rows = DOCUMENT.read_text().partition("| client |")[2].splitlines()[2:5]
    found = [row.split(" | ")[1].removesuffix(" |").split(", ") for row in rows]
    return [[] if each == ["none"] else each for each in found]


class Asked:
    """The statements that name one of these sessions, whatever else the server asks by the clock."""

    def __init__(self) -> None:
        self.about: set[str] = set()
        self.statements: list[str] = []

    def executed(self, _c: Any, _cursor: Any, statement: str, parameters: Any, _x: Any, _m: Any) -> None:
        told = str(parameters)
        by_the_clock = any(each in statement for each in BY_THE_CLOCK)
        if any(each in told for each in self.about) and not by_the_clock:
            self.statements.append(
                re.sub(r"^SELECT\b.*?\bFROM (\w+).*", r"SELECT \1", statement, flags=re.DOTALL)
            )


@pytest.fixture
def asked() -> Iterator[Asked]:
    """Listens to every engine of this process."""
    listening = Asked()
    event.listen(Engine, "before_cursor_execute", listening.executed)
    yield listening
    event.remove(Engine, "before_cursor_execute", listening.executed)


@pytest.fixture
async def here(parts: dict[str, str], tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a quick server."""
    async with inside(tmp_path, capacity=8, **parts) as running:
        yield running


async def opened(here: Inside, **body: Any) -> Talk:
    """Open a socket; the server is in this loop, so nobody may wait for it here."""
    ticket = await asyncio.to_thread(here.visitor.ticket, **body)
    return await here.visitor.open(hello={"ticket": ticket["ticket"]})


async def answered(here: Inside, asked: Asked) -> Talk:
    """Return a conversation with one answer."""
    talk = await opened(here)
    asked.about.add(talk.session)
    await talk.say(TEXT, "c1")
    await talk.finished()
    await rested(here)
    return talk


async def back(here: Inside, left: Talk, *, html: bool = False) -> Talk:
    """Come back with what the last welcome gave."""
    socket = await here.visitor.socket(html=html)
    talk = Talk(socket, transcript=left.transcript, seq=left.seq, epoch=left.epoch)
    position = {"last_seq": left.seq, "epoch": left.epoch}
    await talk.send({"type": "hello", "resume_token": left.welcome["resume_token"], **position})
    return talk


async def shown(talk: Talk) -> list[dict[str, Any]]:
    """Return what the frame of the queue shows, which ends the welcome."""
    return list((await talk.until(lambda frame: frame.get("type") == "queue"))["items"])


async def dropped(*talks: Talk) -> None:
    for talk in talks:
        talk.socket.transport.abort()
        await talk.socket.wait_closed()


@pytest.mark.conformance
async def test_many_simultaneous_reconnects_ask_the_database_nothing(here: Inside, asked: Asked) -> None:
    left = [await answered(here, asked) for _ in range(5)]
    for _ in range(2):  # The second time with the tokens of the first.
        await dropped(*left)
        asked.statements.clear()
        talks = await asyncio.gather(*(back(here, each) for each in left for _ in range(TABS)))
        assert await asyncio.gather(*(shown(each) for each in talks)) == [[]] * len(talks)
        assert all(each.welcome["resumed"] for each in talks)
        assert asked.statements == listed()[0] == []
        left = talks[::TABS]
        await dropped(*talks)


async def test_missed_events_are_delivered_without_the_database(here: Inside, asked: Asked) -> None:
    stays = await answered(here, asked)
    left = await opened(here, session_id=stays.session)
    await dropped(left)
    await stays.say("E um segundo?", "c2")
    await stays.finished()
    await rested(here)
    asked.statements.clear()
    talk = await back(here, left)
    assert await shown(talk) == []
    assert talk.welcome["resumed"]
    assert (talk.seq, talk.transcript) == (stays.seq, stays.transcript)
    assert asked.statements == []


async def test_a_page_with_fragments_asks_for_the_row_of_its_session_alone(
    here: Inside, asked: Asked
) -> None:
    talk = await answered(here, asked)
    await dropped(talk)
    asked.statements.clear()
    again = await back(here, talk, html=True)
    assert await shown(again) == []
    assert again.welcome["resumed"]
    assert asked.statements == listed()[1]


async def test_a_page_that_is_overtaken_during_its_reconnect_is_drawn_anew(
    here: Inside, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    stays = await answered(here, asked)
    left = await opened(here, session_id=stays.session)
    await dropped(left)
    began, may, begun = asyncio.Event(), asyncio.Event(), RoomRenderer.begin

    async def overtaken(self: RoomRenderer) -> Transcript:
        whole = await begun(self)
        began.set()
        await may.wait()
        return whole

    monkeypatch.setattr(RoomRenderer, "begin", overtaken)
    again = await back(here, left, html=True)
    await began.wait()
    await stays.say("E um segundo?", "c2")
    await stays.finished()
    await rested(here)
    may.set()
    await shown(again)
    assert again.welcome["resumed"] is False
    assert (again.seq, again.transcript.messages) == (stays.seq, stays.transcript.messages)


async def test_queued_messages_are_shown_after_a_reconnect(
    parts: dict[str, str], tmp_path: Path, asked: Asked
) -> None:
    async with inside(tmp_path, capacity=8, delay_ms=5000, **parts) as here:
        talk = await opened(here)
        asked.about.add(talk.session)
        await talk.say(TEXT, "c1")
        await talk.event("RUN_STARTED")
        asked.statements.clear()
        again = await back(here, talk)
        assert await shown(again) == []
        # The answer at work may write its first checkpoint meanwhile.
        assert [each for each in asked.statements if not each.startswith("INSERT INTO checkpoints")] == []
        await talk.say("Mais uma coisa", "c2")
        third = await back(here, again)
        assert [each["id"] for each in await shown(third)] == ["c2"]
        await talk.send({"type": "cancel", "id": "s1", "message_id": "c2"})
        await talk.until(lambda frame: frame.get("id") == "s1")
        assert await shown(await back(here, third)) == []


async def test_a_reconnect_asks_the_database_nothing_once_the_queue_is_empty(
    parts: dict[str, str], tmp_path: Path, asked: Asked
) -> None:
    async with inside(tmp_path, capacity=1, delay_ms=50, **parts) as here:  # type: ignore[arg-type]
        one, other = await opened(here), await opened(here)
        for talk in (one, other, one):  # There is room for one run: the second and the third are queued.
            asked.about.add(talk.session)
            await talk.say(TEXT, f"c{len(asked.about)}{len(talk.frames)}")
        await asyncio.gather(one.finished(), other.finished())
        await rested(here)
        await dropped(one, other)
        asked.statements.clear()
        for talk in (one, other):
            again = await back(here, talk)
            assert await shown(again) == []
            assert again.welcome["resumed"]
        assert asked.statements == []


@pytest.mark.conformance
async def test_a_deletion_whose_process_died_right_after_it_admits_no_socket(
    here: Inside, asked: Asked
) -> None:
    talk = await answered(here, asked)
    parts, principal = here.ready.parts, (await here.ready.parts.store.sessions.load(talk.session)).principal
    await parts.bus.idle_proof.withdraw(talk.session)
    await parts.store.sessions.delete(talk.session, principal)
    assert await (await back(here, talk)).closed() == 4404


async def test_a_deleted_conversation_leaves_none_of_its_words_in_redis(here: Inside, asked: Asked) -> None:
    talk = await answered(here, asked)
    with redis.from_url(here.redis_url) as client:
        assert len(list(client.scan_iter(f"*{talk.session}*"))) > 1
        deleting = asyncio.to_thread(here.visitor.request, "DELETE", f"/v1/sessions/{talk.session}")
        assert (await deleting).status == 204
        assert [each.decode() for each in client.scan_iter(f"*{talk.session}*")] == [
            f"lw:doubt:{talk.session}"
        ]


async def test_a_doubt_about_an_uncommitted_change_lets_a_reconnect_succeed(
    here: Inside, asked: Asked
) -> None:
    talk = await answered(here, asked)
    await here.ready.parts.bus.idle_proof.withdraw(talk.session)
    await here.ready.parts.bus.idle_proof.note_waiting(talk.session, "c2")
    asked.statements.clear()
    again = await back(here, talk)
    assert await shown(again) == []
    assert again.welcome["resumed"]
    assert asked.statements == listed()[2]


async def test_a_visitor_who_left_does_not_come_back(here: Inside, asked: Asked) -> None:
    talk = await answered(here, asked)
    parts, principal = here.ready.parts, (await here.ready.parts.store.sessions.load(talk.session)).principal
    await parts.bus.idle_proof.withdraw(principal)
    await parts.store.revocations.revoke(principal)
    assert await (await back(here, talk)).closed() == 4401


async def test_a_deletion_over_the_api_refuses_reconnects_at_once(here: Inside, asked: Asked) -> None:
    one, other = await answered(here, asked), await answered(here, asked)
    deleting = asyncio.to_thread(here.visitor.request, "DELETE", f"/v1/sessions/{one.session}")
    assert (await deleting).status == 204
    assert await (await back(here, one)).closed() == 4404
    assert (await asyncio.to_thread(here.visitor.request, "DELETE", "/v1/visitor")).status == 204
    assert await (await back(here, other)).closed() == 4401


async def test_a_visitor_who_left_is_refused_although_redis_dropped_the_doubt(
    here: Inside, asked: Asked
) -> None:
    talk = await answered(here, asked)
    assert (await asyncio.to_thread(here.visitor.request, "DELETE", "/v1/visitor")).status == 204
    with redis.from_url(here.redis_url) as client:  # As one does that is full, and drops what is not read.
        forgotten = list(client.scan_iter("lw:doubt:*"))
        assert client.delete(*forgotten) == len(forgotten) > 0
    assert await (await back(here, talk)).closed() == 4401


async def test_a_changed_language_is_used_after_a_reconnect(here: Inside, asked: Asked) -> None:
    talk = await answered(here, asked)
    body = {"language": "en"}
    changing = asyncio.to_thread(here.visitor.request, "PATCH", f"/v1/sessions/{talk.session}", body)
    assert (await changing).status == 200
    again = await back(here, talk)
    assert await shown(again) == []
    ack = await again.say("And now?", "c2")
    await again.finished()
    await rested(here)
    run = await here.ready.parts.store.runs.get(ack["run_id"])
    assert run.language == "en"
    once_more = await back(here, again)
    assert await shown(once_more) == []


async def test_a_deletion_that_redis_was_not_told_of_is_found_in_the_database(
    here: Inside, asked: Asked
) -> None:
    talk = await answered(here, asked)
    store, bus = here.ready.parts.store, here.ready.parts.bus
    ended: list[str] = []
    revoking = RevocationWatch([ended.append], store.revocations, bus, ask_s=0.05)
    revoking.start()
    try:
        principal = (await store.sessions.load(talk.session)).principal
        await store.sessions.delete(talk.session, principal)
        await until_async(lambda: talk.session in ended, what="the deletion to be found")

        async def doubted() -> bool:
            return not await bus.idle_proof.holds(talk.session, principal)

        await until_async(doubted, what="the deletion to be told")
    finally:
        await revoking.aclose()
    assert await (await back(here, talk)).closed() == 4404


@pytest.mark.conformance
async def test_a_flush_of_redis_changes_nothing_that_is_seen(here: Inside, asked: Asked) -> None:
    talk = await answered(here, asked)
    before = talk.transcript
    with redis.from_url(here.redis_url) as client:
        client.flushall()
    asked.statements.clear()
    again = await back(here, talk)
    assert await shown(again) == []
    assert (
        asked.statements[0] == "SELECT sessions"
    )  # Whether the run's writer is still here says if it was resumed.
    assert [each["id"] for each in again.transcript.messages] == [each["id"] for each in before.messages]
