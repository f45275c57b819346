"""The rates of requests: exact in this process, and counted by all instances together in Redis.

A request that this process refuses costs Redis nothing. One that it allows is counted in Redis by one script, for all
its rates together; while Redis is down, this process decides alone.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import HTTPConnection

from server.bus.shared_counts import Limited, SharedCounts
from server.errors import RateLimited
from server.limit_counters import WindowFull, Windows
from server.limits import Pairs

_TOLD = "allowances"
"""Under this name the state of a request keeps what its response tells of its limits."""

MOST_CLOSED = 20_000
"""Keys that a rate refuses without asking Redis."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The rest of one limit in its window."""

    name: str
    limit: int
    seconds: int
    left: int
    ends_in_s: int


class RequestRate:
    """A limit on how often something may happen, for each address, visitor or app."""

    def __init__(self, name: str, pairs: Pairs, counts: SharedCounts) -> None:
        """`name` is a part of responses, and distinguishes rates of the same key."""
        self.name = name
        self.pairs = pairs
        self.counts = counts
        self.here = Windows(pairs)
        self._closed: dict[str, tuple[float, Allowance]] = {}

    def close(self, key: str, full: Allowance) -> None:
        """Refuse this key here until its window of all instances ends, so that a flood costs Redis nothing."""
        self._closed.pop(key, None)
        if len(self._closed) >= MOST_CLOSED:
            # Forget the oldest, which then costs Redis again; a sweep of all would cost this loop at each further key.
            del self._closed[next(iter(self._closed))]
        self._closed[key] = time.monotonic() + full.ends_in_s, full

    def require_open(self, key: str) -> None:
        """Raise FullRate for a key whose window of all instances is known to be full."""
        until, full = self._closed.get(key, (0.0, None))
        wait = until - time.monotonic()
        if full is not None and wait > 0:
            raise FullRate(replace(full, ends_in_s=max(1, math.ceil(wait))))


class FullRate(RateLimited):
    """A rate is spent."""

    def __init__(self, allowance: Allowance) -> None:
        super().__init__(retry_after=allowance.ends_in_s)
        self.allowance = allowance


Spent = tuple[RequestRate, str]
"""A rate and whose it is."""


async def spend(request: HTTPConnection, *spent: Spent, by: int = 1) -> None:
    """Count a request, or `by` parts of it, in these rates. Raises RateLimited, and then counts nothing here."""
    told = allowances_of(request.scope)
    try:
        _spend_here(spent, by)
    except FullRate as full:
        told.append(full.allowance)
        raise
    counted = [(rate, key, *pair) for rate, key in spent for pair in rate.pairs]
    windows = [Limited(f"{rate.name}:{key}", seconds, limit) for rate, key, limit, seconds in counted]
    counts = await spent[0][0].counts.add(windows, by)
    for (rate, key, limit, seconds), each in zip(counted, counts, strict=True):
        ends_in_s = max(1, round(each.ends_in_s))
        told.append(Allowance(rate.name, limit, int(seconds), limit - each.count, ends_in_s))
        if each.count >= limit:
            rate.close(key, replace(told[-1], left=0))
    try:
        require_allowed(told, RateLimited.text)
    except RateLimited:
        _give_back(spent, by)
        raise


def require_allowed(left: Sequence[Allowance], text: str) -> None:
    """Raise RateLimited with this text where a limit is passed."""
    passed = [each for each in left if each.left < 0]
    if passed:
        raise RateLimited(text, retry_after=max(each.ends_in_s for each in passed))


def allowances_of(scope: Any) -> list[Allowance]:
    """Return the list of allowances that the response to a request names; callers add to it."""
    told: list[Allowance] = scope["state"].setdefault(_TOLD, [])
    return told


def rate_headers(left: Sequence[Allowance]) -> dict[str, str]:
    """Write what is left as the headers of draft-ietf-httpapi-ratelimit-headers-10, the least first."""
    if not left:
        return {}
    told = sorted(left, key=lambda each: each.left)
    return {
        "ratelimit-policy": ", ".join(f'"{each.name}";q={each.limit};w={each.seconds}' for each in told),
        "ratelimit": ", ".join(f'"{each.name}";r={max(0, each.left)};t={each.ends_in_s}' for each in told),
    }


def _spend_here(spent: Sequence[Spent], by: int) -> None:
    """Count in the windows of this process. Raises FullRate, and then counts nothing."""
    for rate, key in spent:
        rate.require_open(key)
    done: list[Spent] = []
    for rate, key in spent:
        for _ in range(by):
            try:
                rate.here.spend(key)
            except WindowFull as full:
                _give_back(done, 1)
                ends_in_s = max(1, math.ceil(full.retry_after or 0))
                raise FullRate(Allowance(rate.name, full.count, int(full.seconds), 0, ends_in_s)) from full
            done.append((rate, key))


def _give_back(spent: Sequence[Spent], by: int) -> None:
    for rate, key in spent:
        for _ in range(by):
            rate.here.give_back(key)
