"""Redis away while runs are taken over: they come to their own end without it, and it costs them no attempt."""

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call
from sqlalchemy import update

from server.protocol.commands import Cancel
from server.store.tables import runs
from tests.integration.runs.instances import instance, open_store, settled
from tests.parts.live import breakable
from tests.parts.sampled import later
from tests.parts.wait import until_async


@pytest.fixture
async def store(tmp_path):
    async with open_store(None, tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def live():
    with breakable() as running:
        yield running


@pytest.mark.parametrize("how", [later("gone"), "silent", later("read-only"), later("full")])
async def test_a_run_is_taken_over_without_redis_however_long_that_is_away(store, live, how):
    async with instance(store, live.url, ScriptedModel([]), capacity=0) as idle:
        session = await idle.session()
        ack = await idle.say(session, "hello")
        assert await store.runs.claim("doomed", -1) is not None
        async with store.database.write() as connection:
            await connection.execute(update(runs).values(started_at=runs.c.started_at - 3_600_000))
    live.hurt(how)
    try:
        async with instance(store, live.url, ScriptedModel([[assistant_message("Hi.")]])) as here:

            async def has_ended():
                return (await store.runs.get(ack.run_id)).published

            await until_async(has_ended, what="the end")
            run = await store.runs.get(ack.run_id)
            assert (run.outcome, run.attempt) == ("success", 2)
            await settled(here, session)
    finally:
        live.heal(how)


async def test_an_answer_is_stopped_while_redis_is_away(store, live):
    script = ScriptedModel([[function_call("wait", {"name": "never"}, call_id="c1")]])
    async with instance(store, live.url, script) as here:
        session = await here.session()
        ack = await here.say(session, "hello")
        await here.bench.entered.get()
        live.hurt("gone")
        try:
            stopped = await here.runs.cancel(session, Cancel(type="cancel", id="x", run_id=ack.run_id))
            assert stopped.run_id == ack.run_id
            await settled(here, session)
            assert (await store.runs.get(ack.run_id)).outcome == "cancelled"
        finally:
            live.heal("gone")
