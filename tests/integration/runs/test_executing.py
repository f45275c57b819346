"""One execution of a claim: what it counts, what it holds, what it leaves behind, and when the next one begins."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
import weakref
from typing import Any

import pytest
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from agents.usage import Usage

from server import log as logs
from server.agents.run.runner import AgentRunner
from server.errors import Unavailable
from server.metrics import REGISTRY
from server.pacing import Pace
from server.protocol.commands import Cancel
from server.runs import crash_points
from server.runs import worker as worker_module
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS
from server.runs.execution.lease import Lease
from server.store import UnstoredSession
from server.store.seal import Seal
from server.tracing.trace_context import take_stored
from tests.integration.runs.asking import Asked, Asking, yes
from tests.integration.runs.instances import instance, rested, settled
from tests.integration.runs.test_commands import Requests
from tests.parts.wait import PATIENCE_S, until_async
from tests.unit.agents.teams import Bench

LEASE_S = 3
pytestmark = pytest.mark.once
WAIT = [function_call("wait", {"name": "g"}, call_id="c1")]


@pytest.fixture
def rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process look for what is due only when it is told to."""
    monkeypatch.setattr(worker_module, "POLL_S", 600.0)


@pytest.mark.usefixtures("rarely")
async def test_a_waiting_run_is_claimed_as_soon_as_the_run_before_it_ends(store, live_url):
    script = ScriptedModel([WAIT, *([assistant_message(each)] for each in ("one", "two", "three"))])
    async with instance(store, live_url, script, capacity=2) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "first")
        await here.bench.entered.get()
        await here.say(session, "second")
        await here.say(session, "third")
        here.bench.gate("g").set()
        await until_async(lambda: screen.ends() == 3, what="the three ends")
        await rested(here)


@pytest.mark.usefixtures("rarely")
async def test_a_run_that_another_process_takes_in_is_claimed_at_its_signal(store, live_url):
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with (
        instance(store, live_url, script, capacity=0) as web,
        instance(store, live_url, script) as worker,
    ):
        await until_async(worker.knows_workers, what="the worker to be known")
        session = await web.session()
        screen = await web.screen(session)
        await web.say(session, "hello")
        await until_async(lambda: screen.ends() == 1, what="the end")
        await rested(worker)


@pytest.mark.usefixtures("rarely")
async def test_a_run_that_its_process_gives_back_is_claimed_by_another_at_once(store, live_url, caplog):
    """Nobody waits for its lease, which is long, and the attempt that was cut short does not count."""
    script = ScriptedModel([WAIT, [assistant_message("Hi.")]])
    async with instance(store, live_url, script, lease_s=600) as staying:
        await staying.runs.worker.aclose(drain_s=0)
        async with instance(store, live_url, script, lease_s=600) as leaving:
            session = await leaving.session()
            screen = await staying.screen(session)
            ack = await leaving.say(session, "hello")
            await leaving.bench.entered.get()
            await leaving.runs.worker.aclose(drain_s=0)
            async with instance(store, live_url, script, lease_s=600) as other:
                await until_async(lambda: screen.ends() == 1, what="the end")
                await settled(other, session)
        assert screen.resyncs == 0, "the log of a run that goes on elsewhere is kept"
    run = await store.runs.get(ack.run_id)
    assert (run.outcome, run.attempt) == ("success", 1)
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_an_ended_run_leaves_no_lease_task_or_execution(store, live_url, monkeypatch):
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script) as here:
        executor, executed = here.runs.worker.executor, []
        prepare = executor.prepare

        def prepared(*args: Any, **more: Any) -> Any:
            execution = prepare(*args, **more)
            executed.append(weakref.ref(execution))
            return execution

        monkeypatch.setattr(executor, "prepare", prepared)
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        await rested(here)
        assert len(executor.keeper) == 0

        def is_gone() -> bool:
            gc.collect()
            return [each() for each in executed] == [None]

        await until_async(is_gone, what="the execution to be forgotten")
        assert len(here.runs.worker.tasks) == 0
        assert await here.runs.wait_for_end_here(ack.run_id, 0) is None
        assert here.bus.hub.writer(session.id) is None
        assert (screen.ends(), screen.resyncs) == (1, 0)


async def test_a_run_knows_the_place_of_its_events_in_the_log(store, live_url):
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("Well.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        for text in ("hello", "how are you?"):
            before = time.time()
            ack = await here.say(session, text)
            await rested(here)
            run = await store.runs.get(ack.run_id)
            seqs = {each.event["type"]: each.seq for each in screen.entries}
            times = {each.event["type"]: each.event.get("timestamp") for each in screen.entries}
            for kind in ("RUN_STARTED", "RUN_FINISHED"):
                assert 1000 * (before - 1) <= times[kind] <= 1000 * (time.time() + 1)
            assert run.first_seq == seqs["RUN_STARTED"]
            # What is stored reaches to before the end, which is published after the commit.
            assert (await store.sessions.load(session.id)).last_seq == seqs["RUN_FINISHED"] - 1


async def test_a_queue_that_is_slow_to_read_is_shown_all_the_same(store, live_url, monkeypatch):
    read, asked, gate = store.runs.queue, asyncio.Event(), asyncio.Event()

    async def slow(session_id: str) -> Any:
        asked.set()
        await gate.wait()
        return await read(session_id)

    script = ScriptedModel([[assistant_message("Hi.")]])
    async with (
        instance(store, live_url, script, capacity=0) as web,
        instance(store, live_url, script) as worker,
    ):
        session = await worker.session()
        screen = await worker.screen(session)
        await web.say(session, "hello")
        monkeypatch.setattr(store.runs, "queue", slow)
        await asked.wait()
        await until_async(lambda: screen.ends() == 1, what="the end")
        before = len(screen.frames)
        gate.set()
        await until_async(lambda: len(screen.frames) > before, what="the queue")
        await rested(worker)


async def test_the_queue_is_known_without_the_database_when_no_other_run_waits(store, live_url, monkeypatch):
    script = ScriptedModel([WAIT, [assistant_message("one")], WAIT, [assistant_message("two")]])
    async with instance(store, live_url, script) as here:
        alone, busy = await here.session(), await here.session()
        await here.say(alone, "hello")
        await here.bench.entered.get()
        here.bench.gate("g").set()
        await rested(here)
        read, asked = store.runs.queue, []

        async def reading(session_id: str) -> Any:
            asked.append(session_id)
            return await read(session_id)

        monkeypatch.setattr(store.runs, "queue", reading)
        assert (await here.runs.queue(alone.id)).items == []
        assert asked == []
        here.bench.gate("g").clear()
        await here.say(busy, "first")
        await here.bench.entered.get()
        await here.say(busy, "second")
        assert [each.text for each in (await here.runs.queue(busy.id)).items] == ["second"]
        await here.runs.worker.aclose(drain_s=0)


async def test_the_last_waiting_run_is_shown_while_the_one_before_it_is_answered(store, live_url):
    """The run that is claimed from the queue was not alone in it."""
    script = ScriptedModel(
        [WAIT, [assistant_message("one")], [function_call("wait", {"name": "h"}, call_id="c2")]]
    )
    async with instance(store, live_url, script) as here:
        session = await here.session()
        for text in ("first", "second", "third"):
            await here.say(session, text)
        await here.bench.entered.get()
        here.bench.gate("g").set()
        assert await here.bench.entered.get() == "h"
        assert [each.text for each in (await here.runs.queue(session.id)).items] == ["third"]
        await here.runs.worker.aclose(drain_s=0)


async def test_a_deleted_conversation_stops_its_own_runs_and_no_others(store, live_url):
    script = ScriptedModel([WAIT, WAIT, [assistant_message("Still here.")]])
    async with instance(store, live_url, script, lease_s=600) as here:
        gone, other = await here.session(), await here.session()
        screen = await here.screen(other)
        for each in (gone, other):
            await here.say(each, "hello")
            await here.bench.entered.get()
        await store.sessions.delete(gone.id, gone.principal)
        await here.bus.signals.revoke(gone.id)
        await until_async(lambda: here.bench.working == 1, what="one run to be stopped")
        here.bench.gate("g").set()
        await until_async(lambda: screen.ends() == 1, what="the end of the other")
        assert screen.entries[-1].event["outcome"] == {"type": "success"}
        await rested(here)


@pytest.mark.conformance
async def test_an_attempt_that_asked_its_agents_counts_though_a_part_was_away(store, live_url, monkeypatch):
    answer, refused = AgentRunner.run, []

    async def away(*args: Any) -> Any:
        if not refused:
            refused.append(True)
            raise Unavailable
        return await answer(*args)

    monkeypatch.setattr(AgentRunner, "run", away)
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script, lease_s=LEASE_S) as here:
        session = await here.session()
        ack = await here.say(session, "hello")
        await settled(here, session)
        run = await store.runs.get(ack.run_id)
    assert (refused, run.outcome, run.attempt) == ([True], "success", 2)


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_an_end_is_counted_and_logged_with_what_it_cost(store, live_url, caplog):
    caplog.set_level(logging.INFO, "server.runs")
    usage = Usage(requests=1, input_tokens=50, output_tokens=10, total_tokens=60)
    script = ScriptedModel([ModelStep(output=[assistant_message("Hi.")], usage=usage)])
    ends = {"service": "test", "outcome": "success", "code": ""}
    before = counted("loopwire_runs_total", **ends), counted("loopwire_run_seconds_count", service="test")
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        await rested(here)
        end = screen.entries[-1].event
        assert (end["threadId"], end["runId"]) == (session.id, ack.run_id)
        assert end["usage"][0]["inputTokens"] == 50
    after = counted("loopwire_runs_total", **ends), counted("loopwire_run_seconds_count", service="test")
    assert after == (before[0] + 1, before[1] + 1)
    (line,) = [each for each in caplog.records if each.getMessage() == "run ended"]
    about: Any = line
    assert (about.session_id, about.run_id) == (session.id, ack.run_id)
    ms = about.fields.pop("ms")
    assert isinstance(ms, int) and 0 <= ms < 600_000
    assert about.fields == {
        "service": "test",
        "app": "demo",
        "outcome": "success",
        "attempt": 1,
        "tokens": 60,
        "model": "demo",
        "cost": 0.0,
        "currency": "USD",
    }


async def test_a_request_that_was_sealed_with_another_secret_ends_as_lost_and_asks_nobody(store, live_url):
    script = ScriptedModel([])
    async with instance(store, live_url, script, capacity=0) as here:
        session = await here.session()
        run_id = await here.runs.submit_request(
            session,
            "r1",
            content=[{"type": "input", "data": {"a": 1}, "text": "a request"}],
            language="en",
            callback_url=None,
            private=True,
        )
        screen = await here.screen(session)
        store.seal = Seal(b"another secret of thirty-two bytes")
        here.runs.worker.start(1)
        await until_async(lambda: screen.ends() == 1, what="the end")
        assert screen.entries[-1].event["code"] == "instance_lost"
        await rested(here)
    run = await store.runs.get(run_id)
    assert (run.outcome, run.code, run.attempt, script.calls) == ("error", "instance_lost", 1, ())


@pytest.mark.parametrize("trace_id", ["0af7651916cd43dd8448eb211c80319c", None])
async def test_a_run_belongs_to_the_trace_of_its_input_in_its_lines_and_for_its_callback(
    store, live_url, trace_id
):
    trace = f"00-{trace_id}-b7ad6b7169203331-01" if trace_id else None
    during: list[str | None] = []

    def answer(asked: Any) -> list[Any]:
        during.append(logs.trace_id.get())
        return WAIT if len(during) == 1 else [assistant_message("Hi.")]

    script = ScriptedModel([ModelStep.respond(answer), ModelStep.respond(answer)])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        take_stored(trace or "")
        ack = await here.say(session, "hello")
        take_stored("")
        await here.bench.entered.get()
        ended = asyncio.ensure_future(here.runs.wait_for_end_here(ack.run_id, PATIENCE_S))
        await asyncio.sleep(0)
        here.bench.gate("g").set()
        finish = await ended
        await rested(here)
    assert during == [trace_id] * 2
    assert finish is not None
    assert finish.trace_context == trace


class Counting(Pace):
    """Counts what it paces."""

    def __init__(self) -> None:
        super().__init__()
        self.paced = 0

    def run(self, coro: Any) -> Any:
        """Pace it."""
        self.paced += 1
        return super().run(coro)


@pytest.mark.parametrize(("bench", "paced"), [(Requests(), 1), (Bench(), 0)], ids=["request", "message"])
async def test_a_request_is_paced_and_what_streams_to_people_is_not(store, live_url, bench, paced):
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script, bench=bench) as here:
        here.runs.worker.executor.pace = Counting()
        session = await here.session()
        content = [{"type": "text", "text": "hello"}]
        await here.runs.submit_request(
            session, "r1", content=content, language="en", callback_url=None, private=False
        )
        await rested(here)
        assert here.runs.worker.executor.pace.paced == paced


async def test_a_request_of_a_new_conversation_is_stored_with_it(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        new = UnstoredSession("ses_new", "demo", "vis_1", "test", "en", {"page": "/a"})
        content = [{"type": "text", "text": "hello"}]
        run_id = await here.runs.submit_request(
            new, "r1", content=content, language="en", callback_url=None, private=False
        )
        stored = await store.sessions.load("ses_new")
        run = await store.runs.get(run_id)
    assert (stored.principal, stored.service, stored.context) == ("vis_1", "test", {"page": "/a"})
    assert (run.session_id, run.content) == ("ses_new", content)


async def test_an_input_that_will_wait_is_told_to_readers_before_it_is_stored_and_once_more_after(
    store, live_url, monkeypatch
):
    """The process may die between the two, and Redis may have lost the first."""
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        order: list[Any] = []
        note, submit = here.bus.idle_proof.note_waiting, store.runs.submit

        async def noting(*about: str) -> None:
            order.append(about)
            await note(*about)

        async def submitting(**given: Any) -> Any:
            order.append("stored")
            assert "submit" in names()
            return await submit(**given)

        monkeypatch.setattr(here.bus.idle_proof, "note_waiting", noting)
        monkeypatch.setattr(store.runs, "submit", submitting)
        session = await here.session()
        await here.say(session, "hello", "m1")
        assert order == [(session.id, "m1"), "stored", (session.id, "m1")]


async def test_a_run_passes_the_places_at_which_a_process_may_die_in_their_order(
    store, live_url, monkeypatch
):
    passed: list[str] = []
    reached: dict[str, int] = {}
    order = [
        crash_points.BEFORE_SUBMIT,
        crash_points.AFTER_SUBMIT,
        crash_points.BEFORE_FINISH,
        "finished",
        crash_points.AFTER_FINISH,
        crash_points.AFTER_APPEND,
        "published",
        crash_points.AFTER_PUBLISHED,
    ]

    def point(place: str) -> None:
        if place in order:
            passed.append(place)
            writer = here.bus.hub.writer(talk.session.id)
            reached[place] = writer.cursor.acked if writer is not None else 0

    give = function_call("give", {"what": "bread"}, call_id="c1")
    script = ScriptedModel([[give], [assistant_message("Here.")]])
    async with instance(store, live_url, script, point=point, bench=Asking()) as here:
        monkeypatch.setattr(store.runs, "finish", noted(passed, "finished", store.runs.finish))
        monkeypatch.setattr(
            store.runs, "mark_published", noted(passed, "published", store.runs.mark_published)
        )
        talk = await Asked.of(here)
        await talk.say("hello")
        await rested(here)
        assert passed == order
        assert reached[crash_points.AFTER_APPEND] == reached[crash_points.AFTER_FINISH] + 1, "the end"
        passed.clear()
        (waits,) = await talk.open()
        await talk.answer(yes(waits))
        await rested(here)
        assert passed == order


def noted(order: list[str], name: str, action: Any) -> Any:
    """Return an action that is noted once it has succeeded."""

    async def act(*args: Any) -> None:
        await action(*args)
        order.append(name)

    return act


def names() -> set[str]:
    """Return the names of the tasks of this process, by which its log and a debugger tell them apart."""
    return {each.get_name() for each in asyncio.all_tasks()}


async def test_a_process_that_leaves_claims_and_sweeps_no_more_and_keeps_its_leases_to_the_end(
    store, live_url, monkeypatch
):
    monkeypatch.setattr(worker_module, "POLL_S", 600.0)
    retire, release = (asyncio.Event(), asyncio.Event()), (asyncio.Event(), asyncio.Event())
    script = ScriptedModel([WAIT])
    async with instance(store, live_url, script) as here:
        monkeypatch.setattr(here.bus.signals, "retire", slowly(here.bus.signals.retire, *retire))
        monkeypatch.setattr(store.runs, "release", slowly(store.runs.release, *release))
        ack = await here.say(await here.session(), "hello")
        await here.bench.entered.get()
        working = {f"run {ack.run_id}", "runs claim", "runs sweep", "runs keep"}
        assert working <= names()
        assert here.runs.worker.claimant() is not None
        leaving = asyncio.ensure_future(here.runs.worker.aclose(drain_s=0.2))
        await retire[0].wait()
        assert here.runs.worker.claimant() is None, "nothing is taken while the others are told"
        retire[1].set()
        await until_async(lambda: not {"runs claim", "runs sweep"} & names(), what="the claiming to end")
        assert {f"run {ack.run_id}", "runs keep"} <= names()
        await release[0].wait()
        assert {f"run {ack.run_id}", "runs keep"} <= names(), "it still holds its lease"
        release[1].set()
        await leaving
        assert not working & names()


def slowly(action: Any, asked: asyncio.Event, gate: asyncio.Event) -> Any:
    """Return an action that says when it was asked for, and waits for a gate."""

    async def act(*args: Any, **more: Any) -> Any:
        asked.set()
        await gate.wait()
        return await action(*args, **more)

    return act


async def test_a_cancel_stops_the_newer_of_two_executions_of_one_run(store, live_url, caplog):
    """Its earlier execution ends later, and takes nothing of the new one with it."""
    caplog.set_level(logging.INFO)
    calls = [[function_call("wait", {"name": name}, call_id="c1")] for name in ("a", "b")]
    async with instance(store, live_url, ScriptedModel(calls), lease_s=600, capacity=2) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        assert await here.bench.entered.get() == "a"
        run = await store.runs.get(ack.run_id)
        await store.runs.release(run.id, run.fence, counted=False)
        await here.bus.signals.wake()
        assert await here.bench.entered.get() == "b"
        here.bench.gate("a").set()
        lost = "lease lost, the run is left to another instance"
        await until_async(lambda: lost in caplog.messages, what="the end of the first execution")
        await until_async(lambda: len(here.runs.worker.tasks) == 1, what="the second one alone")
        assert len(here.runs.worker.executor.keeper) == 1
        await here.runs.cancel(session, Cancel(type="cancel", id="x", run_id=run.id))
        await until_async(lambda: screen.ends() == 1, what="the stop")
        assert screen.entries[-1].event["outcome"] == {"type": "cancelled"}
        await rested(here)


async def test_a_lost_lease_lets_the_log_go_and_its_readers_look_again(store, live_url, monkeypatch):
    """The next holder may have the log by now."""
    async with instance(store, live_url, ScriptedModel([WAIT]), capacity=0) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "hello")
        claim = await store.runs.claim("me", 600)
        assert claim is not None
        monkeypatch.setattr(store.runs, "queue", slowly(store.runs.queue, asyncio.Event(), asyncio.Event()))
        leases: list[Lease] = []

        async def execute() -> None:
            leases.append(Lease(claim.run, time.monotonic() + 600, asyncio.current_task()))
            await here.runs.worker.executor.prepare(claim, leases[0], queued=True).execute()

        executing = asyncio.ensure_future(execute())
        await here.bench.entered.get()
        await until_async(lambda: "TOOL_CALL_END" in screen.types(), what="the call")
        assert here.bus.hub.writer(session.id) is not None
        assert f"open {claim.run.id}" in names(), "the queue is being read"
        leases[0].lose()
        with pytest.raises(asyncio.CancelledError):
            await executing
        assert here.bus.hub.writer(session.id) is None
        assert f"open {claim.run.id}" not in names()
        assert screen.resyncs == 1, "what was shown here may not be what the log has"


@pytest.mark.parametrize("refused", [None, "charge", "uncount"])
async def test_a_run_that_nothing_was_shown_of_leaves_no_error_behind(
    store, live_url, monkeypatch, caplog, refused: str | None
):
    async def away(*_: Any, **_more: Any) -> Any:
        raise Unavailable

    async with instance(store, live_url, ScriptedModel([]), lease_s=600) as here:
        monkeypatch.setattr(here.bus, "writer", away)
        if refused is not None:
            monkeypatch.setattr(store.budgets if refused == "charge" else store.runs, refused, away)
        ack = await here.say(await here.session(), "hello")
        await until_async(lambda: len(here.runs.worker.tasks) == 0, what="the execution to end")
        run = await store.runs.get(ack.run_id)
        assert (run.status, run.attempt) == ("running", int(refused == "uncount"))
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
    told = "tokens perhaps not charged, database unavailable"
    assert (told in caplog.messages) is (refused == "charge")


async def test_the_end_of_a_hopeless_run_is_no_lost_lease_though_it_is_renewed_meanwhile(
    store, live_url, monkeypatch, caplog
):
    finish, told = store.runs.finish, []
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as idle:
        ack = await idle.say(await idle.session(), "hello")
    for _ in range(HOPELESS_ATTEMPTS):
        assert await store.runs.claim("doomed", -1) is not None
    async with instance(store, live_url, ScriptedModel([]), lease_s=600, capacity=0) as here:

        async def finishing(*end: Any) -> None:
            told.append(asyncio.ensure_future(here.runs.wait_for_end_here(ack.run_id, PATIENCE_S)))
            await finish(*end)
            await here.runs.worker.executor.keeper.renew()
            await asyncio.sleep(0)

        monkeypatch.setattr(store.runs, "finish", finishing)
        here.runs.worker.start(1)
        await until_async(lambda: bool(told), what="the end")
        end = await told[0]
        await rested(here)
    assert (end.outcome, end.code) == ("error", "instance_lost")
    assert [each for each in caplog.messages if "lease" in each] == []
