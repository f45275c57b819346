"""An operation on one conversation, or on one run of it, changes no row of its neighbours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Table, select
from sqlalchemy.exc import IntegrityError

from server.store import Callback, Claim, Claimant, Store
from server.store.runs.interrupt_tables import interrupts
from server.store.tables import callbacks, checkpoints, messages, runs, sessions, tool_calls, usage
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_interrupts import POINT, RESUME, answer, asks, waits, yes

pytestmark = pytest.mark.parametrize("shared_kind", ["sqlite"], indirect=True, scope="module")

URL = "https://shop.example/hook"
TABLES = (sessions, runs, messages, checkpoints, usage, tool_calls, callbacks, interrupts)


@dataclass
class Scene:
    """A conversation in which everything has happened once: its first run has ended, its second is ours."""

    talk: Talk
    ended: Claim
    claim: Claim
    queued: str
    callback: Callback

    @property
    def store(self) -> Store:
        return self.talk.store

    @property
    def held(self) -> tuple[str, int]:
        """Return the run that is ours, and its fence."""
        return self.claim.run.id, self.claim.run.fence


async def busy(talks: Talks) -> Scene:
    talk = await talks(callback_url=URL)
    await talk.say("a")
    ended = await talk.claim()
    await talk.finish(ended, "re: a")
    callback = await talk.store.callbacks.claim("me", 30)
    assert callback is not None and callback.session_id == talk.session.id
    await talk.say("b")
    claim = await talk.claim(lease_s=300)
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await talk.store.ledger.begin(claim.run.id, "call_1", "give", "once", "hash", f"key {talk.session.id}")
    queued = await talk.say("c")
    return Scene(talk, ended, claim, queued.run_id, callback)


async def rows(talk: Talk) -> dict[str, list[Any]]:
    """Return every row of a conversation, by its table."""
    own = select(runs.c.id).where(runs.c.session_id == talk.session.id)
    found = {}
    async with talk.store.database.read() as connection:
        for table in TABLES:
            found[table.name] = sorted(map(tuple, await connection.execute(_of(table, talk, own))), key=repr)
    return found


def _of(table: Table, talk: Talk, own: Any) -> Any:
    if table is sessions:
        return select(table).where(table.c.id == talk.session.id)
    if "session_id" in table.c:
        return select(table).where(table.c.session_id == talk.session.id)
    return select(table).where(table.c.run_id.in_(own))


async def _finish(scene: Scene) -> None:
    await scene.talk.finish(scene.claim, "re: b", agent="other", title="B", usage={"inputTokens": 7})


async def _tell(scene: Scene) -> None:
    await scene.talk.finish(scene.claim, published=False)
    await scene.store.runs.mark_published(*scene.held)


async def _adopt(scene: Scene) -> None:
    await scene.talk.finish(scene.claim, published=False)
    await scene.store.runs.adopt(*scene.held)


async def _give_up(scene: Scene) -> None:
    await scene.store.callbacks.note_failed(scene.callback, 500, None)


async def _delete(scene: Scene) -> None:
    await scene.store.sessions.delete(scene.talk.session.id, scene.talk.session.principal)


OF_RUN: dict[str, Callable[[Scene], Awaitable[Any]]] = {
    "renew": lambda it: it.talk.renew(it.claim, 900),
    "release": lambda it: it.store.runs.release(*it.held),
    "release uncounted": lambda it: it.store.runs.release(*it.held, counted=False),
    "uncount": lambda it: it.store.runs.uncount(*it.held),
    "checkpoint": lambda it: it.store.runs.checkpoint(*it.held, RESUME),
    "stop": lambda it: it.store.runs.request_cancel(it.talk.session.id, run_id=it.claim.run.id),
    "keep a result": lambda it: it.store.ledger.keep_result(it.claim.run.id, "call_1", {"a": 1}),
    "unknown": lambda it: it.store.ledger.mark_unknown(it.claim.run.id, "call_1"),
    "forget": lambda it: it.store.ledger.forget(it.claim.run.id, "call_1"),
    "tell": _tell,
    "adopt": _adopt,
    "finish": _finish,
}
OF_CONVERSATION: dict[str, Callable[[Scene], Awaitable[Any]]] = {
    **OF_RUN,
    "stop what waits": lambda it: it.store.runs.request_cancel(it.talk.session.id, client_id="c"),
    "stop without a name": lambda it: it.store.runs.request_cancel(it.talk.session.id),
    "deliver": lambda it: it.store.callbacks.note_delivered(it.callback, 204),
    "fail": lambda it: it.store.callbacks.note_failed(it.callback, 500, 60),
    "give up": _give_up,
    "give back": lambda it: it.store.callbacks.release(it.callback),
    "gone": lambda it: it.store.callbacks.forget_address(it.callback),
    "say": lambda it: it.talk.say("d"),
    "title": lambda it: it.store.sessions.title(it.talk.session.id, "A"),
    "language": lambda it: it.store.sessions.set_language(it.talk.session.id, "en"),
    "delete": _delete,
}


@pytest.mark.parametrize("what", OF_CONVERSATION)
async def test_an_operation_on_one_conversation_changes_no_row_of_another(talks: Talks, what: str) -> None:
    scene, neighbour = await busy(talks), await busy(talks)
    before, own = await rows(neighbour.talk), await rows(scene.talk)
    assert all(before[table.name] for table in TABLES if table is not interrupts)
    await OF_CONVERSATION[what](scene)
    assert await rows(neighbour.talk) == before
    assert await rows(scene.talk) != own, "it has done something"


@pytest.mark.parametrize("what", OF_RUN)
async def test_an_operation_on_one_run_changes_no_other_run_of_its_conversation(
    talks: Talks, what: str
) -> None:
    scene = await busy(talks)
    others = [await scene.store.runs.get(each) for each in (scene.ended.run.id, scene.queued)]
    await OF_RUN[what](scene)
    assert [await scene.store.runs.get(each.id) for each in others] == others


async def test_a_replay_makes_only_the_named_failed_callbacks_due(talks: Talks) -> None:
    scene, neighbour = await busy(talks), await busy(talks)
    for each in (scene, neighbour):
        await _give_up(each)
    before = await rows(neighbour.talk)
    assert await scene.store.callbacks.replay([scene.callback.id]) == [scene.callback.id]
    assert await rows(neighbour.talk) == before
    assert await scene.store.callbacks.replay([scene.callback.id]) == []
    assert await scene.store.callbacks.replay(None) == [neighbour.callback.id]
    again = await scene.store.callbacks.claim("me", 30)
    assert again is not None and again.attempt == 1


WAITING: dict[str, Callable[[Talk], Awaitable[Any]]] = {
    "a message": lambda talk: talk.say("no"),
    "an answer": lambda talk: answer(talk, yes(f"a {talk.session.id}")),
    "an answer at once": lambda talk: answer(talk, yes(f"a {talk.session.id}"), claimant=Claimant("me", 10)),
    "its time": lambda talk: talk.store.interrupts.expire(talk.session.id),
}


@pytest.mark.parametrize("what", WAITING)
async def test_the_end_of_a_question_leaves_those_of_other_conversations_open(
    talks: Talks, what: str
) -> None:
    late = {"expires_at": 1} if what == "its time" else {}
    one, other = await talks(), await talks()
    for each in (one, other):
        await asks(each, waits(f"a {each.session.id}", **late))
    before, own = await rows(other), await rows(one)
    assert before["interrupts"] and before["checkpoints"]
    await WAITING[what](one)
    assert await rows(other) == before
    assert await rows(one) != own


async def test_a_run_stands_alone_in_the_queue_or_with_others_behind_it(talks: Talks) -> None:
    """A returning client is let in without the database only where the claim saw that nothing else waits."""
    talk, other = await talks(), await talks("rui")
    await talk.say("a")
    await talk.say("b")
    first = await talk.claim()
    assert not first.alone
    for text in "ab":
        await other.say(text)
    await other.claim()
    await talk.store.revocations.revoke("rui")
    await talk.finish(first)
    second = await talk.claim()
    assert second.alone
    await talk.finish(second)
    await talk.say("c")
    await talk.store.revocations.revoke(talk.session.principal)
    assert not (await talk.claim()).alone


async def test_an_answer_without_a_claimant_tells_of_an_index_that_refuses_it(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asks(talk, waits("a"))
    write, refused = talk.store.database.run_write, []

    async def race(work: Callable[[Any], object]) -> object:
        if not refused:
            refused.append(True)
            raise IntegrityError("INSERT", {}, Exception("one running run"))
        return await write(work)

    monkeypatch.setattr(talk.store.database, "run_write", race)
    with pytest.raises(IntegrityError):
        await answer(talk, yes("a"))
    refused.clear()
    waits_for_its_turn = await answer(talk, yes("a"), claimant=Claimant("me", 10))
    assert waits_for_its_turn.claim is None
