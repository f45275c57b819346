"""Two instances of one server under measurement."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bench.dialects import Talk
from bench.figures import Figures
from bench.fleet.dialects import PairDialect
from bench.fleet.parts import Shared
from bench.programs import Program, cpu_ns
from bench.target import SETTLE_S, Refused
from bench.tokens import Judged
from bench.wire import PATIENCE_S, Wire


@dataclass(frozen=True)
class Spent:
    """CPU in ns of the side that runs, of the side that watches, and of Valkey; and the time."""

    runs_ns: int
    watches_ns: int
    redis_ns: int
    wall_ns: int


@dataclass
class Watched:
    """A conversation and the sockets that watch it."""

    talk: Talk
    wires: list[Wire]


@dataclass
class Pair:
    """One side runs the conversations, the other watches them."""

    name: str
    dialect: PairDialect
    runs: Program
    watches: Program
    shared: Shared
    figures: Figures = field(default_factory=Figures)
    wires: list[Wire] = field(default_factory=list)

    async def open(self, count: int, *, turned: bool = False) -> list[Watched]:
        """Open conversations, each watched by one socket on the other side; `turned` swaps the sides."""
        here, there = (self.watches, self.runs) if turned else (self.runs, self.watches)
        talks = await self.dialect.open(here.port, count)
        found = [Watched(each, await self.dialect.watch(there.port, each, 1)) for each in talks]
        self.wires += [wire for each in found for wire in (each.talk.wire, *each.wires)]
        return found

    async def more(self, watched: Watched, program: Program, count: int) -> None:
        """Let more sockets watch, on one of the sides."""
        wires = await self.dialect.watch(program.port, watched.talk, count)
        watched.wires += wires
        self.wires += wires

    async def spent(self, work: Callable[[], Awaitable[None]]) -> Spent:
        """Do some work and say what it cost."""
        before = self._clocks()
        await work()
        await asyncio.sleep(SETTLE_S)
        return Spent(*(now - then for now, then in zip(self._clocks(), before, strict=True)))

    async def ask_all(self, watched: list[Watched], prompt: str, count: int, *, within_s: float) -> Judged:
        """Ask everywhere, one after the other within so many seconds; judge what the watchers saw."""
        judged = Judged()

        async def one(place: int, each: Watched) -> tuple[Watched, int]:
            await asyncio.sleep(place / len(watched) * within_s)
            ends = [wire.expect(self.dialect.ends) for wire in each.wires]
            asked = each.talk.wire.send(self.dialect.asking(each.talk, prompt))
            async with asyncio.timeout(PATIENCE_S + within_s + 60):
                await asyncio.gather(*ends)
            return each, asked

        async with asyncio.TaskGroup() as group:
            doing = [group.create_task(one(*each)) for each in enumerate(watched)]
        for each, asked in (task.result() for task in doing):
            for wire in each.wires:
                last = wire.frames[-1][1]
                if self.dialect.refused(last):
                    raise Refused(last.decode())
                judged.add(wire.frames, self.dialect.text, asked=asked, count=count)
        self.figures.faults += judged.faults
        if judged.faults:
            told = f"{judged.lost} lost, {judged.doubled} doubled, {judged.misordered} misordered"
            print(f"{self.name}: {told}")
        return judged

    async def close(self) -> None:
        """Close all that is open and let both sides see it."""
        while self.wires:
            self.wires.pop().close()
        await asyncio.sleep(SETTLE_S)

    def _clocks(self) -> tuple[int, int, int, int]:
        redis = cpu_ns(self.shared.redis.pid)
        return self.runs.cpu_ns(), self.watches.cpu_ns(), redis, time.monotonic_ns()
