"""Values that are taken once, while Redis is out of reach: kept in this process, for their time and not without end."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from server.bus import BusDown, one_time_values
from server.bus.one_time_values import RedisOneTimeValues
from tests.parts.ports import free_port


@pytest.fixture
async def alone() -> AsyncIterator[RedisOneTimeValues]:
    """Yield a store whose Redis does not answer."""
    store = RedisOneTimeValues(f"redis://127.0.0.1:{free_port()}")
    yield store
    await store.aclose()


async def test_a_value_is_taken_once_from_the_process_that_keeps_it(alone: RedisOneTimeValues) -> None:
    with pytest.raises(BusDown):
        await alone.put("a", b"1", seconds=30)
    alone.keep("a", b"1", seconds=30)
    assert [await alone.read("a") for _ in range(2)] == [b"1", b"1"]
    assert await alone.pop("a") == b"1"
    for again in (alone.pop, alone.read):
        with pytest.raises(BusDown):
            await again("a")


async def test_a_value_is_kept_for_its_time_only(
    alone: RedisOneTimeValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone.keep("a", b"1", seconds=30)
    now = time.monotonic()
    monkeypatch.setattr(one_time_values.time, "monotonic", lambda: now + 31)
    assert await alone.read("a") is None
    assert await alone.pop("a") is None


async def test_a_process_keeps_ten_thousand_values(alone: RedisOneTimeValues) -> None:
    for number in range(10_000):
        alone.keep(str(number), b"1", seconds=30)
    with pytest.raises(BusDown):
        alone.keep("more", b"1", seconds=30)


async def test_the_number_of_values_in_this_process_is_limited_until_they_expire(
    alone: RedisOneTimeValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_time_values, "MOST_VALUES_HERE", 2)
    for key in ("a", "b"):
        alone.keep(key, b"1", seconds=30)
    with pytest.raises(BusDown):
        alone.keep("c", b"1", seconds=30)
    now = time.monotonic()
    monkeypatch.setattr(one_time_values.time, "monotonic", lambda: now + 31)
    alone.keep("c", b"1", seconds=30)
