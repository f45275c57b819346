"""Faults around one run, which must harm neither it nor the others."""

import asyncio
import logging
import time

import pytest
import redis
from agents.testing import ScriptedModel, assistant_message, function_call
from sqlalchemy import func, select

from server.agents.run.runner import AgentRunner
from server.bus.log.log import log_key, meta_key
from server.errors import Fenced, Unavailable
from server.protocol import events
from server.protocol.transcript import Transcript
from server.runs.execution import lease as lease_module
from server.runs.execution import sweep as sweep_module
from server.runs.execution.ending import give_up_finish
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS
from server.runs.execution.lease import LeaseKeeper
from server.store.engine.database import one
from server.store.tables import blobs
from server.tasks import Tasks
from tests.integration.runs.instances import instance, settled
from tests.parts.wait import until_async
from tests.unit.agents.outlet import run_row

# A stall of the machine is shorter, so that nobody loses a lease who lives.
LEASE_S = 5
EXECUTOR = "server.runs.execution.claim_executor"
MARGIN_S = 20.0


@pytest.mark.once
async def test_a_session_whose_service_is_gone_ends_its_run_and_leaves_room_for_others(
    store, live_url, caplog
):
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]]), capacity=1) as here:
        orphan = await store.sessions.create(app="demo", principal="vis_1", service="gone", language="en")
        screen = await here.screen(orphan)
        await here.say(orphan, "anybody?")
        await until_async(lambda: screen.ends() == 1, what="the orphan's end")
        end = screen.entries[-1].event
        assert (end["type"], end["code"]) == ("RUN_ERROR", "service_gone")
        assert end["message"] == "This kind of conversation is no longer offered here."
        assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
        session = await here.session()
        await here.say(session, "hello")
        await settled(here, session)


@pytest.mark.once
@pytest.mark.parametrize("recent", [True, False])
async def test_a_log_that_is_lost_in_mid_run_begins_again_with_the_run_so_far(
    store, live_url, caplog, recent
):
    """Whether its events are recent, so that the writer has them still, or not."""
    waiting = [assistant_message("Before."), function_call("wait", {"name": "g"}, call_id="c1")]
    async with instance(store, live_url, ScriptedModel([waiting, [assistant_message("After.")]])) as here:
        session = await here.session()
        await here.say(session, "hello")
        await here.bench.entered.get()
        if not recent:
            here.bus.hub.writer(session.id).cursor.recent.clear()
        with redis.Redis.from_url(live_url) as client:
            client.delete(log_key(session.id), meta_key(session.id))
        here.bench.gate("g").set()
        await settled(here, session)
        folded = Transcript.of([], {})
        for each in await here.bus.reader.read(session.id, 0) or []:
            folded.apply(each.event)
        assert folded.messages == (await store.messages.transcript(session.id)).messages
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


@pytest.mark.once
async def test_a_run_ends_although_its_queue_cannot_be_read(store, live_url, monkeypatch):
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as here:
        session = await here.session()
        screen = await here.screen(session)

        async def unreadable(_session_id):
            raise Unavailable

        monkeypatch.setattr(store.runs, "queue", unreadable)
        ack = await here.say(session, "hello")
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert (await store.runs.get(ack.run_id)).attempt == 1
        assert screen.entries[-1].event["type"] == "RUN_FINISHED"


@pytest.mark.once
async def test_a_database_that_is_away_as_a_run_begins_costs_it_time_and_no_attempt(
    store, live_url, monkeypatch
):
    """The lease is long: a run that was left to it would not end while this test waits."""
    read, asked = store.messages.conversation, []

    async def away_at_first(session_id, *limits):
        asked.append(session_id)
        if len(asked) == 1:
            raise Unavailable
        return await read(session_id, *limits)

    async with instance(store, live_url, ScriptedModel([[assistant_message("One.")]]), lease_s=600) as here:
        session = await here.session()
        await here.say(session, "first")
        await settled(here, session)
    monkeypatch.setattr(store.messages, "conversation", away_at_first)
    # Another process: it has to read what the first one left.
    async with instance(
        store, f"{live_url}?db=1", ScriptedModel([[assistant_message("Two.")]]), lease_s=600
    ) as there:
        await there.say(session, "second")
        await settled(there, session, 2)
    assert len(asked) == 2


@pytest.mark.conformance
@pytest.mark.once
async def test_a_run_that_fails_in_our_hands_is_tried_again_when_its_lease_ends_not_at_once(
    store, live_url, monkeypatch
):
    failing = ["once"]
    finish = store.runs.finish

    async def broken(run_id, fence, end):
        if failing:
            failing.pop()
            raise RuntimeError("a bug of ours")
        await finish(run_id, fence, end)

    monkeypatch.setattr(store.runs, "finish", broken)
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("Hi.")]])
    async with instance(store, live_url, script, lease_s=LEASE_S) as here:
        session = await here.session()
        screen = await here.screen(session)
        began = time.monotonic()
        ack = await here.say(session, "hello")
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert time.monotonic() - began > LEASE_S - 0.1
        assert (await store.runs.get(ack.run_id)).attempt == 2


@pytest.mark.once
async def test_a_run_that_meets_a_bug_ends_as_internal_and_the_next_one_is_answered(
    store, live_url, monkeypatch, caplog
):
    answer, failing = AgentRunner.run, ["once"]

    async def broken(runner, run_input, outlet):
        if failing:
            failing.pop()
            raise ZeroDivisionError("a bug of ours")
        return await answer(runner, run_input, outlet)

    monkeypatch.setattr(AgentRunner, "run", broken)
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        await until_async(lambda: screen.ends() == 1, what="the end")
        end = screen.entries[-1].event
        assert (end["type"], end["code"]) == ("RUN_ERROR", "internal")
        assert "bug" not in end["message"]
        run = await store.runs.get(ack.run_id)
        assert (run.outcome, run.code, run.attempt) == ("error", "internal", 1)
        await here.say(session, "again")
        await settled(here, session, 2)
    logged = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert [each.exc_info[0] for each in logged] == [ZeroDivisionError]
    assert [each.name for each in logged] == ["server.runs.execution.execution"]


@pytest.mark.once
async def test_a_bug_in_one_claim_does_not_end_the_claiming(store, live_url, monkeypatch):
    failing = ["once"]
    claim = store.runs.claim

    async def broken(owner, lease_s):
        if failing:
            failing.pop()
            raise RuntimeError("a bug of ours")
        return await claim(owner, lease_s)

    monkeypatch.setattr(store.runs, "claim", broken)
    async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as here:
        session = await here.session()
        await here.say(session, "hello")
        await settled(here, session)
    assert failing == []


@pytest.mark.conformance
@pytest.mark.once
async def test_an_end_that_cannot_be_told_keeps_no_other_from_being_told(store, live_url, monkeypatch):
    """Its session's log is held by a younger fence than the database knows, as after a restored backup."""
    script = ScriptedModel([[assistant_message("One.")], [assistant_message("Two.")]])
    async with instance(store, live_url, script, lease_s=LEASE_S) as here:
        told = store.runs.mark_published
        monkeypatch.setattr(store.runs, "mark_published", nobody)
        first, second = await here.session(), await here.session()
        for each in (first, second):
            ack = await here.say(each, "hello")
            await until_async(is_finished(store, ack.run_id), what="its end")
        await here.bus.writer(first.id, fence=99, floor=0)
        monkeypatch.setattr(store.runs, "mark_published", told)

        async def only_the_first():
            return [each.session_id for each in await store.runs.list_unpublished(0)] == [first.id]

        await until_async(only_the_first, what="the second end to be told")


def is_finished(store, run_id):
    """Ask whether a run is finished."""

    async def finished():
        return (await store.runs.get(run_id)).status == "finished"

    return finished


async def nobody(_run_id, _fence):
    """Die before the end is told."""
    raise Fenced


class Unreachable:
    """A database that answers to nothing, for as long as anybody asks."""

    async def renew(self, held, lease_s):
        await asyncio.Event().wait()


async def test_a_lease_that_cannot_be_renewed_is_lost_before_it_ends(monkeypatch):
    monkeypatch.setattr(lease_module, "MARGIN_S", MARGIN_S)
    seconds = MARGIN_S + 0.3
    keeper = LeaseKeeper(Unreachable(), seconds)
    tasks = Tasks()
    began = time.monotonic()
    leases = []

    async def work():
        leases.append(keeper.keep(run_row([]), began))
        await asyncio.Event().wait()

    working = tasks.spawn(work(), name="work")
    tasks.spawn(keeper.run(), name="keep")
    try:
        await asyncio.wait({working})
        assert working.cancelled()
        assert leases[0].lost
        assert time.monotonic() - began < seconds - MARGIN_S / 2
    finally:
        await tasks.aclose()


@pytest.mark.once
async def test_an_execution_that_is_cancelled_for_its_lost_lease_is_logged_as_fenced(store, live_url, caplog):
    caplog.set_level(logging.DEBUG, EXECUTOR)
    waiting = [function_call("wait", {"name": "never"}, call_id="c1")]
    async with instance(store, live_url, ScriptedModel([waiting]), lease_s=LEASE_S, capacity=1) as here:
        ack = await here.say(await here.session(), "hello")
        await here.bench.entered.get()
        run = await store.runs.get(ack.run_id)
        await store.runs.release(run.id, run.fence, counted=False)  # This instance has no slot for it.
        taken = await store.runs.claim("other", 60)
        assert taken is not None and taken.run.id == run.id
        await until_async(here.runs.worker.slots.idle.is_set, what="the execution to end")
    lines = [each for each in caplog.records if getattr(each, "run_id", None) == run.id]
    left = [(each.levelname, each.msg) for each in lines if each.name == EXECUTOR]
    lost = ("WARNING", "lease lost, the run is left to another instance")
    assert left == [("DEBUG", "run started"), lost, ("DEBUG", "execution ended")]


@pytest.mark.once
async def test_an_execution_whose_process_leaves_is_not_logged_as_fenced(store, live_url, caplog):
    caplog.set_level(logging.DEBUG, EXECUTOR)
    waiting = [function_call("wait", {"name": "never"}, call_id="c1")]
    async with instance(store, live_url, ScriptedModel([waiting]), lease_s=60) as here:
        ack = await here.say(await here.session(), "hello")
        await here.bench.entered.get()
        (executing,) = [each for each in asyncio.all_tasks() if each.get_name() == f"run {ack.run_id}"]
        await here.runs.worker.aclose(drain_s=0)
    assert executing.cancelled(), "no end of it is to be had here"
    lines = [each for each in caplog.records if getattr(each, "run_id", None) == ack.run_id]
    left = [each.msg for each in lines if each.name == EXECUTOR]
    assert left == ["run started", "execution ended"]


@pytest.mark.once
async def test_a_run_that_has_just_ended_is_not_taken_for_a_lost_one(store, live_url):
    """Leases are renewed while an end is committed; who tells it must not be stopped by that."""
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        await here.say(session, "hello")
    claim = await store.runs.claim("me", 60)
    renewed = asyncio.Event()

    class Watched:
        async def renew(self, held, lease_s):
            answer = await store.runs.renew(held, lease_s)
            assert not answer[claim.run.id].alive
            renewed.set()
            return answer

    keeper, tasks = LeaseKeeper(Watched(), 3 * lease_module.MARGIN_S), Tasks()

    async def work():
        lease = keeper.keep(claim.run, claim.asked)
        finish = give_up_finish(claim)
        await lease.finish(lambda: store.runs.finish(claim.run.id, claim.run.fence, finish))
        tasks.spawn(keeper.run(), name="keep")
        await renewed.wait()
        await lease.retry_while_held(lambda: store.runs.mark_published(claim.run.id, claim.run.fence))
        return lease.lost

    try:
        assert await tasks.spawn(work(), name="work") is False
    finally:
        await tasks.aclose()


@pytest.mark.once
async def test_the_cursor_of_a_snapshot_stands_where_what_is_shown_begins(store, live_url):
    """An open message is never cut off, so more than the last fifty may be shown."""
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        assert (await here.runs.snapshot(session.id)).before is None
        writer = await here.bus.writer(session.id, fence=1, floor=0)
        told = [events.run_started(session.id, "run_1")]
        for number in range(60):
            told += [events.text_start(f"m{number}", "assistant"), events.text_content(f"m{number}", "x")]
            told += [events.text_end(f"m{number}")] if number != 5 else []
        await writer.publish(*told)
        assert (await here.runs.snapshot(session.id)).before == "m5"
        await writer.publish(events.text_end("m5"))
        assert (await here.runs.snapshot(session.id)).before == "m10"
        await writer.aclose()


@pytest.mark.once
async def test_a_run_that_cannot_even_be_ended_is_given_up_and_the_next_one_runs(store, live_url):
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script, lease_s=LEASE_S, capacity=0) as idle:
        session = await idle.session()
        await idle.say(session, "first")
        for _ in range(HOPELESS_ATTEMPTS):
            assert await store.runs.claim("doomed", -1) is not None
        await idle.say(session, "second")
        screen = await idle.screen(session)
        async with instance(store, live_url, script, lease_s=LEASE_S):
            await until_async(lambda: screen.ends() == 2, what="both ends")
            await settled(idle, session, 2)
    ends = [entry.event for entry in screen.entries if entry.event["type"] in {"RUN_ERROR", "RUN_FINISHED"}]
    assert [end.get("code") for end in ends] == ["instance_lost", None]
    assert screen.folded.messages == (await store.messages.transcript(session.id)).messages


@pytest.mark.once
async def test_files_that_have_expired_are_removed_by_the_sweeper(store, live_url, monkeypatch):
    monkeypatch.setattr(sweep_module, "SWEEP_S", 0.01)
    kept = await store.blobs.put(principal="ana", media_type="image/webp", data=b"kept", keep_s=600)
    await store.blobs.put(principal="ana", media_type="image/webp", data=b"gone", keep_s=-1)
    everything = select(func.count()).select_from(blobs)

    async def swept():
        async with store.database.read() as connection:
            return (await one(connection, everything))[0] == 1

    async with instance(store, live_url, ScriptedModel([])):
        await until_async(swept, what="the expired file to be removed")
    assert await store.blobs.get(kept.id, "ana") == kept
