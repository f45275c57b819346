"""Interrupts over both databases: answered once, by their owner, in time, and never what was not asked."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update

from server.errors import (
    Answered,
    BadFrame,
    Busy,
    Expired,
    IdReused,
    LoopwireError,
    NotFound,
    OverBudget,
    Unauthorized,
)
from server.store import (
    Budget,
    Checkpoint,
    Claim,
    Claimant,
    Finish,
    GivenAnswer,
    Interrupt,
    Misfit,
    Submitted,
)
from server.store.runs.interrupt_tables import interrupts
from tests.contract.store.conftest import Talk
from tests.parts.checkpoints import checkpoint_of

POINT = Checkpoint('{"sdk": 1}', [{"id": "m"}], {"a": 1}, [], "create")
RESUME = Checkpoint('{"sdk": 2}', [], {"a": 1}, [{"type": "function_call"}], "create")
SCHEMA = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}
FAR = 2**52


def waits(name: str, *, expires_at: int = FAR, **changes: Any) -> Interrupt:
    fields = {"kind": "approval", "schema": SCHEMA, "block_id": f"blk_{name}", **changes}
    return Interrupt(
        id=f"int_{name}", call_id=f"c_{name}", tool="give", message="?", expires_at=expires_at, **fields
    )


def yes(name: str) -> GivenAnswer:
    return GivenAnswer("resolved", {"approved": True}, interrupt_id=f"int_{name}")


async def asks(talk: Talk, *asked: Interrupt, text: str = "hello") -> Claim:
    """Return a run that ends waiting."""
    await talk.say(text, f"{text} {talk.session.id}")
    claim = await talk.claim()
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await talk.finish(claim, outcome="interrupt", interrupts=list(asked), resume=RESUME)
    return claim


async def answer(talk: Talk, *given: GivenAnswer, id: str = "x", **more: Any) -> Submitted:
    known = {"session_id": talk.session.id, "principal": talk.session.principal, "language": "pt", **more}
    return await talk.store.interrupts.resume(client_id=id, given=given, **known)


async def refused(error: type[LoopwireError], talk: Talk, *given: GivenAnswer, **more: Any) -> LoopwireError:
    """Return the refusal of an answer."""
    with pytest.raises(error) as caught:
        await answer(talk, *given, **more)
    return caught.value


async def ends(talk: Talk, claim: Claim, **changes: Any) -> None:
    """The end of a run that nobody began by a message."""
    nothing = Finish("success", None, messages=[], state={}, items=[], agent=None)
    await talk.store.runs.finish(claim.run.id, claim.run.fence, replace(nothing, **changes))
    await talk.store.runs.mark_published(claim.run.id, claim.run.fence)


async def test_an_answer_is_a_run_with_the_checkpoint_of_the_one_that_asked(talk: Talk) -> None:
    asked = await asks(talk, waits("a"))
    run = await answer(talk, yes("a"))
    assert await checkpoint_of(talk.store, asked.run.id) is None
    assert await checkpoint_of(talk.store, run.run_id) == RESUME
    claim = await talk.claim()
    assert (claim.run.id, claim.run.parent_run_id, claim.takeover) == (run.run_id, asked.run.id, False)
    assert claim.checkpoint == RESUME
    part = {
        "type": "resume",
        "interrupt_id": "int_a",
        "call_id": "c_a",
        "kind": "approval",
        "block_id": "blk_a",
    }
    assert claim.run.content == [{**part, "status": "resolved", "payload": {"approved": True}}]
    assert await talk.store.interrupts.open_in(talk.session.id) == []
    await ends(talk, claim)
    assert await checkpoint_of(talk.store, run.run_id) is None


async def test_an_idle_session_claims_the_answer_with_it(talk: Talk) -> None:
    await asks(talk, waits("a"))
    run = await answer(talk, yes("a"), claimant=Claimant("me", 10))
    assert run.claim is not None and run.claim.checkpoint == RESUME


async def test_one_of_eight_racing_answers_is_stored(talk: Talk) -> None:
    await asks(talk, waits("a"))
    racing = [answer(talk, yes("a"), id=f"x{n}", claimant=Claimant("me", 10)) for n in range(8)]
    done = await asyncio.gather(*racing, return_exceptions=True)
    assert sorted(type(each).__name__ for each in done) == ["Answered"] * 7 + ["Submitted"]


async def test_the_same_frame_again_is_the_same_run(talk: Talk) -> None:
    await asks(talk, waits("a"), waits("b"))
    first = await answer(talk, yes("a"))
    again = await answer(talk, yes("a"))
    assert again == replace(first, dup=True)
    await refused(IdReused, talk, yes("b"))
    await refused(IdReused, talk, GivenAnswer("cancelled", None, interrupt_id="int_a"))


async def test_a_message_and_an_answer_cannot_share_an_id(talk: Talk) -> None:
    await asks(talk, waits("a"))
    with pytest.raises(IdReused):
        await answer(talk, yes("a"), id=f"hello {talk.session.id}")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([GivenAnswer("resolved", {"approved": True}, interrupt_id="int_forged")], NotFound, ""),
        ([GivenAnswer("resolved", "x", call_id="c_a")], NotFound, ""),
        ([yes("a"), GivenAnswer("resolved", {"approved": True}, interrupt_id="int_forged")], NotFound, ""),
        ([yes("a"), yes("a")], BadFrame, "twice"),
        ([GivenAnswer("resolved", {"approved": "yes"}, interrupt_id="int_a")], Misfit, ""),
        ([GivenAnswer("resolved", None, interrupt_id="int_a")], Misfit, ""),
        ([yes("late")], Expired, ""),
        ([yes("a"), yes("late")], Expired, ""),
    ],
)
async def test_an_answer_that_does_not_fit_is_refused_and_changes_nothing(
    talk: Talk, given: list[GivenAnswer], error: type[Any], words: str
) -> None:
    asked = await asks(talk, waits("a"), waits("late", expires_at=1))
    if error is Misfit:
        with pytest.raises(Misfit):
            await answer(talk, *given)
    else:
        assert words in str(await refused(error, talk, *given))
    assert {each.id for each in await talk.store.interrupts.open_in(talk.session.id)} == {"int_a", "int_late"}
    assert await checkpoint_of(talk.store, asked.run.id) == RESUME
    assert await talk.store.runs.queue(talk.session.id) == []


async def test_answers_to_two_runs_at_once_are_refused(talk: Talk) -> None:
    await asks(talk, waits("a"), text="first")
    await asks(
        talk, waits("b"), text="second"
    )  # The message overrode the first interrupt, so it is opened again by hand.
    reopened = update(interrupts).where(interrupts.c.id == "int_a").values(status="open")
    await talk.store.database.run_write(lambda connection: connection.execute(reopened))
    assert "one run" in str(await refused(BadFrame, talk, yes("a"), yes("b")))
    assert {each.id for each in await talk.store.interrupts.open_in(talk.session.id)} == {"int_a", "int_b"}
    assert await talk.store.runs.queue(talk.session.id) == []


async def test_an_answer_that_is_faster_than_the_question_comes_again(talk: Talk) -> None:
    await talk.say("hello", "h")
    claim = await talk.claim()
    for given in (yes("a"), GivenAnswer("resolved", "x", call_id="c_a")):
        assert 0 < ((await refused(Busy, talk, given)).retry_after or 0) < 1
    await refused(NotFound, talk, yes("a"), principal="bea")
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=RESUME)
    with pytest.raises(NotFound):
        await answer(talk, yes("forged"))
    assert not (await answer(talk, yes("a"))).dup


async def test_an_answer_over_the_budget_stores_nothing_and_may_be_given_another_day(talk: Talk) -> None:
    await talk.say("hello", "h")
    claim = await talk.claim()
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    cost = {"usage": {"model": "m", "totalTokens": 600}}
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=RESUME, **cost)
    with pytest.raises(OverBudget) as caught:
        await answer(talk, yes("a"), budget=Budget(session=600))
    assert 0 < (caught.value.retry_after or 0) <= 24 * 3600
    assert [each.id for each in await talk.store.interrupts.open_in(talk.session.id)] == ["int_a"]
    assert await checkpoint_of(talk.store, claim.run.id) == RESUME
    assert await talk.store.runs.queue(talk.session.id) == []
    run = await answer(talk, yes("a"), budget=Budget(session=601))
    again = await answer(talk, yes("a"), budget=Budget(session=600))
    assert (again.dup, again.run_id) == (True, run.run_id)


async def test_questions_of_a_principal_that_left_expire(talk: Talk) -> None:
    asked = await asks(talk, waits("late", expires_at=1), waits("b"))
    await talk.store.revocations.revoke(talk.session.principal)
    await refused(Unauthorized, talk, yes("b"))
    assert await talk.store.interrupts.expire(talk.session.id) is None
    assert await talk.store.interrupts.due() == []
    assert [each.id for each in await talk.store.interrupts.open_in(talk.session.id)] == ["int_b"]
    assert await checkpoint_of(talk.store, asked.run.id) == RESUME
    assert await talk.store.runs.queue(talk.session.id) == []


async def test_an_answer_of_another_principal_is_not_found(talk: Talk) -> None:
    await asks(talk, waits("a"))
    with pytest.raises(NotFound):
        await answer(talk, yes("a"), principal="bea")


async def test_a_call_of_the_page_is_answered_by_its_call_id(talk: Talk) -> None:
    await asks(talk, waits("a", kind="tool", schema={"type": "string"}, block_id=None))
    run = await answer(talk, GivenAnswer("resolved", "here", call_id="c_a"))
    assert (await talk.store.runs.get(run.run_id)).content[0]["payload"] == "here"


async def test_an_unanswered_question_moves_to_the_run_that_asks_it_again(talk: Talk) -> None:
    asked = await asks(talk, waits("a"), waits("b"))
    await answer(talk, yes("a"))
    assert 0 < ((await refused(Busy, talk, yes("b"), id="y")).retry_after or 0) <= 1
    claim = await talk.claim()
    again = Checkpoint('{"sdk": 3}', [], {}, [], None)
    await ends(talk, claim, outcome="interrupt", interrupts=[waits("b")], resume=again)
    assert await talk.store.interrupts.of_run(claim.run.id) == [waits("b")]
    assert [each.id for each in await talk.store.interrupts.of_run(asked.run.id)] == ["int_a"]
    run = await answer(talk, yes("b"), id="y")
    assert await checkpoint_of(talk.store, run.run_id) == again


async def test_a_question_that_the_next_run_does_not_ask_again_is_closed(talk: Talk) -> None:
    await asks(talk, waits("a"), waits("b"))
    await answer(talk, yes("a"))
    claim = await talk.claim()
    await ends(talk, claim, outcome="error", code="limit")
    await refused(Answered, talk, yes("b"), id="y")


async def test_a_message_overrides_what_is_open(talk: Talk) -> None:
    asked = await asks(talk, waits("a"))
    await talk.say("no, listen")
    assert await talk.store.interrupts.open_in(talk.session.id) == []
    assert await checkpoint_of(talk.store, asked.run.id) is None
    with pytest.raises(Answered):
        await answer(talk, yes("a"))


async def test_a_message_that_waits_already_overrides_what_is_asked_before_it(talk: Talk) -> None:
    await talk.say("first")
    claim = await talk.claim()
    await talk.say("second")
    await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=RESUME)
    assert await talk.store.interrupts.open_in(talk.session.id) == []
    assert await checkpoint_of(talk.store, claim.run.id) is None


async def test_an_expired_question_is_closed_with_a_note(talk: Talk) -> None:
    asked = await asks(talk, waits("late", expires_at=1), waits("b"))
    assert await talk.store.interrupts.due() == [talk.session.id]
    note = await talk.store.interrupts.expire(talk.session.id)
    assert note is not None
    assert await talk.store.interrupts.expire(talk.session.id) is None
    assert await talk.store.interrupts.due() == []
    claim = await talk.claim()
    assert (claim.run.id, claim.run.kind) == (note, "note")
    assert claim.run.client_id.startswith("exp_")
    assert [part["call_id"] for part in claim.run.content] == ["c_late"]
    await refused(Expired, talk, yes("late"))
    await ends(talk, claim)
    assert await checkpoint_of(talk.store, asked.run.id) == RESUME
    run = await answer(talk, yes("b"))
    told = (await talk.store.runs.get(run.run_id)).content
    assert [(part["type"], part["call_id"]) for part in told] == [("resume", "c_b"), ("expired", "c_late")]


async def test_the_checkpoint_is_removed_when_all_questions_have_expired(talk: Talk) -> None:
    asked = await asks(talk, waits("late", expires_at=1))
    await talk.store.interrupts.expire(talk.session.id)
    assert await checkpoint_of(talk.store, asked.run.id) is None
    assert await talk.store.interrupts.expire("ses_none") is None
