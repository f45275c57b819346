"""Stopping a run before, during and after it."""

from __future__ import annotations

import asyncio

from server.store import Stopped
from tests.contract.store.conftest import Talk, Talks


async def test_a_queued_run_is_marked_and_still_claimed_so_that_its_end_is_told(talk: Talk) -> None:
    first = await talk.say("olá")
    assert await talk.store.runs.request_cancel(talk.session.id, client_id="olá") == Stopped(
        first.run_id, "queued"
    )
    (waiting,) = await talk.store.runs.queue(talk.session.id)
    assert waiting.cancel
    claim = await talk.claim()
    assert (claim.run.id, claim.run.cancel) == (first.run_id, True)


async def test_a_running_run_is_told_of_its_cancel_at_the_next_renewal(talk: Talk) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    before = await talk.renew(claim, 10)
    stopped = await talk.store.runs.request_cancel(talk.session.id, run_id=claim.run.id)
    after = await talk.renew(claim, 10)

    assert stopped == Stopped(claim.run.id, "running")
    assert (before.alive, before.cancel, after.alive, after.cancel) == (True, False, True, True)


async def test_a_cancel_does_not_change_a_finished_run(talk: Talk) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    await talk.finish(claim, "bom dia")
    assert await talk.store.runs.request_cancel(talk.session.id, run_id=claim.run.id) == Stopped(
        claim.run.id, "finished"
    )
    run = await talk.store.runs.get(claim.run.id)
    assert (run.cancel, run.outcome) == (False, "success")


async def test_a_run_is_also_named_by_our_id_of_its_message(talk: Talk) -> None:
    said = await talk.say("olá")
    stopped = await talk.store.runs.request_cancel(talk.session.id, client_id=said.message_id)
    assert stopped is not None
    assert stopped.run_id == said.run_id


async def test_a_cancel_without_an_id_stops_the_running_run_or_else_the_next(talk: Talk) -> None:
    first, second = await talk.say("a"), await talk.say("b")
    assert await talk.store.runs.request_cancel(talk.session.id) == Stopped(first.run_id, "queued")
    claim = await talk.claim()
    assert await talk.store.runs.request_cancel(talk.session.id) == Stopped(first.run_id, "running")
    await talk.finish(claim)
    assert await talk.store.runs.request_cancel(talk.session.id) == Stopped(second.run_id, "queued")


async def test_a_cancel_does_not_find_a_run_of_another_session(talks: Talks) -> None:
    one, other = await talks(), await talks()
    theirs = await other.say("olá")
    assert await one.store.runs.request_cancel(one.session.id, run_id=theirs.run_id) is None
    assert await one.store.runs.request_cancel(one.session.id, client_id="olá") is None
    assert await one.store.runs.request_cancel(one.session.id) is None
    assert not (await other.store.runs.get(theirs.run_id)).cancel


async def test_cancel_racing_with_the_claim_is_never_lost(talks: Talks) -> None:
    for _ in range(10):
        talk = await talks()
        said = await talk.say("olá")
        stopped, claim = await asyncio.gather(
            talk.store.runs.request_cancel(talk.session.id, client_id="olá"), talk.store.runs.claim("me", 10)
        )
        claim = claim or await talk.claim()  # A claimer goes past a row that is being written.
        assert claim.run.id == said.run_id
        renewal = await talk.renew(claim, 10)
        assert stopped is not None
        assert renewal.cancel
        await talk.finish(claim)
