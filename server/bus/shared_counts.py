"""Counts of events in sliding windows of time, by all instances together.

A window is two buckets as long as it is: all of the one of now counts, and of the one before the share that still lies
in the window. So a whole limit may be spent at once, and after that no more than the limit in each window, also at the
border of two buckets. An event that is refused is not counted.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.bus.log.entries import BusDown
from server.bus.redis.client import Script, connect_link

MOST_COUNTS_HERE = 10_000
AGAIN_S = 1.0
"""While Redis is away one request in so many seconds tries it; the others are counted here without waiting for it."""

_MORE_S = 5
"""Seconds that a bucket is kept longer than it counts, for clocks that differ."""


@dataclass(frozen=True, slots=True)
class Limited:
    """At most so many events of this name within so many seconds."""

    name: str
    seconds: float
    limit: int


@dataclass(frozen=True, slots=True)
class WindowCount:
    """The count of an event in a window, this time included, whether it had room or not."""

    count: int
    ends_in_s: float
    """Seconds until it has room again; while it has, until its bucket ends."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """The two buckets of a window at a moment."""

    window: Limited
    now: str
    before: str
    passed_s: float
    """Seconds of the current bucket that have passed."""

    @classmethod
    def at(cls, moment: float, window: Limited) -> "Buckets":
        """Return the buckets of a moment, in seconds since the epoch."""
        seconds = window.seconds
        number, name = int(moment // seconds), f"lw:count:{window.name}:{int(seconds)}"
        return cls(window, f"{name}:{number}", f"{name}:{number - 1}", moment - number * seconds)

    @property
    def share(self) -> float:
        """Return the share, 0 to 1, of the previous bucket that still lies in the window."""
        return 1 - self.passed_s / self.window.seconds

    @property
    def kept_s(self) -> float:
        """Return how many seconds the current bucket counts."""
        return 2 * self.window.seconds - self.passed_s

    def has_room(self, now: int, before: int, by: int) -> bool:
        """Return whether `by` more fit besides what the buckets hold, as `count.lua` decides it."""
        return now + before * self.share + by <= self.window.limit

    def count(self, now: int, before: int, by: int, *, room: bool) -> WindowCount:
        """Return the allowance after `by` events, from what the buckets held; `room` is whether they were counted."""
        return WindowCount(
            math.ceil(now + before * self.share + by), self._wait_s(now + by * room, before, by)
        )

    def _wait_s(self, now: int, before: int, by: int) -> float:
        """Return the seconds until `by` more have room."""
        seconds, free = self.window.seconds, self.window.limit - by
        rest = seconds - self.passed_s
        if self.has_room(now, before, by):
            return rest
        if now <= free:
            return seconds * (1 - (free - now) / before) - self.passed_s
        return rest + seconds * (1 - max(0, free) / max(1, now))


class SharedCounts:
    """Acquired with a URL, released by `aclose`. While Redis is away each process counts on from its last counts."""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives seconds since the epoch."""
        self._clock = clock
        # Each request waits for this round trip, for which redis-py's client takes several times the CPU.
        self._link = connect_link(url)
        self._count = Script(self._link, "count")
        self._here: dict[str, tuple[float, int]] = {}
        self._away_until: float | None = None
        """On the monotonic clock; None while Redis answers."""

    async def add(self, windows: Sequence[Limited], by: int = 1) -> list[WindowCount]:
        """Count an event, or `by` of them, in all of these windows, or in none where one has no room."""
        moment = self._clock()
        all_buckets = [Buckets.at(moment, each) for each in windows]
        held = await self._held_in_redis(all_buckets, by)
        if held is None:
            held = self._held_here(all_buckets)
        each_held = [(each, held[at]) for at, each in enumerate(all_buckets)]
        room = all(buckets.has_room(*of, by) for buckets, of in each_held)
        self._remember(each_held, moment, by * room)
        return [buckets.count(*of, by, room=room) for buckets, of in each_held]

    async def _held_in_redis(self, windows: Sequence[Buckets], by: int) -> list[tuple[int, int]] | None:
        """Count in Redis by one script, and return what was held before; None while it is away."""
        if self._away_until is not None:
            if time.monotonic() < self._away_until:
                return None
            self._away_until = time.monotonic() + AGAIN_S
        keys, told = [], [str(by)]
        for each in windows:
            keys += [each.now, each.before]
            told += [str(each.window.limit), repr(each.share), str(int((each.kept_s + _MORE_S) * 1000))]
        try:
            held = await self._count(keys, told)
        except BusDown:
            self._away_until = time.monotonic() + AGAIN_S
            return None
        self._away_until = None
        return [(held[at], held[at + 1]) for at in range(0, len(held), 2)]

    def _held_here(self, windows: Sequence[Buckets]) -> list[tuple[int, int]]:
        """Return what this process has counted, and what it last read of the counts of all instances."""
        return [(self._count_here(each.now), self._count_here(each.before)) for each in windows]

    def _count_here(self, bucket: str) -> int:
        """Return the largest count of a bucket that this process has seen."""
        kept = self._here.get(bucket)
        return kept[1] if kept is not None else 0

    def _remember(self, counts: Sequence[tuple[Buckets, tuple[int, int]]], moment: float, by: int) -> None:
        """Keep the counts, so that this process goes on from them when Redis does not answer."""
        if len(self._here) >= MOST_COUNTS_HERE:
            self._here = {name: each for name, each in self._here.items() if each[0] > moment}
        if len(self._here) >= MOST_COUNTS_HERE:
            self._here.clear()
        for each, (now, _) in counts:
            self._here[each.now] = (moment + each.kept_s, max(self._count_here(each.now), now + by))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._link.aclose()
