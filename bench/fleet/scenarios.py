"""The scenarios of two instances: each drives one pair once and gives its figures."""

import asyncio
import time

from bench.fleet import figures
from bench.fleet.dialects import SessionDialect
from bench.fleet.pair import Pair, Watched
from bench.target import SETTLE_S
from bench.tokens import percentile

REMOTE_SESSIONS, REMOTE_TOKENS, RATE = 20, 300, 50
FANOUT_EACH, FANOUT_TOKENS = 50, 100
STORM, STORM_AT_ONCE = 2_000, 20
SOAK_SESSIONS, SOAK_TOKENS, SOAK_RATE = 200, 300, 5
TOLD_LATE_S = 11.0
"""PostgreSQL's backends tell their counts ten seconds late at most, when nothing else comes."""


async def warm(pair: Pair) -> None:
    """Let everything happen once that happens once."""
    await pair.ask_all(await pair.open(2), "tokens=20 rate=0", 20, within_s=0)


async def remote(pair: Pair) -> None:
    """Every session is watched from the instance that does not run it."""
    watched = await pair.open(REMOTE_SESSIONS)
    found = []

    async def everybody() -> None:
        prompt = f"tokens={REMOTE_TOKENS} rate={RATE}"
        found.append(await pair.ask_all(watched, prompt, REMOTE_TOKENS, within_s=1.0))

    spent = await pair.spent(everybody)
    deliveries = REMOTE_SESSIONS * REMOTE_TOKENS * 1e3
    pair.figures.tell(figures.REMOTE_P50, percentile(found[0].latencies_ms, 0.5))
    pair.figures.tell(figures.REMOTE_P99, percentile(found[0].latencies_ms, 0.99))
    pair.figures.tell(figures.REMOTE_CPU, spent.watches_ns / deliveries, spent.redis_ns / deliveries)


async def fanout(pair: Pair) -> None:
    """Measure one session that fifty sockets on each instance watch."""
    (watched,) = await pair.open(1)
    await pair.more(watched, pair.watches, FANOUT_EACH - 1)
    await pair.more(watched, pair.runs, FANOUT_EACH)
    found = []

    async def everybody() -> None:
        prompt = f"tokens={FANOUT_TOKENS} rate={RATE}"
        found.append(await pair.ask_all([watched], prompt, FANOUT_TOKENS, within_s=0))

    spent = await pair.spent(everybody)
    deliveries = 2 * FANOUT_EACH * FANOUT_TOKENS * 1e3
    cpu = (spent.runs_ns + spent.watches_ns) / deliveries
    pair.figures.tell(figures.FANOUT_CPU, cpu, spent.redis_ns / deliveries)
    pair.figures.tell(figures.FANOUT_P99, percentile(found[0].latencies_ms, 0.99))


async def storm(pair: Pair) -> None:
    """Two thousand sockets are dropped at once and come back to either instance. Only sessions can be resumed."""
    if not isinstance(pair.dialect, SessionDialect):
        return
    dialect = pair.dialect
    talks = await dialect.open(pair.runs.port, STORM)
    for first in range(0, STORM, STORM_AT_ONCE):
        some = [Watched(each, [each.wire]) for each in talks[first : first + STORM_AT_ONCE]]
        await pair.ask_all(some, "tokens=1 rate=0", 1, within_s=0)
    standing = [dialect.standing(each) for each in talks]
    for each in talks:
        each.wire.abort()
    idle = await _transactions(pair, asyncio.sleep(0))
    resumed: list[int] = []
    took: list[float] = []

    async def back() -> None:
        began = time.monotonic()
        resumed.append(await dialect.resume([pair.runs.port, pair.watches.port], standing))
        took.append(time.monotonic() - began)

    spent = None

    async def measured() -> None:
        nonlocal spent
        spent = await pair.spent(back)

    done = await _transactions(pair, measured())
    assert spent is not None
    per_second = idle[0] / idle[1]
    pair.figures.tell(figures.STORM_S, took[0])
    cpu_ms = (spent.runs_ns + spent.watches_ns) / STORM / 1e6
    pair.figures.tell(figures.STORM_CPU, cpu_ms, spent.redis_ns / STORM / 1e6)
    pair.figures.tell(figures.STORM_MISSED, STORM - resumed[0])
    pair.figures.tell(figures.STORM_QUERIES, max(done[0] - per_second * done[1], 0) / STORM)


async def soak(pair: Pair) -> None:
    """A minute of many slow streams, half of them run on either side and watched from the other."""
    if not isinstance(pair.dialect, SessionDialect):
        return
    half = SOAK_SESSIONS // 2
    watched = await pair.open(half) + await pair.open(half, turned=True)
    prompt = f"tokens={SOAK_TOKENS} rate={SOAK_RATE}"
    asking = asyncio.ensure_future(pair.ask_all(watched, prompt, SOAK_TOKENS, within_s=5.0))
    await asyncio.sleep(SOAK_TOKENS / SOAK_RATE / 2)
    before = pair.runs.resident_bytes() + pair.watches.resident_bytes()
    await asyncio.sleep(SOAK_TOKENS / SOAK_RATE / 2 - 5)
    after = pair.runs.resident_bytes() + pair.watches.resident_bytes()
    judged = await asking
    pair.figures.tell(figures.SOAK_P99, percentile(judged.latencies_ms, 0.99))
    pair.figures.tell(figures.SOAK_GROWTH, (after - before) / 2**20)


async def _transactions(pair: Pair, work: object) -> tuple[int, float]:
    """Count the database's transactions during some work and the time until they are told."""
    began, before = time.monotonic(), await pair.shared.transactions()
    await work  # type: ignore[misc]  # Any awaitable.
    await asyncio.sleep(TOLD_LATE_S + SETTLE_S)
    return await pair.shared.transactions() - before, time.monotonic() - began


SCENARIOS = {each.__name__: each for each in (remote, fanout, storm, soak)}
