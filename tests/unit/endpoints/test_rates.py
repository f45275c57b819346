"""The rates of requests on two instances with one Redis: the counts, their headers, and the cost of a flood."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from starlette.requests import Request

from server.bus.shared_counts import SharedCounts
from server.endpoints.rates import (
    MOST_CLOSED,
    Allowance,
    FullRate,
    RequestRate,
    allowances_of,
    rate_headers,
    spend,
)
from server.errors import RateLimited

DAY = 24 * 3600.0
"""A window that does not end while a test runs, but at midnight."""


class CountingCounts(SharedCounts):
    """Counts that know how often they were asked."""

    asked = 0

    async def add(self, windows, by=1):  # type: ignore[no-untyped-def]
        """Count."""
        self.asked += 1
        return await super().add(windows, by)


@pytest.fixture
async def counts() -> AsyncIterator[tuple[CountingCounts, CountingCounts]]:
    """Yield those of two instances."""
    url = f"fake://{uuid4().hex}"
    both = CountingCounts(url), CountingCounts(url)
    yield both
    for each in both:
        await each.aclose()


def request() -> Request:
    return Request({"type": "http", "headers": [], "state": {}})


async def ask(rate: RequestRate, key: str = "10.0.0.1", by: int = 1) -> dict[str, str]:
    """Spend, and give the headers of the response; what is refused has them too."""
    asked = request()
    try:
        await spend(asked, (rate, key), by=by)
    except RateLimited as refused:
        return {**rate_headers(allowances_of(asked.scope)), "retry-after": str(refused.retry_after)}
    return rate_headers(allowances_of(asked.scope))


async def test_two_instances_together_allow_what_one_does(
    counts: tuple[CountingCounts, CountingCounts],
) -> None:
    one, other = (RequestRate("tickets", ((5, DAY),), each) for each in counts)
    asked = [await ask(rate) for _ in range(5) for rate in (one, other)]
    assert ["retry-after" in each for each in asked] == [False] * 5 + [True] * 5
    assert [each["ratelimit"].split(";")[1] for each in asked[:5]] == [
        f"r={left}" for left in (4, 3, 2, 1, 0)
    ]
    for each in asked[5:]:
        assert each["ratelimit-policy"] == '"tickets";q=5;w=86400'
        assert each["ratelimit"].startswith('"tickets";r=0;t=')
        assert 0 < int(each["retry-after"]) <= 2 * DAY
    assert "retry-after" not in await ask(one, "10.0.0.2")


async def test_a_flood_that_is_refused_costs_redis_nothing(
    counts: tuple[CountingCounts, CountingCounts],
) -> None:
    one, other = (RequestRate("tickets", ((5, DAY),), each) for each in counts)
    for _ in range(5):
        await ask(one)
    refused = [await ask(other) for _ in range(100)] + [await ask(one) for _ in range(100)]
    assert all("retry-after" in each for each in refused)
    assert [each.asked for each in counts] == [5, 1]


async def test_of_several_rates_all_are_spent_or_none_here(
    counts: tuple[CountingCounts, CountingCounts],
) -> None:
    wide, narrow = (
        RequestRate("address", ((5, DAY),), counts[0]),
        RequestRate("visitor", ((1, DAY),), counts[0]),
    )
    asked = request()
    await spend(asked, (wide, "a"), (narrow, "v"))
    assert [(each.name, each.left) for each in allowances_of(asked.scope)] == [("address", 4), ("visitor", 0)]
    assert counts[0].asked == 1, "several rates are one command"
    for _ in range(10):
        with pytest.raises(RateLimited):
            await spend(request(), (wide, "a"), (narrow, "v"))
    assert '"address";r=3' in (await ask(wide, "a"))["ratelimit"]


async def test_parts_of_a_request_count_each(counts: tuple[CountingCounts, CountingCounts]) -> None:
    rate = RequestRate("images", ((10, DAY),), counts[0])
    assert '"images";r=4' in (await ask(rate, by=6))["ratelimit"]
    assert "retry-after" in await ask(rate, by=6)
    assert "retry-after" not in await ask(rate, by=4)


async def test_simultaneous_requests_do_not_exceed_the_rate(
    counts: tuple[CountingCounts, CountingCounts],
) -> None:
    rates = [RequestRate("runs", ((20, DAY),), each) for each in counts]
    asked = await asyncio.gather(*(ask(rate) for _ in range(40) for rate in rates))
    assert sum("retry-after" not in each for each in asked) == 20


async def test_of_too_many_full_keys_the_oldest_is_asked_of_redis_again(
    counts: tuple[CountingCounts, CountingCounts],
) -> None:
    rate, full = RequestRate("tickets", ((5, DAY),), counts[0]), Allowance("tickets", 5, int(DAY), 0, 60)
    for number in range(MOST_CLOSED + 1):
        rate.close(f"key {number}", full)
    rate.require_open("key 0")
    for number in (1, MOST_CLOSED):
        with pytest.raises(FullRate):
            rate.require_open(f"key {number}")
