"""A process that stands still loses all its leases: that counts as an attempt of a run from the second time on."""

import asyncio

import pytest
from agents.testing import ScriptedModel, assistant_message

from server.runs.execution import lease
from server.runs.execution.follow_up import MAX_ATTEMPTS
from tests.integration.runs.instances import forever, instance
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

LEASE_S = 3


class StandingModel(ScriptedModel):
    """Answers no call but the last ones: of the others each `side_by_side` stand still until all leases are over."""

    def __init__(self, *, unanswered: int, side_by_side: int = 1) -> None:
        super().__init__([[assistant_message("Hi.")] for _ in range(side_by_side)])
        self.leases = []
        self.asked = 0
        self._unanswered = unanswered
        self._side_by_side = side_by_side
        self._together = asyncio.Event()

    async def stream_response(self, *args, **more):
        self.asked += 1
        if self.asked <= self._unanswered:
            if self.asked % self._side_by_side == 0:
                self._together.set()
            await self._together.wait()
            while not all(each.is_over for each in self.leases):
                pass
            await forever()
        async for each in super().stream_response(*args, **more):
            yield each

    def watch(self, here, monkeypatch):
        """Note each lease that this instance takes."""
        keeper = here.runs.worker.executor.keeper
        take = keeper.keep

        def taken(*args):
            self.leases.append(take(*args))
            return self.leases[-1]

        monkeypatch.setattr(keeper, "keep", taken)


async def ends_of(screens):
    await until_async(lambda: all(each.ends() == 1 for each in screens), what="the ends")
    return [each.entries[-1].event for each in screens]


async def test_a_process_that_stands_still_once_costs_no_run_an_attempt(store, live_url, monkeypatch):
    monkeypatch.setattr(lease, "STALL_S", 0.5)
    model = StandingModel(unanswered=2, side_by_side=2)
    async with instance(store, live_url, model, lease_s=LEASE_S) as here:
        model.watch(here, monkeypatch)
        sessions = [await here.session() for _ in range(2)]
        screens = [await here.screen(each) for each in sessions]
        acks = [await here.say(each, "hello") for each in sessions]
        assert [each["type"] for each in await ends_of(screens)] == ["RUN_FINISHED"] * 2
        assert [each.lost for each in model.leases] == [True, True, False, False]
        assert [(await store.runs.get(each.run_id)).attempt for each in acks] == [1, 1]


@pytest.mark.conformance
async def test_a_run_that_makes_its_process_stand_still_again_and_again_is_lost(store, live_url, monkeypatch):
    monkeypatch.setattr(lease, "STALL_S", 0.5)
    model = StandingModel(unanswered=100)
    async with instance(store, live_url, model, lease_s=LEASE_S) as here:
        model.watch(here, monkeypatch)
        session = await here.session()
        screen = await here.screen(session)
        ack = await here.say(session, "hello")
        assert [each["code"] for each in await ends_of([screen])] == ["instance_lost"]
        assert model.asked == MAX_ATTEMPTS + 1
        assert (await store.runs.get(ack.run_id)).attempt == MAX_ATTEMPTS + 1
