"""A process that leaves: what it is just claiming it gives back, and a `once` tool that works is never repeated."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.agents.service import Service
from server.agents.tools import tool
from server.pacing import STEP_S, Pace
from server.services import decision
from tests.integration.runs.instances import instance, settled
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench, Ctx

LEASE_S = 5


@dataclass
class Till(Bench):
    """A service whose one tool pays, and takes its time."""

    def tools(self) -> list[Any]:
        @tool(effect="once", business_key=lambda ctx, arguments: "the-sum", result=lambda shown: shown)
        async def pay(ctx: Ctx) -> dict[str, bool]:
            """Pay, which must not happen twice."""
            self.done.append("begun")
            await self.gate("pay").wait()
            self.done.append("paid")
            return {"paid": True}

        return [pay]


@pytest.mark.once
@pytest.mark.parametrize("in_time", [True, False], ids=["ends in time", "does not end in time"])
async def test_a_once_call_of_a_leaving_process_is_not_repeated(store, live_url, in_time):
    till = Till()
    script = ScriptedModel([[function_call("pay", {}, call_id="c1")], [assistant_message("Done.")]])
    async with (
        instance(store, live_url, script, lease_s=LEASE_S, bench=till) as leaving,
        asyncio.TaskGroup() as group,
    ):
        session = await leaving.session()
        screen = await leaving.screen(session)
        await leaving.say(session, "pay")
        await until_async(lambda: till.done == ["begun"], what="the payment to begin")
        going = group.create_task(leaving.runs.worker.aclose(drain_s=60 if in_time else 0.05))
        if in_time:
            till.gate("pay").set()
        await going
        async with instance(store, live_url, script, lease_s=LEASE_S, bench=till) as staying:
            await until_async(lambda: screen.ends() == 1, what="the end")
            await settled(staying, session)
    assert till.done == (["begun", "paid"] if in_time else ["begun"])
    (result,) = [each for each in screen.folded.messages if each["role"] == "tool"]
    assert result["metadata"]["loopwire"]["status"] == ("done" if in_time else "unknown")


async def test_a_run_claimed_by_a_leaving_process_is_given_back_without_an_attempt(
    store, live_url, monkeypatch
):
    script, claim = ScriptedModel([]), store.runs.claim
    committed, answered = asyncio.Event(), asyncio.Event()

    async def late(*args):
        found = await claim(*args)
        if found is not None:
            committed.set()
            await answered.wait()
        return found

    async with (
        instance(store, live_url, script, lease_s=60, capacity=0) as web,
        asyncio.TaskGroup() as group,
    ):
        session = await web.session()
        ack = await web.say(session, "hello")
        monkeypatch.setattr(store.runs, "claim", late)
        async with instance(store, live_url, script, lease_s=60) as leaving:
            await committed.wait()
            going = group.create_task(leaving.runs.worker.aclose(drain_s=60))
            await until_async(lambda: not leaving.runs.worker.claiming, what="nothing to be claimed any more")
            answered.set()
            await going
    found = await claim("another", 60)
    assert found is not None, "nobody may have it before its lease ends"
    assert (found.run.id, found.run.attempt) == (ack.run_id, 1)


@dataclass
class Requests(Bench):
    """A service that takes requests, whose runs are paced."""

    def service(self, **changes: Any) -> Service:
        """Return it."""
        return super().service(contract=decision.service.contract, **changes)


async def take_turns(pace: Pace) -> None:
    """Use up each turn of the loop, as the steps of an earlier request do."""
    while True:
        pace.spend(STEP_S)
        await asyncio.sleep(0)


@pytest.mark.once
async def test_a_request_whose_run_waits_for_its_first_step_is_given_back_without_an_attempt(store, live_url):
    request = {"content": [{"type": "input", "data": {"a": 1}, "text": "a request"}], "language": "en"}
    script = ScriptedModel([])
    async with (
        instance(store, live_url, script, lease_s=60, bench=Requests(), capacity=0) as web,
        instance(store, live_url, script, lease_s=60, bench=Requests()) as leaving,
    ):
        worker, pace = leaving.runs.worker, leaving.runs.worker.executor.pace
        earlier = [asyncio.create_task(pace.run(take_turns(pace))) for _ in range(5)]
        await until_async(lambda: pace.waits, what="the turns to be used up")
        session = await web.session()
        run_id = await web.runs.submit_request(session, "r1", callback_url=None, private=True, **request)
        await until_async(lambda: not worker.slots.idle.is_set() and worker.tasks, what="the claim")
        await worker.aclose(drain_s=0)
        for each in earlier:
            each.cancel()
        await asyncio.wait(earlier)
        assert worker.slots.idle.is_set()
        assert not script.calls, "it took no step"
        found = await store.runs.claim("another", 60)
    assert found is not None, "nobody may have it before its lease ends"
    assert (found.run.id, found.run.attempt) == (run_id, 1)
