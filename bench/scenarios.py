"""The scenarios: each drives one server once and gives its figures."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bench.dialects import Dialect, Talk
from bench.programs import Program
from bench.tokens import Judged, percentile
from bench.wire import PATIENCE_S, Wire

SETTLE_S = 0.1
"""After the last frame a server may still write down what it told: that is part of its cost."""

PACED_SESSIONS, PACED_TOKENS, RATE = 40, 100, 50
BURST_SESSIONS, BURST_TOKENS = 20, 1500
RUN_SESSIONS, RUNS_EACH = 10, 10
WATCHERS = 50
IDLE = 500


@dataclass
class Figures:
    """What one server needed in one round; by the name of the figure, Valkey's share apart."""

    values: dict[str, float] = field(default_factory=dict)
    apart: dict[str, float] = field(default_factory=dict)
    faults: int = 0

    def tell(self, name: str, value: float, apart: float | None = None) -> None:
        """Note one figure."""
        self.values[name] = value
        if apart is not None:
            self.apart[name] = apart


@dataclass
class Target:
    """One server under measurement."""

    name: str
    dialect: Dialect
    program: Program
    figures: Figures = field(default_factory=Figures)

    async def cost(self, work: Callable[[], Awaitable[None]]) -> tuple[int, int]:
        """Do some work, and give the CPU in ns that it cost the server and its children."""
        before, apart = self.program.cpu_ns(), self.program.children_cpu_ns()
        await work()
        await asyncio.sleep(SETTLE_S)
        return self.program.cpu_ns() - before, self.program.children_cpu_ns() - apart

    def judge(self, wires: list[tuple[Wire, int]], tokens: int) -> Judged:
        """Judge what came to sockets that were asked at these times."""
        judged = Judged()
        for wire, asked in wires:
            judged.add(wire.frames, self.dialect.text, asked=asked, count=tokens)
        if judged.faults:
            print(
                f"{self.name}: {judged.lost} lost, {judged.doubled} doubled, {judged.misordered} misordered"
            )
        self.figures.faults += judged.faults
        return judged


async def ask(target: Target, talk: Talk, prompt: str) -> tuple[Wire, int]:
    """Ask, and wait until the answer has ended; gives the socket and when it was asked."""
    ended = talk.wire.expect(target.dialect.ends)
    asked = talk.wire.send(target.dialect.question(prompt))
    async with asyncio.timeout(PATIENCE_S):
        await ended
    return talk.wire, asked


async def idle(target: Target) -> None:
    """Memory of a socket that says nothing: growth over many, after some have come and gone."""
    await _close([each.wire for each in await target.dialect.open(target.program.port, 50)])
    before = target.program.resident_bytes()
    talks = await target.dialect.open(target.program.port, IDLE)
    await asyncio.sleep(SETTLE_S)
    grown = target.program.resident_bytes() - before
    target.figures.tell("memory of an idle socket, KiB", grown / IDLE / 1024)
    await _close([each.wire for each in talks])


async def warm(target: Target) -> None:
    """Let everything happen once that happens once."""
    talks = await target.dialect.open(target.program.port, 4)
    for each in talks:
        await ask(target, each, "tokens=20 rate=0")
    await _close([each.wire for each in talks])


async def paced(target: Target) -> None:
    """Many conversations at the pace of a real model, which start one after the other within a second."""
    talks = await target.dialect.open(target.program.port, PACED_SESSIONS)
    asked: list[tuple[Wire, int]] = []

    async def one(place: int, talk: Talk) -> None:
        await asyncio.sleep(place / PACED_SESSIONS)
        asked.append(await ask(target, talk, f"tokens={PACED_TOKENS} rate={RATE}"))

    async def everybody() -> None:
        await asyncio.gather(*(one(place, talk) for place, talk in enumerate(talks)))

    cpu, apart = await target.cost(everybody)
    judged = target.judge(asked, PACED_TOKENS)
    tokens = PACED_SESSIONS * PACED_TOKENS
    target.figures.tell("CPU of a token, paced, us", cpu / tokens / 1e3, apart / tokens / 1e3)
    target.figures.tell("added latency p50, ms", percentile(judged.latencies_ms, 0.5))
    target.figures.tell("added latency p99, ms", percentile(judged.latencies_ms, 0.99))
    target.figures.tell("time to first token p50, ms", percentile(judged.firsts_ms, 0.5))
    await _close([each.wire for each in talks])


async def burst(target: Target) -> None:
    """As fast as it goes."""
    talks = await target.dialect.open(target.program.port, BURST_SESSIONS)
    asked: list[tuple[Wire, int]] = []

    async def everybody() -> None:
        prompt = f"tokens={BURST_TOKENS} rate=0"
        asked.extend(await asyncio.gather(*(ask(target, talk, prompt) for talk in talks)))

    cpu, apart = await target.cost(everybody)
    target.judge(asked, BURST_TOKENS)
    tokens = BURST_SESSIONS * BURST_TOKENS
    target.figures.tell("tokens in a CPU second, burst", tokens / cpu * 1e9)
    target.figures.tell("CPU of a token, burst, us", cpu / tokens / 1e3, apart / tokens / 1e3)
    await _close([each.wire for each in talks])


async def runs(target: Target) -> None:
    """What a run costs without its text: answers of one token, one after another."""
    talks = await target.dialect.open(target.program.port, RUN_SESSIONS)
    took: list[float] = []

    async def in_turn() -> None:
        for _ in range(RUNS_EACH):
            for talk in talks:
                wire, asked = await ask(target, talk, "tokens=1 rate=0")
                took.append((wire.frames[-1][0] - asked) / 1e6)
                target.judge([(wire, asked)], 1)

    cpu, apart = await target.cost(in_turn)
    count = RUN_SESSIONS * RUNS_EACH
    target.figures.tell("CPU of a run, ms", cpu / count / 1e6, apart / count / 1e6)
    target.figures.tell("a run of one token p50, ms", percentile(took, 0.5))
    await _close([each.wire for each in talks])


async def watched(target: Target) -> None:
    """One conversation that many sockets watch."""
    (talk,) = await target.dialect.open(target.program.port, 1)
    wires = await target.dialect.watch(target.program.port, talk, WATCHERS)
    judged: list[tuple[Wire, int]] = []

    async def everybody() -> None:
        ends = [each.expect(target.dialect.ends) for each in wires]
        wire, asked = await ask(target, talk, f"tokens={PACED_TOKENS} rate={RATE}")
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*ends)
        judged.extend([(wire, asked), *((each, asked) for each in wires)])

    cpu, apart = await target.cost(everybody)
    target.judge(judged, PACED_TOKENS)
    deliveries = (WATCHERS + 1) * PACED_TOKENS
    target.figures.tell(
        f"CPU of a delivery, {WATCHERS} watchers, us", cpu / deliveries / 1e3, apart / deliveries / 1e3
    )
    await _close([talk.wire, *wires])


async def _close(wires: list[Wire]) -> None:
    """Close sockets and let the server see it."""
    for each in wires:
        each.close()
    await asyncio.sleep(SETTLE_S)


SCENARIOS = {each.__name__: each for each in (idle, paced, burst, runs, watched)}
"""In this order: memory is measured while the process is young."""
