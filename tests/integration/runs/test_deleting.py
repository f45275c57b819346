"""A conversation that is deleted in mid-answer: its run stops, its words go, and what it cost stays counted."""

from __future__ import annotations

import pytest
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from agents.usage import Usage

from server.bus import Bus
from server.errors import OverBudget
from server.store import Budget
from tests.contract.store.conftest import Talk
from tests.contract.store.test_refused_messages import spent
from tests.integration.runs.instances import instance
from tests.parts.sampled import later
from tests.parts.wait import until_async

COST = 600
LEASE_S = 5


def costly() -> ScriptedModel:
    """Return a model whose first call costs, and has a tool called."""
    usage = Usage(requests=1, input_tokens=500, output_tokens=100, total_tokens=COST)
    call = [function_call("wait", {"name": "gate"}, call_id="c1")]
    return ScriptedModel([ModelStep(output=call, usage=usage), [assistant_message("Done.")]])


async def refused(talk: Talk, budget: Budget) -> bool:
    """Return whether a day of this budget is spent. An accepted run is executed by no worker."""
    try:
        await talk.say(f"m{id(budget)}", budget=budget)
    except OverBudget:
        return True
    return False


@pytest.mark.once
@pytest.mark.parametrize("how", ["told by the signal", later("told by the lease"), "told by its next write"])
async def test_tokens_of_a_deleted_conversation_count_for_the_visitor_and_the_app(store, live_url, how):
    async with instance(store, live_url, costly(), lease_s=LEASE_S) as here:
        session = await here.session()
        await here.say(session, "go")
        assert await here.bench.entered.get() == "gate"
        await store.sessions.delete(session.id, session.principal)
        if how == "told by the signal":
            await here.bus.signals.revoke(session.id)
        elif how == "told by its next write":
            here.bench.gate("gate").set()
        await until_async(lambda: spent(store), what="the cost to be counted")
    assert here.bench.done == (["wait gate"] if how == "told by its next write" else [])
    other = Talk(
        store, await store.sessions.create(app="demo", principal="vis_1", service="x", language="en")
    )
    another = Talk(
        store, await store.sessions.create(app="demo", principal="vis_2", service="x", language="en")
    )
    assert await refused(other, Budget(principal=COST))
    assert await refused(another, Budget(app=COST))
    assert not await refused(another, Budget(principal=COST, app=COST + 1))


@pytest.mark.once
async def test_a_log_that_is_written_after_the_deletion_is_forgotten(store, live_url):
    async with instance(store, live_url, costly(), lease_s=LEASE_S) as here:
        session = await here.session()
        await here.say(session, "go")
        assert await here.bench.entered.get() == "gate"
        writer = here.bus.hub.writer(session.id)
        await store.sessions.delete(session.id, session.principal)
        await here.bus.forget(session.id)
        writer.verify()
        await until_async(lambda: _stands(here.bus, session.id), what="a new log")
        here.bench.gate("gate").set()

        async def forgotten() -> bool:
            return not await _stands(here.bus, session.id)

        await until_async(forgotten, what="the new log to be forgotten")


async def _stands(bus: Bus, session_id: str) -> bool:
    return await bus.reader.position(session_id) is not None
