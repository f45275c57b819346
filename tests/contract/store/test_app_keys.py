"""The keys of apps over both databases: found while they open something, listed for good, and ended now or later."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from server.errors import NotFound
from server.store import Store
from server.store.app_keys import AppKey
from server.store.tables import app_keys
from tests.contract.store.conftest import Talks
from tests.parts.wait import PATIENCE_S

LATER_MS = 1_000_000_000


async def added(store: Store, id: str, app: str = "demo") -> AppKey:
    await store.app_keys.add(id, app, ["runs", "agent"], f"digest of {id}")
    key = await store.app_keys.find(id)
    assert key is not None
    return key


async def aged(store: Store, ms: int) -> None:
    """Let all keys end so many milliseconds earlier."""
    await store.database.execute(update(app_keys).values(ends_at=app_keys.c.ends_at - ms), {})


async def test_a_key_is_read_as_it_was_added(store: Store) -> None:
    key = await added(store, "key_a")
    assert (key.id, key.app, key.scopes) == ("key_a", "demo", frozenset({"runs", "agent"}))
    assert (key.digest, key.ends_at) == ("digest of key_a", None)
    assert key.created_at > 1_700_000_000_000
    assert await store.app_keys.find("key_b") is None


async def test_an_ended_key_is_not_found_and_stays_listed_in_its_order(store: Store) -> None:
    for each in ("key_b", "key_a"):
        await added(store, each)
    ended = await store.app_keys.revoke("key_b")
    assert (ended.id, ended.ends_at is not None) == ("key_b", True)
    assert await store.app_keys.find("key_b") is None
    assert await store.app_keys.find("key_a") is not None
    assert await store.revocations.holds("key_b"), "streams that it opened end too"
    assert not await store.revocations.holds("key_a")
    await store.database.execute(
        update(app_keys).where(app_keys.c.id == "key_a").values(created_at=app_keys.c.created_at + 60_000), {}
    )
    await added(store, "key_c")
    assert [each.id for each in await store.app_keys.list_all()] == ["key_b", "key_c", "key_a"]
    for nothing in ("key_b", "key_none"):
        with pytest.raises(NotFound) as refused:
            await store.app_keys.revoke(nothing)
        assert refused.value.message == "There is no key of this id that still opens something."


async def test_a_key_that_ends_later_opens_until_then(store: Store) -> None:
    made = await added(store, "key_a")
    ended = await store.app_keys.revoke("key_a", after_ms=LATER_MS)
    assert 0 <= (ended.ends_at or 0) - LATER_MS - made.created_at < PATIENCE_S * 1000
    assert await store.app_keys.find("key_a") == ended
    assert not await store.revocations.holds("key_a")
    await aged(store, LATER_MS + int(PATIENCE_S) * 1000)
    assert await store.app_keys.find("key_a") is None


async def test_the_usage_of_a_run_is_read_by_its_id_and_summed_by_session(store: Store, talks: Talks) -> None:
    talk, other = await talks(), await talks()
    usage = {"model": "m", "inputTokens": 7, "costNano": 5, "currency": "EUR"}
    await talk.say("olá")
    claim = await talk.claim()
    await talk.finish(claim, usage=usage)
    await talk.turn("e", usage={**usage, "costNano": 6})
    await talk.turn("e?", usage={"model": "m"})
    assert await store.costs.detail_of_run(claim.run.id) == usage
    assert await store.costs.detail_of_run("run_none") == {}
    costs = await store.costs.of_sessions([talk.session.id, other.session.id])
    assert (costs[talk.session.id].nano, costs[talk.session.id].unpriced_runs) == ({"EUR": 11}, 1)
    assert (costs[other.session.id].nano, costs[other.session.id].unpriced_runs) == ({}, 0)
