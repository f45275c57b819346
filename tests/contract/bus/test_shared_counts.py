"""The shared counts of all instances limit what happens: at once, around the edges of windows, after a refusal."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from server.bus import BusDown
from server.bus import shared_counts as shared_counts_module
from server.bus.redis.client import connect_subscriber as connect
from server.bus.shared_counts import Limited, SharedCounts, WindowCount
from tests.parts.ports import free_port
from tests.parts.wait import until_async

EDGE = 1_000_000_000.0
"""A moment at which windows of ten seconds begin."""


@dataclass
class Counts:
    """The counts of two instances, whose time a test makes."""

    one: SharedCounts
    other: SharedCounts
    name: str
    at: float = EDGE

    async def ask(self, limit: int = 10, by: int = 1, seconds: float = 10) -> WindowCount:
        """Count at the one, then at the other, and so on."""
        self.one, self.other = self.other, self.one
        (counted,) = await self.one.add([Limited(self.name, seconds, limit)], by)
        return counted

    async def allowed(self, times: int, limit: int = 10) -> int:
        """Of so many, how many had room."""
        return sum([(await self.ask(limit)).count <= limit for _ in range(times)])


@pytest.fixture
async def new_counts(any_url: str) -> AsyncIterator[Callable[[], Counts]]:
    made: list[SharedCounts] = []

    def new(url: str = any_url) -> Counts:
        counts: Counts
        both = [SharedCounts(url, lambda: counts.at) for _ in range(2)]
        made.extend(both)
        counts = Counts(*both, name=secrets.token_hex(8))
        return counts

    yield new
    for each in made:
        await each.aclose()


@pytest.fixture
async def counts(new_counts: Callable[[], Counts]) -> Counts:
    return new_counts()


async def test_a_burst_uses_the_whole_limit_and_the_edge_of_a_window_adds_none(counts: Counts) -> None:
    counts.at = EDGE + 9.99
    assert await counts.allowed(15) == 10
    counts.at = EDGE + 10.01
    assert await counts.allowed(15) == 0, "a fixed window would give all of them again"
    counts.at = EDGE + 15
    assert await counts.allowed(15) == 5
    counts.at = EDGE + 20
    assert await counts.allowed(15) == 5
    counts.at = EDGE + 40
    assert await counts.allowed(15) == 10


async def test_requests_while_refused_do_not_lengthen_the_refusal(counts: Counts) -> None:
    allowed = 0
    for tenth in range(400):
        counts.at = EDGE + tenth / 10
        allowed += await counts.allowed(1, limit=20)
    assert 70 <= allowed <= 100, "twenty in ten seconds, for forty seconds, and twenty at once"


async def test_a_count_is_returned_with_the_seconds_until_there_is_room(counts: Counts) -> None:
    counts.at = EDGE + 4
    assert await counts.ask(2) == WindowCount(1, pytest.approx(6))
    assert (await counts.ask(2)).count == 2
    refused = await counts.ask(2)
    assert refused == WindowCount(3, pytest.approx(6 + 5))
    counts.at += refused.ends_in_s - 0.01
    assert (await counts.ask(2)).count == 3
    counts.at += 0.02
    assert (await counts.ask(2)).count == 2


async def test_the_wait_for_room_follows_the_share_of_the_former_bucket(counts: Counts) -> None:
    counts.at = EDGE + 9
    assert await counts.allowed(4, limit=4) == 4
    counts.at = EDGE + 10
    refused = await counts.ask(4)
    assert refused == WindowCount(5, pytest.approx(2.5))
    counts.at += refused.ends_in_s + 0.01
    assert await counts.allowed(2, limit=4) == 1


async def test_a_single_request_counts_until_its_bucket_has_left_the_window(counts: Counts) -> None:
    counts.at = EDGE + 9
    assert await counts.allowed(1, limit=1) == 1
    counts.at = EDGE + 14
    assert await counts.ask(1) == WindowCount(2, pytest.approx(6))
    counts.at = EDGE + 20
    assert await counts.allowed(1, limit=1) == 1


async def test_an_amount_is_counted_whole_or_not_at_all(counts: Counts) -> None:
    assert (await counts.ask(by=6)).count == 6
    assert (await counts.ask(by=6)).count == 12
    assert (await counts.ask(by=4)).count == 10
    never = await counts.ask(by=11)
    assert (never.count, never.ends_in_s) == (21, pytest.approx(20))


async def test_several_windows_are_counted_together_or_not_at_all(counts: Counts) -> None:
    wide, narrow = Limited(counts.name, 10, 5), Limited(f"{counts.name} too", 60, 1)
    first = await counts.one.add([wide, narrow])
    second = await counts.other.add([wide, narrow])
    third = await counts.one.add([wide])
    assert [[each.count for each in found] for found in (first, second, third)] == [[1, 1], [2, 2], [2]]


async def test_windows_of_one_name_and_two_lengths_are_apart(counts: Counts) -> None:
    assert (await counts.ask(seconds=10)).count == 1
    assert (await counts.ask(seconds=20)).count == 1
    assert (await counts.ask(seconds=10)).count == 2


async def test_a_bucket_expires_when_it_counts_no_more(counts: Counts, any_url: str) -> None:
    bucket = f"lw:count:{counts.name}:10:{int(EDGE // 10)}"
    async with connect(any_url) as client:
        for at, kept_ms in ((4, 21_000), (9.9, 15_100)):
            counts.at = EDGE + at
            began = time.monotonic()
            await counts.ask()
            left_ms = await client.pttl(bucket)
            passed_ms = 1000 * (time.monotonic() - began)
            assert kept_ms - passed_ms - 2 <= left_ms <= kept_ms


@pytest.mark.parametrize("any_url", ["away"], indirect=True)
async def test_each_instance_counts_alone_by_the_same_rule_when_redis_is_away(
    new_counts: Callable[..., Counts],
) -> None:
    counts = new_counts(f"redis://127.0.0.1:{free_port()}")
    counts.at = EDGE + 9.99
    assert await counts.allowed(30) == 20
    counts.at = EDGE + 10.01
    assert await counts.allowed(4) == 0
    counts.at = EDGE + 15
    assert await counts.allowed(30) == 10


async def test_an_instance_that_loses_redis_goes_on_from_what_it_read(counts: Counts) -> None:
    assert await counts.allowed(4, limit=4) == 4
    for each in (counts.one, counts.other):
        each._away_until = time.monotonic() + 60
    # The instance that counted last knows all four, the other one three.
    assert [(await counts.ask(limit=4)).count <= 4 for _ in range(4)] == [True, False, False, False]


@pytest.mark.parametrize("any_url", ["away"], indirect=True)
async def test_local_counts_are_bounded_and_expired_ones_are_dropped_first(
    new_counts: Callable[..., Counts],
) -> None:
    counts = new_counts(f"redis://127.0.0.1:{free_port()}")
    alone = counts.one
    alone._away_until = time.monotonic() + 3600

    async def count(name: str) -> int:
        return (await alone.add([Limited(name, 10, 5)]))[0].count

    for number in range(5_000):
        await count(f"old {number}")
    counts.at += 20
    for number in range(5_000):
        await count(f"new {number}")
    assert await count("new 0") == 2, "there is room for ten thousand"
    assert await count("more") == 1
    assert [await count(f"new {number}") for number in (0, 1, 4_999)] == [3, 2, 2]
    for number in range(5_001):
        await count(f"more {number}")
    assert await count("new 1") == 1, "it is full of what counts still, so all begin again"


async def test_every_count_asks_redis_once_it_answers_again(counts: Counts) -> None:
    counts.one._away_until = counts.other._away_until = time.monotonic()
    assert [(await counts.ask(limit=4)).count for _ in range(4)] == [1, 2, 3, 4]


@pytest.mark.parametrize("any_url", ["away"], indirect=True)
async def test_one_request_a_second_tries_redis_when_it_is_away(
    new_counts: Callable[..., Counts], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, now, tries, gate = new_counts().one, [100.0], list[float](), asyncio.Event()

    async def fails(*_: object) -> None:
        tries.append(now[0])
        await gate.wait()
        raise BusDown

    monkeypatch.setattr(shared_counts_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(alone, "_count", fails)
    gate.set()
    for now[0] in (100.0, 100.5, 100.9, 101.1):
        await alone.add([Limited("a", 10, 5)])
    assert tries == [100.0, 101.1]
    gate.clear()
    now[0] = 102.5
    trying = asyncio.ensure_future(alone.add([Limited("a", 10, 5)]))
    await until_async(lambda: len(tries) == 3, what="the next one")
    assert (await alone.add([Limited("a", 10, 5)]))[0].count == 5, "the others do not wait for it"
    assert len(tries) == 3
    gate.set()
    await trying


async def test_an_instance_that_loses_redis_keeps_the_largest_count_that_it_read(
    counts: Counts, any_url: str
) -> None:
    assert await counts.allowed(4, limit=4) == 4
    async with connect(any_url) as client:
        await client.delete(f"lw:count:{counts.name}:10:{int(EDGE // 10)}")
    for each in (counts.one, counts.other):
        (counted,) = await each.add([Limited(counts.name, 10, 4)])
        assert counted.count <= 2
        each._away_until = time.monotonic() + 60
    # The one has read 4 of 4 before Redis lost them; the other 3, of which 1 is left.
    assert [(await counts.ask(limit=4)).count <= 4 for _ in range(4)] == [True, False, False, False]
