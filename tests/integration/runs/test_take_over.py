"""The rows and the log of a holder that dies at each of the four points, and the take-over that finishes the run."""

import asyncio
import logging

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.bus import BusDown
from server.runs import crash_points
from server.store import Claimant
from tests.integration.runs.instances import Stop, instance, settled, stop_at
from tests.parts.sampled import later
from tests.parts.wait import until_async

# A stall of the machine is shorter, so that nobody loses a lease who lives.
LEASE_S = 5

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.mark.once
@pytest.mark.parametrize(
    "place",
    [
        later(crash_points.BEFORE_FINISH),
        crash_points.AFTER_FINISH,
        later(crash_points.AFTER_APPEND),
    ],
)
async def test_an_end_that_was_cut_short_is_told_once_by_one_process(store, live_url, caplog, place):
    caplog.set_level(logging.INFO, "server.runs")
    script = ScriptedModel([[assistant_message("Done.")], [assistant_message("Done.")]])
    async with (
        instance(store, live_url, script, lease_s=LEASE_S, capacity=0) as watching,
        instance(store, live_url, script, lease_s=LEASE_S, point=dying(place)) as here,
    ):
        session = await here.session()
        screen = await watching.screen(session)
        await here.say(session, "go")
        await until_async(lambda: screen.ends() == 1, what="one end")
        await settled(watching, session)
        assert screen.ends() == 1
        stored = await store.messages.transcript(session.id)
        assert [each["content"] for each in stored.messages] == ["go", "Done."]
        assert screen.folded.messages == stored.messages
    assert caplog.messages.count("run ended") == 1, "it counts once, though its process died right after it"


def dying(place):
    """Return a point that ends the execution there as a crash would: the lease stays, nothing is cleaned."""
    kill = stop_at(place)

    def point(name):
        try:
            kill(name)
        except Stop:
            raise RuntimeError("the process ends here") from None

    return point


async def test_a_run_that_lost_its_holder_goes_on_from_its_checkpoint(store, live_url):
    script = ScriptedModel(
        [
            [function_call("look", {"word": "x"}, call_id="c1")],
            [assistant_message("torn"), function_call("wait", {"name": "never"}, call_id="c2")],
            [assistant_message("whole")],
        ]
    )
    async with instance(store, live_url, script, lease_s=LEASE_S) as watching_later:
        await watching_later.runs.worker.aclose(drain_s=0)
        async with instance(store, live_url, script, lease_s=LEASE_S) as here:
            session = await here.session()
            screen = await watching_later.screen(session)
            await here.say(session, "go")
            await here.bench.entered.get()
            await here.runs.worker.aclose(drain_s=0)
            async with instance(store, live_url, script, lease_s=LEASE_S) as other:
                await until_async(lambda: screen.ends() == 1, what="the end")
                await settled(other, session)
                stored = await store.messages.transcript(session.id)
                assert screen.folded.messages == stored.messages
                assert stored.messages[-1]["content"] == "whole"
                assert here.bench.done == ["look x"]
                assert other.bench.done == []


class SlowToUncount:
    """The runs of a store that take an attempt back when a test says so."""

    def __init__(self, runs):
        self.asked, self.gate = asyncio.Event(), asyncio.Event()
        self._runs = runs

    def __getattr__(self, name):
        return getattr(self._runs, name)

    async def uncount(self, *held):
        self.asked.set()
        await self.gate.wait()
        await self._runs.uncount(*held)


@pytest.mark.once
async def test_an_attempt_that_never_began_is_taken_back_though_its_process_leaves_meanwhile(
    store, live_url, monkeypatch
):
    script = ScriptedModel([])
    slow = store.runs = SlowToUncount(store.runs)
    async with instance(store, live_url, script) as here:

        async def away(*args, **more):
            raise BusDown

        monkeypatch.setattr(here.bus, "writer", away)
        session = await here.session()
        ack = await here.say(session, "hello")
        await until_async(slow.asked.is_set, what="the attempt to be taken back")
        (executing,) = [each for each in asyncio.all_tasks() if each.get_name() == f"run {ack.run_id}"]
        leaving = asyncio.get_running_loop().create_task(here.runs.worker.aclose(drain_s=0))
        await until_async(lambda: executing.cancelling() or executing.done(), what="the cancellation")
        slow.gate.set()
        await leaving
        run = await store.runs.get(ack.run_id)
        assert (run.status, run.attempt) == ("running", 0)


@pytest.mark.conformance
@pytest.mark.once
async def test_a_log_that_cannot_be_read_costs_a_take_over_time_and_no_attempt(store, live_url, monkeypatch):
    """More often than a run may be attempted: were one of them counted, it would end as lost."""
    script = ScriptedModel([[assistant_message("Hi.")]])
    async with instance(store, live_url, script, lease_s=LEASE_S) as here:
        read, failed = here.bus.reader.read, []

        async def away(*args, **more):
            if len(failed) < 3:
                failed.append(True)
                raise BusDown
            return await read(*args, **more)

        monkeypatch.setattr(here.bus.reader, "read", away)
        session = await here.session()
        held = await store.runs.submit(
            session_id=session.id,
            principal=session.principal,
            client_id="m",
            content=[{"type": "text", "text": "hello"}],
            language="en",
            claimant=Claimant("somebody who died", 0.01),
        )
        await settled(here, session)
        run = await store.runs.get(held.run_id)
    assert len(failed) == 3
    assert (run.outcome, run.attempt) == ("success", 2)
