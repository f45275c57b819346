"""The scenarios: each drives one server once and gives its figures."""

import asyncio
from dataclasses import replace

from bench import figures
from bench.capacity import capacity
from bench.dialects import FragmentsDialect
from bench.figures import Figure
from bench.memory import memory
from bench.target import Asked, Cost, Target, ask, ask_all
from bench.tokens import Judged, percentile
from bench.wire import PATIENCE_S

PACED_SESSIONS, PACED_TOKENS, RATE, STARTS_S = 40, 300, 50, 1.0
BURST_SESSIONS, BURST_TOKENS = 20, 1500
RUN_SESSIONS, RUNS_EACH = 10, 10
WATCHERS, WATCHED_TOKENS = 50, 100
DELIVERIES = (WATCHERS + 1) * WATCHED_TOKENS


async def warm(target: Target) -> None:
    """Let everything happen once that happens once."""
    talks = await target.open(4)
    for each in talks:
        await ask(target, each, "tokens=20 rate=0")


async def paced(target: Target) -> None:
    """Many conversations at the pace of a real model, which start one after the other within a second."""
    cost, judged = await _paced(target)
    tokens, tell = PACED_SESSIONS * PACED_TOKENS, target.figures.tell
    tell(figures.PACED_CPU, cost.own_ns / tokens / 1e3, cost.apart_ns / tokens / 1e3)
    tell(figures.PACED_LOAD, cost.load_share(STARTS_S) * 100)
    tell(figures.PACED_P50, percentile(judged.latencies_ms, 0.5))
    tell(figures.PACED_P99, percentile(judged.latencies_ms, 0.99))
    tell(figures.PACED_STALL, max(judged.latencies_ms))
    tell(figures.FIRST, percentile(judged.firsts_ms, 0.5))
    if steady := judged.steady_ms():
        tell(figures.STEADY_P50, percentile(steady, 0.5))
        tell(figures.STEADY_P99, percentile(steady, 0.99))


async def paced_drawn(target: Target) -> None:
    """The same, as the page asks for it: with fragments."""
    cost, judged = await _paced(await _drawn(target))
    tell = target.figures.tell
    tell(figures.DRAWN_CPU, cost.own_ns / (PACED_SESSIONS * PACED_TOKENS) / 1e3)
    tell(figures.DRAWN_P50, percentile(judged.latencies_ms, 0.5))
    tell(figures.DRAWN_P99, percentile(judged.latencies_ms, 0.99))
    tell(figures.DRAWN_FIRST, percentile(judged.firsts_ms, 0.5))
    _compare(target, figures.DRAWN_TIMES, figures.DRAWN_CPU, figures.PACED_CPU)


async def _paced(target: Target) -> tuple[Cost, Judged]:
    talks = await target.open(PACED_SESSIONS)
    asked: list[Asked] = []

    async def everybody() -> None:
        asked.extend(await ask_all(target, talks, f"tokens={PACED_TOKENS} rate={RATE}", within_s=STARTS_S))

    return await target.cost(everybody), target.judge(asked, PACED_TOKENS)


async def burst(target: Target) -> None:
    """As fast as it goes."""
    talks = await target.open(BURST_SESSIONS)
    asked: list[Asked] = []

    async def everybody() -> None:
        asked.extend(await ask_all(target, talks, f"tokens={BURST_TOKENS} rate=0", within_s=0))

    cost = await target.cost(everybody)
    target.judge(asked, BURST_TOKENS)
    tokens = BURST_SESSIONS * BURST_TOKENS
    target.figures.tell(figures.BURST, tokens / cost.own_ns * 1e9)
    target.figures.tell(figures.BURST_CPU, cost.own_ns / tokens / 1e3, cost.apart_ns / tokens / 1e3)


async def runs(target: Target) -> None:
    """Measure what a run costs without its text: answers of one token, one after another."""
    talks = await target.open(RUN_SESSIONS)
    took: list[float] = []

    async def in_turn() -> None:
        for _ in range(RUNS_EACH):
            for talk in talks:
                wire, asked = await ask(target, talk, "tokens=1 rate=0")
                took.append((wire.frames[-1][0] - asked) / 1e6)
                target.judge([(wire, asked)], 1)

    cost = await target.cost(in_turn)
    count = RUN_SESSIONS * RUNS_EACH
    target.figures.tell(figures.RUN_CPU, cost.own_ns / count / 1e6, cost.apart_ns / count / 1e6)
    target.figures.tell(figures.RUN_P50, percentile(took, 0.5))
    target.figures.tell(figures.RUN_P99, percentile(took, 0.99))


async def watched(target: Target) -> None:
    """Measure one conversation that many sockets watch."""
    cost = await _watched(target)
    target.figures.tell(
        figures.DELIVERY_CPU, cost.own_ns / DELIVERIES / 1e3, cost.apart_ns / DELIVERIES / 1e3
    )


async def watched_drawn(target: Target) -> None:
    """The same, with fragments for all of them."""
    cost = await _watched(await _drawn(target))
    target.figures.tell(figures.DRAWN_DELIVERY_CPU, cost.own_ns / DELIVERIES / 1e3)
    _compare(target, figures.DRAWN_DELIVERY_TIMES, figures.DRAWN_DELIVERY_CPU, figures.DELIVERY_CPU)


async def _watched(target: Target) -> Cost:
    (talk,) = await target.open(1)
    wires = await target.watch(talk, WATCHERS)
    judged: list[Asked] = []

    async def everybody() -> None:
        ends = [each.expect(target.dialect.ends) for each in wires]
        wire, asked = await ask(target, talk, f"tokens={WATCHED_TOKENS} rate={RATE}")
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*ends)
        judged.extend([(wire, asked), *((each, asked) for each in wires)])

    cost = await target.cost(everybody)
    target.judge(judged, WATCHED_TOKENS)
    return cost


async def _drawn(target: Target) -> Target:
    """Return the same server, spoken to as the page does; its templates are read before anything is measured."""
    drawn = replace(target, dialect=FragmentsDialect())
    await warm(drawn)
    await drawn.close()
    return drawn


def _compare(target: Target, times: Figure, drawn: Figure, plain: Figure) -> None:
    """Tell how much dearer fragments are, when the same round has measured what is without."""
    values = target.figures.values
    if plain in values:
        target.figures.tell(times, values[drawn] / values[plain])


SCENARIOS = {
    each.__name__: each
    for each in (memory, paced, paced_drawn, burst, runs, watched, watched_drawn, capacity)
}
"""In this order: memory is measured while the process is young, and capacity when nothing comes after."""
ONCE = {"memory", "capacity"}
"""Long, or always the same: the servers to compare with do these in the first round only."""
OWN = {"paced_drawn", "watched_drawn"}
"""Loopwire's alone: nobody else has fragments."""
