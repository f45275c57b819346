"""The one task that sweeps: one session that cannot be closed keeps no other waiting, and no error ends it."""

import itertools

import pytest
from agents.testing import ScriptedModel

from server.runs import runs as runs_module
from server.runs.sweep import expire_due
from tests.contract.store.conftest import Talk
from tests.contract.store.test_interrupts import asks, waits
from tests.integration.runs.house import instance, open_store
from tests.parts.wait import until_async


@pytest.fixture
async def store(tmp_path):
    async with open_store(None, tmp_path) as opened:
        yield opened


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


async def test_an_error_does_not_end_the_sweeping(store, valkey_url, monkeypatch):
    monkeypatch.setattr(runs_module, "SWEEP_S", 0.01)
    sweeps, untold = itertools.count(), store.runs.untold
    again = []

    async def failing(older_s):
        if next(sweeps) == 0:
            raise KeyError("a row that nobody can read")
        again.append(True)
        return await untold(older_s)

    monkeypatch.setattr(store.runs, "untold", failing)
    async with instance(store, valkey_url, ScriptedModel([])):
        await until_async(lambda: bool(again), what="the next sweep")
