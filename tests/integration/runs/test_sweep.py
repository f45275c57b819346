"""The one task that sweeps: one session that cannot be closed keeps no other waiting, and no error ends it."""

import itertools

import pytest
from agents.testing import ScriptedModel

from server.protocol import events as ev
from server.runs.execution import sweep as sweep_module
from server.runs.execution.opening import start_event
from server.runs.execution.sweep import SWEEP_S, Sweep, expire_due
from server.settings import Settings
from tests.contract.store.conftest import Talk
from tests.contract.store.test_interrupts import asks, waits
from tests.integration.runs.instances import forever, instance
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once


async def test_a_session_that_cannot_be_closed_does_not_keep_the_others_open(store, monkeypatch):
    talks = []
    for at in (1, 2):
        session = await store.sessions.create(app="demo", principal="vis_1", service="chat", language="pt")
        talks.append(Talk(store, session))
        await asks(talks[-1], waits(f"late{at}", expires_at=at))
    expire, bad = store.interrupts.expire, talks[0].session.id

    async def failing(session_id):
        if session_id == bad:
            raise KeyError("a row that nobody can read")
        return await expire(session_id)

    monkeypatch.setattr(store.interrupts, "expire", failing)
    assert await store.interrupts.due() == [each.session.id for each in talks]
    assert await expire_due(store)
    assert await store.interrupts.due() == [bad]


@pytest.mark.conformance
async def test_a_hundred_that_cannot_be_closed_do_not_keep_the_next_one_open(store, monkeypatch):
    talks = []
    for at in range(1, 103):
        session = await store.sessions.create(app="demo", principal="vis_1", service="chat", language="pt")
        talks.append(Talk(store, session))
        await asks(talks[-1], waits(f"late{at}", expires_at=at))
    expire, last = store.interrupts.expire, talks[-1].session.id

    async def failing(session_id):
        if session_id != last:
            raise KeyError("a row that nobody can read")
        return await expire(session_id)

    monkeypatch.setattr(store.interrupts, "expire", failing)
    assert last not in await store.interrupts.due()
    assert await expire_due(store)
    assert await store.interrupts.open_in(last) == []


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(60.0, id="in one sweep"), later(0.0, id="one each sweep")],
)
async def test_a_hundred_ends_that_cannot_be_told_do_not_keep_the_next_one_unpublished(
    store, live_url, monkeypatch, seconds
):
    monkeypatch.setattr(sweep_module, "PUBLISH_S", seconds)
    runs = []
    for _ in range(102):
        session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="pt")
        talk = Talk(store, session)
        await talk.say("olá")
        claim = await talk.claim()
        await talk.finish(claim, published=False)
        runs.append(claim.run)
    adopt = store.runs.adopt

    async def failing(run_id, fence):
        if run_id != runs[-1].id:
            raise KeyError("a row that nobody can read")
        return await adopt(run_id, fence)

    monkeypatch.setattr(store.runs, "adopt", failing)
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        sweep = Sweep(store, here.bus, 0, forever)
        for _ in range(1 if seconds else 102):
            await sweep.publish_ends()
    assert (await store.runs.get(runs[-1].id)).published
    assert not (await store.runs.get(runs[0].id)).published


async def test_an_end_that_could_not_be_told_is_told_by_the_sweep_after_all_others(
    store, live_url, monkeypatch
):
    runs = []
    for _ in range(2):
        session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="pt")
        talk = Talk(store, session)
        await talk.say("olá")
        claim = await talk.claim()
        await talk.finish(claim, published=False)
        runs.append(claim.run.id)
    adopt, failures = store.runs.adopt, [KeyError("a row that nobody can read")]

    async def failing(run_id, fence):
        if run_id == runs[0] and failures:
            raise failures.pop()
        return await adopt(run_id, fence)

    monkeypatch.setattr(store.runs, "adopt", failing)
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        sweep = Sweep(store, here.bus, 0, forever)
        for told in ([False, True], [True, True]):
            await sweep.publish_ends()
            assert [(await store.runs.get(each)).published for each in runs] == told


async def test_a_process_without_room_for_runs_claims_none(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        assert not here.runs.worker.claiming
    async with instance(store, live_url, ScriptedModel([]), capacity=1) as here:
        assert here.runs.worker.claiming


async def test_open_parts_of_a_run_are_closed_before_its_end_is_told(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await here.session()
        talk, screen = Talk(store, session), await here.screen(session)
        await talk.say("olá")
        claim = await talk.claim()
        writer = await here.bus.writer(session.id, fence=claim.run.fence, floor=session.last_seq)
        await writer.publish(
            start_event(claim.run),
            ev.step_started("a"),
            ev.text_start("msg_1", "assistant"),
            ev.text_content("msg_1", "Ol"),
            ev.tool_start("cal_1", "look"),
        )
        await writer.aclose()
        await talk.finish(claim, published=False, first_seq=1, last_seq=writer.seq)
        await Sweep(store, here.bus, 0, forever).publish_ends()
        await until_async(lambda: screen.ends() == 1, what="the end")
    assert screen.types()[5:] == [
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    assert (await store.runs.get(claim.run.id)).published


async def test_an_error_does_not_end_the_sweeping(store, live_url, monkeypatch, caplog):
    monkeypatch.setattr(sweep_module, "SWEEP_S", 0.01)
    sweeps, unpublished = itertools.count(), store.runs.list_unpublished
    again = []

    async def failing(*args):
        if next(sweeps) == 0:
            raise KeyError("a row that nobody can read")
        again.append(True)
        return await unpublished(*args)

    monkeypatch.setattr(store.runs, "list_unpublished", failing)
    async with instance(store, live_url, ScriptedModel([])):
        await until_async(lambda: bool(again), what="the next sweep")
    assert caplog.messages.count("sweep failed") == 1


async def test_an_end_whose_holder_died_is_told_within_what_is_promised(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        sweep = Sweep(store, here.bus, Settings.model_fields["lease_seconds"].default, forever)
    assert sweep.unpublished_s + SWEEP_S * 1.2 <= 15
