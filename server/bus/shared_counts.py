"""Counts of events in fixed windows of time, by all instances together."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from server.bus.log.entries import BusDown
from server.bus.redis.client import connect, failures_as_down

MOST_HERE = 10_000
AGAIN_S = 1.0
"""While Redis is away one request in so many seconds tries it; the others are counted here without waiting for it."""

_MORE_S = 5
"""So much longer than its window a count is kept, for clocks that differ."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How often something happened in the window that it is now, this time included."""

    count: int
    ends_in_s: float


class SharedCounts:
    """Acquired with a URL, released by `aclose`. While Redis is away each process counts for itself."""

    def __init__(self, url: str) -> None:
        self._client = connect(url)
        self._here: dict[str, tuple[float, int]] = {}
        self._away_until: float | None = None
        """On the monotonic clock; None while Redis answers."""

    async def add(self, windows: Sequence[tuple[str, float]], by: int = 1) -> list[Counted]:
        """Count an event, or `by` of them, in each of these windows: a name, and a length in seconds."""
        now = time.time()
        named = [(f"lw:count:{name}:{int(s)}:{int(now // s)}", s, s - now % s) for name, s in windows]
        counts = await self._add_in_redis([(key, ends_in) for key, _, ends_in in named], by)
        if counts is None:
            counts = [self._add_here(key, now, ends_in, by) for key, _, ends_in in named]
        return [Counted(count, ends_in) for count, (_, _, ends_in) in zip(counts, named, strict=True)]

    async def _add_in_redis(self, keys: Sequence[tuple[str, float]], by: int) -> list[int] | None:
        """Count in Redis by one pipelined command; None while it is away."""
        if self._away_until is not None:
            if time.monotonic() < self._away_until:
                return None
            self._away_until = time.monotonic() + AGAIN_S
        try:
            with failures_as_down():
                pipe = self._client.pipeline(transaction=False)
                for key, ends_in in keys:
                    pipe.incrby(key, by)
                    pipe.expire(key, int(ends_in) + _MORE_S)
                counts = [int(each) for each in (await pipe.execute())[::2]]
        except BusDown:
            self._away_until = time.monotonic() + AGAIN_S
            return None
        self._away_until = None
        return counts

    def _add_here(self, key: str, now: float, ends_in: float, by: int) -> int:
        if len(self._here) >= MOST_HERE:
            self._here = {name: each for name, each in self._here.items() if each[0] > now}
        if len(self._here) >= MOST_HERE:
            self._here.clear()
        until, count = self._here.get(key, (now + ends_in, 0))
        self._here[key] = (until, count + by)
        return count + by

    async def aclose(self) -> None:
        """Close the connections."""
        with suppress(BusDown), failures_as_down():
            await self._client.aclose()
