"""The ledger of a tool that acts once: the intent is noted first, and no other attempt may repeat the call."""

from __future__ import annotations

import asyncio

import pytest

from tests.contract.store.conftest import Talk


@pytest.fixture
async def run_id(talk: Talk) -> str:
    """Return a run to note calls of."""
    return (await talk.say("olá")).run_id


def begin(talk: Talk, run_id: str, call_id: str = "call_1", business_key: str | None = None):
    """Note one call."""
    return talk.store.ledger.begin(run_id, call_id, "create_item", "once", "hash", business_key)


async def test_of_fifty_racing_callers_one_is_fresh(talk: Talk, run_id: str) -> None:
    entries = await asyncio.gather(*(begin(talk, run_id) for _ in range(50)))
    assert [entry.fresh for entry in entries].count(True) == 1
    assert {entry.state for entry in entries} == {"intent"}


async def test_of_fifty_calls_that_mean_the_same_one_is_fresh(talk: Talk, run_id: str) -> None:
    entries = await asyncio.gather(*(begin(talk, run_id, f"call_{each}", "item:1") for each in range(50)))
    assert [entry.fresh for entry in entries].count(True) == 1


async def test_calls_without_a_business_key_are_their_own(talk: Talk, run_id: str) -> None:
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


async def test_a_call_that_certainly_did_nothing_may_be_tried_again(talk: Talk, run_id: str) -> None:
    await begin(talk, run_id, business_key="item:1")
    await talk.store.ledger.forget(run_id, "call_1")
    assert (await begin(talk, run_id, "call_2", "item:1")).fresh
