"""The ledger of a tool that acts once: the intent is noted first, and no other attempt may repeat the call."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio
from sqlalchemy import select

from server.store.engine.clock import now_ms
from server.store.tables import tool_calls
from tests.contract.store.conftest import Talk
from tests.parts.wait import PATIENCE_S


@pytest_asyncio.fixture(loop_scope="module")
async def run_id(talk: Talk) -> str:
    """Return a run to note calls of."""
    return (await talk.say("olá")).run_id


def begin(talk: Talk, run_id: str, call_id: str = "call_1", business_key: str | None = None):
    """Note one call."""
    return talk.store.ledger.begin(run_id, call_id, "create_item", "once", "hash", business_key)


async def test_one_of_fifty_racing_attempts_of_a_call_is_fresh(talk: Talk, run_id: str) -> None:
    entries = await asyncio.gather(*(begin(talk, run_id) for _ in range(50)))
    assert [entry.fresh for entry in entries].count(True) == 1
    assert {entry.state for entry in entries} == {"intent"}


async def test_one_of_fifty_calls_with_one_business_key_is_fresh(talk: Talk, run_id: str) -> None:
    entries = await asyncio.gather(*(begin(talk, run_id, f"call_{each}", "item:1") for each in range(50)))
    assert [entry.fresh for entry in entries].count(True) == 1


async def test_two_calls_without_a_business_key_are_both_fresh(talk: Talk, run_id: str) -> None:
    assert (await begin(talk, run_id, "call_1")).fresh
    assert (await begin(talk, run_id, "call_2")).fresh


@pytest.mark.parametrize("result", [{"item_id": "itm_1", "nested": [1, None, "ção"]}, None, [], "text", 0])
async def test_a_done_call_answers_with_its_result(talk: Talk, run_id: str, result: object) -> None:
    await begin(talk, run_id, business_key="item:1")
    await talk.store.ledger.keep_result(run_id, "call_1", result)
    for entry in (await begin(talk, run_id), await begin(talk, run_id, "call_2", "item:1")):
        assert (entry.state, entry.result, entry.fresh) == ("done", result, False)


async def test_an_unclear_call_stays_unclear(talk: Talk, run_id: str) -> None:
    await begin(talk, run_id)
    await talk.store.ledger.mark_unknown(run_id, "call_1")
    entry = await begin(talk, run_id)
    assert (entry.state, entry.fresh) == ("unknown", False)


async def test_a_known_result_is_never_forgotten(talk: Talk, run_id: str) -> None:
    await begin(talk, run_id)
    await talk.store.ledger.keep_result(run_id, "call_1", 1)
    await talk.store.ledger.mark_unknown(run_id, "call_1")
    await talk.store.ledger.forget(run_id, "call_1")
    await talk.store.ledger.keep_result(run_id, "call_1", 2)
    entry = await begin(talk, run_id)
    assert (entry.state, entry.result) == ("done", 1)


async def test_an_unclear_call_that_is_cleared_up_is_done(talk: Talk, run_id: str) -> None:
    await begin(talk, run_id)
    await talk.store.ledger.mark_unknown(run_id, "call_1")
    await talk.store.ledger.keep_result(run_id, "call_1", 1)
    assert (await begin(talk, run_id)).result == 1


async def test_a_forgotten_call_leaves_its_business_key_free(talk: Talk, run_id: str) -> None:
    await begin(talk, run_id, business_key="item:1")
    await talk.store.ledger.forget(run_id, "call_1")
    assert (await begin(talk, run_id, "call_2", "item:1")).fresh


@pytest.mark.parametrize("calls", [("call_1", "call_2"), ("call_2", "call_1")])
async def test_a_known_call_gets_its_own_entry_before_that_of_its_business_key(
    talk: Talk, run_id: str, calls: tuple[str, str]
) -> None:
    keys = {"call_1": "item:1", "call_2": None}
    for call in calls:
        await begin(talk, run_id, call, keys[call])
    await talk.store.ledger.keep_result(run_id, "call_1", 1)
    entry = await begin(talk, run_id, "call_2", "item:1")
    assert (entry.state, entry.result, entry.fresh) == ("intent", None, False)


async def test_the_end_of_a_call_changes_no_other_call_of_its_run(talk: Talk, run_id: str) -> None:
    calls = [f"call_{number}" for number in range(4)]
    for call in calls:
        await begin(talk, run_id, call)
    await talk.store.ledger.keep_result(run_id, "call_0", 7)
    await talk.store.ledger.mark_unknown(run_id, "call_1")
    await talk.store.ledger.forget(run_id, "call_2")
    query = select(tool_calls.c.call_id, (now_ms() - tool_calls.c.ended_at).label("ago"))
    ended = {row.call_id: row.ago for row in await talk.store.database.fetch(query)}
    assert ended.pop("call_3") is None
    assert set(ended) == {"call_0", "call_1"}
    assert all(0 <= ago < PATIENCE_S * 1000 for ago in ended.values())
    found = [await begin(talk, run_id, call) for call in calls]
    assert [(each.state, each.result, each.fresh) for each in found] == [
        ("done", 7, False),
        ("unknown", None, False),
        ("intent", None, True),
        ("intent", None, False),
    ]
