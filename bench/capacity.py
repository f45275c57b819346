"""Capacity: the most sessions at the pace of a real model whose tokens still come in time."""

import asyncio
import sys
import time
from dataclasses import dataclass

from bench import figures
from bench.dialects import Talk
from bench.target import SETTLE_S, TROUBLE, Asked, Cost, Target, ask_all, first
from bench.tokens import percentile
from bench.wire import PATIENCE_S

IN_TIME_MS = 50.0
TOKENS, RATE, STARTS_S = 200, 50, 2.0
FIRST, STEP, MOST = 10, 1.08, 70
"""The sessions that are tried: 10, and 8 % more each, up to some 2,000."""
LEAP, LONGEST_LEAP = 4, 8
"""The first leap, and the longest: the next would ask for three times as many, and a refusal then says little."""

SEARCH_S = 54.0
PROBE, ROOM = 40, 0.8
LOAD_LIMIT = 0.9
CALM_NS = SETTLE_S * 1e9 / 5


def sessions(step: int) -> int:
    """Return how many sessions a step of the search stands for."""
    return round(FIRST * STEP**step)


def step_of(count: float) -> int:
    """Return the step that comes nearest to so many sessions."""
    found = 0
    while found < MOST and sessions(found) * STEP**0.5 < count:
        found += 1
    return found


@dataclass
class Search:
    """Leaps up or down, until the limit lies between two steps, then halves the distance.

    A leap is twice the one before, but for the longest.
    """

    start: int
    leap: int = LEAP
    carried: int = -1
    failed: int = MOST + 1

    def next(self) -> int | None:
        """Return the step to try, or None when the answer is known."""
        if self.failed - self.carried <= 1:
            return None
        if self.carried < 0 and self.failed > MOST:
            return self.start
        if self.failed > MOST:
            return min(self.carried + self.leap, MOST)
        if self.carried < 0:
            return max(self.failed - self.leap, 0)
        return (self.carried + self.failed) // 2

    def tell(self, step: int, carried: bool) -> None:
        """Take the result of a try."""
        if step != self.start:
            self.leap = min(2 * self.leap, LONGEST_LEAP)
        if carried:
            self.carried = max(self.carried, step)
        else:
            self.failed = min(self.failed, step)


@dataclass
class Try:
    """What came of one try; `busy` is how busy the load was."""

    carried: bool
    busy: float


async def capacity(target: Target) -> None:
    """Search until the answer is known or the time is over; around the answer of the round before, if there is one."""
    known = target.before.values.get(figures.CAPACITY)
    talks: list[Talk] = []
    began = time.monotonic()
    search = Search(step_of(known), leap=1) if known else Search(await _guess(target, talks))
    tries: dict[int, Try] = {}
    while (step := search.next()) is not None and time.monotonic() - began < SEARCH_S:
        tries[step] = await _try(target, talks, sessions(step))
        search.tell(step, tries[step].carried)
    best, failed = tries.get(search.carried), tries.get(search.failed)
    count = sessions(search.carried) if best else 0
    load_gave_up = failed is not None and failed.busy > LOAD_LIMIT
    target.figures.tell(figures.CAPACITY, count, at_least=failed is None or load_gave_up)
    if best:
        target.figures.tell(figures.CAPACITY_LOAD, best.busy * 100)


async def _guess(target: Target, talks: list[Talk]) -> int:
    """Begin where server and load should still have room, by what a few sessions cost them."""
    cost, _ = await _stream(target, talks, PROBE)
    dearer = max(cost.own_ns, cost.load_ns + cost.apart_ns)
    return step_of(ROOM * PROBE * TOKENS / RATE / (dearer / 1e9))


async def _try(target: Target, talks: list[Talk], count: int) -> Try:
    """Let so many sessions stream at once. A server that refuses or closes has not carried them."""
    try:
        cost, asked = await _stream(target, talks, count)
    except* TROUBLE as errors:
        print(f"capacity of {target.name}: {count} sessions: {first(errors)!r}", file=sys.stderr)
        await target.close()
        await _calm(target)
        talks.clear()
        asked = []
    if not asked:
        return Try(False, 0)
    p99 = percentile(target.judge(asked, TOKENS).latencies_ms, 0.99)
    found = Try(p99 < IN_TIME_MS, cost.load_share(STARTS_S))
    print(
        f"capacity of {target.name}: {count} sessions: p99 {p99:.1f} ms, load's core {found.busy:.0%} busy",
        file=sys.stderr,
    )
    return found


async def _calm(target: Target) -> None:
    """Wait until a server that goes on without its sockets has nothing left to do."""
    async with asyncio.timeout(PATIENCE_S):
        while (await target.cost(_nothing)).own_ns > CALM_NS:
            pass


async def _nothing() -> None:
    return


async def _stream(target: Target, talks: list[Talk], count: int) -> tuple[Cost, list[Asked]]:
    """Open what is missing, then let all begin within two seconds."""
    talks += await target.open(max(count - len(talks), 0))
    asked: list[Asked] = []

    async def everybody() -> None:
        prompt = f"tokens={TOKENS} rate={RATE}"
        async with asyncio.timeout(3 * (STARTS_S + TOKENS / RATE)):
            asked.extend(await ask_all(target, talks[:count], prompt, within_s=STARTS_S))

    return await target.cost(everybody), asked
