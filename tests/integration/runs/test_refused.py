"""Writes that the store or the log refuses for ever while leases are renewed: the run ends all the same."""

import asyncio
import logging

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call
from sqlalchemy import update

from server.bus import BusDown
from server.errors import Unavailable
from server.runs.execution import lease
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS, MAX_ATTEMPTS
from server.store.tables import runs
from tests.integration.runs.instances import instance, settled
from tests.parts.sampled import later
from tests.parts.wait import PATIENCE_S, until_async

LEASE_S = 3


@pytest.fixture(autouse=True)
def _not_for_a_minute(monkeypatch):
    monkeypatch.setattr(lease, "MOST_RETRY_S", 0.3)


def lost(store, run_id, attempts):
    """Ask whether a run has ended as lost, at this attempt."""

    async def has_ended():
        run = await store.runs.get(run_id)
        return (run.status, run.code, run.attempt) == ("finished", "instance_lost", attempts)

    return has_ended


@pytest.mark.once
async def test_an_end_that_the_store_refuses_for_ever_is_given_up_after_the_most_attempts(
    store, live_url, monkeypatch
):
    finish = store.runs.finish

    async def refusing(run_id, fence, end):
        if end.outcome == "success":
            raise Unavailable
        await finish(run_id, fence, end)

    monkeypatch.setattr(store.runs, "finish", refusing)
    script = ScriptedModel([[assistant_message("Hi.")]] * MAX_ATTEMPTS)
    async with instance(store, live_url, script, lease_s=LEASE_S) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        first = asyncio.ensure_future(here.runs.wait_for_end_here(ack.run_id, PATIENCE_S))
        await until_async(lost(store, ack.run_id, MAX_ATTEMPTS + 1), what="the end")
        assert await first is None, "what is not committed is no end"
        await settled(here, session)
    assert screen.entries[-1].event["code"] == "instance_lost"


@pytest.mark.conformance
@pytest.mark.once
async def test_a_history_that_the_store_refuses_for_ever_ends_its_run(store, live_url, monkeypatch):
    async def refusing(_session):
        raise Unavailable

    async with instance(store, live_url, ScriptedModel([]), lease_s=LEASE_S) as here:
        monkeypatch.setattr(here.runs.snapshots, "conversation", refusing)
        session = await here.session()
        ack = await here.say(session, "hello")
        await until_async(lost(store, ack.run_id, HOPELESS_ATTEMPTS + 1), what="the end")


@pytest.mark.conformance
@pytest.mark.once
async def test_a_run_that_is_to_end_as_lost_does_not_go_round_for_ever_where_its_log_is_not_read(
    store, live_url, monkeypatch
):
    async def refusing(*_args, **_more):
        raise BusDown

    async with instance(store, live_url, ScriptedModel([]), capacity=0) as idle:
        session = await idle.session()
        ack = await idle.say(session, "hello")
    for _ in range(MAX_ATTEMPTS):
        assert await store.runs.claim("doomed", -1) is not None
    async with instance(store, live_url, ScriptedModel([]), lease_s=LEASE_S, capacity=0) as here:
        monkeypatch.setattr(here.bus.reader, "read", refusing)
        here.runs.worker.start(1)
        await until_async(lost(store, ack.run_id, HOPELESS_ATTEMPTS + 1), what="the end")


@pytest.mark.conformance
@pytest.mark.once
async def test_a_run_whose_every_end_is_refused_is_shown_as_failed_harms_nobody_and_ends_when_the_store_is_well(
    store, live_url, monkeypatch, caplog
):
    finish, well = store.runs.finish, asyncio.Event()
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as idle:
        session = await idle.session()
        ack = await idle.say(session, "hello")
    for _ in range(HOPELESS_ATTEMPTS):
        assert await store.runs.claim("doomed", -1) is not None

    async def refusing(run_id, fence, end):
        if run_id == ack.run_id and not well.is_set():
            raise Unavailable
        await finish(run_id, fence, end)

    monkeypatch.setattr(store.runs, "finish", refusing)
    script = ScriptedModel([[assistant_message("Hi.")]] * 2)
    async with instance(store, live_url, script, lease_s=LEASE_S, capacity=0) as here:
        screen = await here.screen(session)
        here.runs.worker.start(1)
        await until_async(lambda: screen.ends() == 1, what="the error to be shown")
        assert (screen.folded.run.status, screen.entries[-1].event["code"]) == ("error", "instance_lost")
        waits = "run waits until its lease expires, a part is unavailable"
        await until_async(lambda: waits in caplog.messages, what="the operator to be told")
        assert await here.runs.late() == {session.id}
        other = await here.session()
        await here.say(other, "hello")
        await settled(here, other)
        await here.say(session, "are you there?")
        again = await here.runs.snapshot(session.id)
        assert again.transcript.messages == screen.folded.messages
        well.set()
        await until_async(lost_at_last(store, ack.run_id), what="the end")
        await settled(here, session, 2)
        assert screen.ends() == 2, "the end that was shown is not told again"
        assert screen.folded.messages == (await store.messages.transcript(session.id)).messages
        assert await here.runs.late() == set()


@pytest.mark.once
@pytest.mark.parametrize("fault", ["of its row", later("of its message")])
async def test_a_lost_run_that_cannot_be_ended_with_its_message_ends_without_and_the_next_one_is_answered(
    store, live_url, monkeypatch, caplog, fault
):
    finish = store.runs.finish
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as idle:
        session = await idle.session()
        ack = await idle.say(session, "hello")
        for _ in range(HOPELESS_ATTEMPTS):
            assert await store.runs.claim("doomed", -1) is not None
        await idle.say(session, "are you there?")

    async def refusing(run_id, fence, end):
        if end.messages and run_id == ack.run_id:
            raise RuntimeError("a bug of ours")
        await finish(run_id, fence, end)

    if fault == "of its message":
        monkeypatch.setattr(store.runs, "finish", refusing)
    else:
        async with store.database.write() as connection:
            await connection.execute(update(runs).where(runs.c.id == ack.run_id).values(content=[{}]))
    script = ScriptedModel([[assistant_message("Yes.")]])
    async with instance(store, live_url, script, lease_s=LEASE_S, capacity=0) as here:
        screen = await here.screen(session)
        here.runs.worker.start(1)
        await until_async(lost(store, ack.run_id, HOPELESS_ATTEMPTS + 1), what="the end, at the first try")
        await settled(here, session)
        await until_async(lambda: screen.ends() == 2, what="both ends")
        stored = (await store.messages.transcript(session.id)).messages
    assert [each["content"] for each in stored] == ["are you there?", "Yes."]
    assert screen.folded.messages == stored
    failed = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert [each.getMessage() for each in failed] == ["a lost run ends without its message"]


def lost_at_last(store, run_id):
    """Ask whether a run has ended as lost, at whatever attempt."""

    async def has_ended():
        run = await store.runs.get(run_id)
        return (run.status, run.code, run.published) == ("finished", "instance_lost", True)

    return has_ended


@pytest.mark.once
@pytest.mark.parametrize("refusals", [later(1), 3])
async def test_a_checkpoint_that_the_store_refuses_a_few_times_costs_the_run_nothing(
    store, live_url, monkeypatch, refusals
):
    monkeypatch.setattr(lease, "MOST_RETRY_S", 60)
    checkpoint, refused = store.runs.checkpoint, []

    async def refusing(*args):
        if len(refused) < refusals:
            refused.append(True)
            raise Unavailable
        await checkpoint(*args)

    monkeypatch.setattr(store.runs, "checkpoint", refusing)
    script = ScriptedModel(
        [[function_call("look", {"word": "a"}, call_id="c1")], [assistant_message("Found A.")]]
    )
    async with instance(store, live_url, script, lease_s=30) as here:
        session = await here.session()
        ack = await here.say(session, "hello")
        await settled(here, session)
        run = await store.runs.get(ack.run_id)
    assert (run.outcome, run.attempt, len(refused)) == ("success", 1, refusals)


@pytest.mark.conformance
@pytest.mark.once
async def test_a_checkpoint_that_the_store_refuses_for_too_long_leaves_the_run_to_the_next_attempt(
    store, live_url, monkeypatch
):
    checkpoint, refused = store.runs.checkpoint, []

    async def refusing(run_id, fence, kept):
        if fence == 1:
            refused.append(True)
            raise Unavailable
        await checkpoint(run_id, fence, kept)

    monkeypatch.setattr(store.runs, "checkpoint", refusing)
    answer = [function_call("look", {"word": "a"}, call_id="c1")], [assistant_message("Found A.")]
    async with instance(store, live_url, ScriptedModel([answer[0], *answer]), lease_s=LEASE_S) as here:
        session = await here.session()
        ack = await here.say(session, "hello")
        await settled(here, session)
        run = await store.runs.get(ack.run_id)
    assert (run.outcome, run.attempt) == ("success", 2)
    assert refused
