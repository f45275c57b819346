"""The rows that a question and its answer leave in the database: those of other conversations do not change them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import select, update

from server.errors import Answered, Expired, NotFound
from server.store import GivenAnswer, Store
from server.store.engine.clock import now_ms
from server.store.runs.interrupt_tables import interrupts
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_interrupts import POINT, RESUME, answer, asks, ends, refused, waits, yes
from tests.contract.store.test_operators import JOIN, SAY, does
from tests.parts.checkpoints import checkpoint_of
from tests.parts.wait import PATIENCE_S

OF_THE_PAGE: dict[str, Any] = {"kind": "tool", "schema": {"type": "string"}, "block_id": None}


async def closed(store: Store) -> dict[str, tuple[str, Any, str | None]]:
    """Return how each question ended, with its answer and the run that brought it; all of them a moment ago."""
    rows = await store.database.fetch(select(interrupts, now_ms().label("now")))
    assert all(0 <= each.now - each.closed_at < PATIENCE_S * 1000 for each in rows)
    return {each.id: (each.status, each.answer, each.answered_by) for each in rows}


async def asked_at(store: Store, times: dict[str, int]) -> None:
    """Let questions have been asked at these times."""
    for name, at in times.items():
        asked = update(interrupts).where(interrupts.c.id == f"int_{name}").values(created_at=at)
        await store.database.execute(asked, {})


async def test_a_question_is_stored_with_how_it_ended(talk: Talk) -> None:
    await asks(talk, waits("a"), waits("b"), waits("late", expires_at=1))
    cancelled = GivenAnswer("cancelled", None, interrupt_id="int_b")
    run = await answer(talk, yes("a"), cancelled)
    assert await talk.store.interrupts.expire(talk.session.id) is not None
    assert await closed(talk.store) == {
        "int_a": ("answered", {"approved": True}, run.run_id),
        "int_b": ("cancelled", None, run.run_id),
        "int_late": ("expired", None, None),
    }


async def test_a_question_that_a_message_closes_is_stored_so(talk: Talk) -> None:
    await asks(talk, waits("a"))
    await talk.say("no")
    assert await closed(talk.store) == {"int_a": ("overridden", None, None)}


async def test_an_answer_that_was_given_in_time_is_not_late_afterwards(talk: Talk) -> None:
    await asks(talk, waits("a"))
    await answer(talk, yes("a"))
    await talk.store.database.execute(update(interrupts).values(expires_at=1), {})
    await refused(Answered, talk, yes("a"), id="y")


async def test_an_answer_to_a_question_without_a_checkpoint_is_expired(talk: Talk) -> None:
    await talk.say("hello")
    await talk.finish(await talk.claim(), outcome="interrupt", interrupts=[waits("a")], resume=None)
    await refused(Expired, talk, yes("a"))
    assert [each.id for each in await talk.store.interrupts.open_in(talk.session.id)] == ["int_a"]
    assert await talk.store.runs.queue(talk.session.id) == []


async def test_an_answer_run_has_the_page_tools_and_its_own_language_and_url(
    talk: Talk,
) -> None:
    tools = [{"name": "where", "description": "", "parameters": {}, "effect": False}]
    await talk.say("hello", tools=tools)
    claim = await talk.claim()
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=RESUME)
    said = {"language": "en", "callback_url": "https://shop.example/hook", "trace_context": "00-1-2-01"}
    run = await talk.store.runs.get((await answer(talk, yes("a"), **said)).run_id)
    assert {name: getattr(run, name) for name in said} == said
    assert (run.tools, run.kind, run.parent_run_id) == (tools, "agent", claim.run.id)


async def test_questions_are_in_the_order_in_which_they_were_asked(talk: Talk) -> None:
    asked = await asks(talk, waits("a"), waits("b"), waits("c"))
    await asked_at(talk.store, {"a": 2, "b": 3, "c": 1})
    for found in (
        await talk.store.interrupts.open_in(talk.session.id),
        await talk.store.interrupts.of_run(asked.run.id),
    ):
        assert [each.id for each in found] == ["int_c", "int_a", "int_b"]


async def test_an_answer_to_a_repeated_call_goes_to_its_last_run(talk: Talk) -> None:
    await asks(talk, waits("a", **OF_THE_PAGE), text="first")
    last = await asks(talk, replace(waits("b", **OF_THE_PAGE), call_id="c_a"), text="second")
    await asked_at(talk.store, {"a": 1})
    run = await answer(talk, GivenAnswer("resolved", "here", call_id="c_a"))
    assert (await talk.store.runs.get(run.run_id)).parent_run_id == last.run.id


async def test_the_sessions_of_what_is_late_are_named_the_longest_late_first(talks: Talks) -> None:
    ids = {}
    for at in (4, 1, 3, 2):
        talk = await talks()
        await asks(talk, waits(f"late{at}", expires_at=at), waits(f"later{at}", expires_at=9))
        ids[at] = talk.session.id
    due = talk.store.interrupts.due
    assert await due() == [ids[1], ids[2], ids[3], ids[4]]
    assert await due([ids[1], ids[3]]) == [ids[2], ids[4]]


async def test_an_operators_message_behind_a_run_leaves_its_question_open(talks: Talks) -> None:
    """A note behind the run is not the next message of the visitor; in other sessions there are such."""
    talk, speaking, joined = [await talks() for _ in range(3)]
    await talk.say("hello")
    claim = await talk.claim()
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await speaking.say("hello")
    await does(joined, JOIN, "j")
    await does(talk, SAY, "o")
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=RESUME)
    assert [each.id for each in await talk.store.interrupts.open_in(talk.session.id)] == ["int_a"]
    assert await checkpoint_of(talk.store, claim.run.id) == RESUME


async def test_open_questions_of_other_sessions_keep_no_checkpoint(talks: Talks) -> None:
    asking, followed, late = [await talks() for _ in range(3)]
    kept = await asks(asking, waits("open"), waits("gone", expires_at=1))
    await followed.say("first")
    claim = await followed.claim()
    await followed.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await followed.say("second")
    await followed.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=RESUME)
    assert await checkpoint_of(followed.store, claim.run.id) is None
    await followed.finish(await followed.claim())
    ended = await asks(late, waits("late", expires_at=1))
    await late.store.interrupts.expire(late.session.id)
    assert await checkpoint_of(late.store, ended.run.id) is None
    open_here = late.store.interrupts.open_in
    assert [await open_here(each.session.id) for each in (followed, late)] == [[], []]
    assert {each.id for each in await open_here(asking.session.id)} == {"int_open", "int_gone"}
    assert await checkpoint_of(asking.store, kept.run.id) == RESUME


async def test_an_answer_is_independent_of_other_sessions_with_equal_ids(
    talks: Talks,
) -> None:
    talk, other = await talks(), await talks()
    await asks(talk, waits("a"))
    await asks(other, waits("late", expires_at=1), waits("b"))
    await other.store.interrupts.expire(other.session.id)
    await ends(other, await other.claim())
    await refused(NotFound, other, yes("a"))
    theirs = await answer(other, yes("b"))
    run = await answer(talk, yes("a"))
    assert (run.dup, theirs.dup) == (False, False)
    assert [each["call_id"] for each in (await talk.store.runs.get(run.run_id)).content] == ["c_a"]
