"""One server under measurement: what work costs it, and whether every token came."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bench.dialects import Dialect, Talk
from bench.figures import Figures
from bench.programs import Model, Program
from bench.tokens import Judged
from bench.wire import PATIENCE_S, Wire

SETTLE_S = 0.1
"""After the last frame a server may still write down what it told: that is part of its cost."""

Asked = tuple[Wire, int]
"""A socket and the time in ns at which it asked."""


@dataclass(frozen=True)
class Cost:
    """CPU in ns of the server, of its children and of the load, and the time that it took."""

    own_ns: int
    apart_ns: int
    load_ns: int
    wall_ns: int

    def load_share(self, starts_s: float) -> float:
        """Return how busy the load kept its core while all streamed; near 1 it is the load that was measured."""
        return (self.load_ns + self.apart_ns) / (self.wall_ns - starts_s * 1e9)


TROUBLE = (ConnectionError, TimeoutError)
"""What a server does that cannot go on."""


class Refused(ConnectionError):
    """The server answered a question with an error."""


@dataclass
class Target:
    """One server under measurement; `before` are its figures of the round before."""

    name: str
    dialect: Dialect
    program: Program
    model: Model
    before: Figures = field(default_factory=Figures)
    figures: Figures = field(default_factory=Figures)
    wires: list[Wire] = field(default_factory=list)

    async def open(self, count: int, *, deflate: bool = False) -> list[Talk]:
        """Open so many conversations."""
        talks = await self.dialect.open(self.program.port, count, deflate=deflate)
        self.wires += [each.wire for each in talks]
        return talks

    async def watch(self, talk: Talk, count: int) -> list[Wire]:
        """Watch a conversation with so many sockets."""
        found = await self.dialect.watch(self.program.port, talk, count)
        self.wires += found
        return found

    async def close(self) -> None:
        """Close all that is open and let the server see it."""
        while self.wires:
            self.wires.pop().close()
        await asyncio.sleep(SETTLE_S)

    async def cost(self, work: Callable[[], Awaitable[object]]) -> Cost:
        """Do some work and say what it cost."""
        before = self._clocks()
        await work()
        await asyncio.sleep(SETTLE_S)
        return Cost(*(now - then for now, then in zip(self._clocks(), before, strict=True)))

    def judge(self, wires: list[Asked], tokens: int) -> Judged:
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

    def _clocks(self) -> tuple[int, int, int, int]:
        load = time.process_time_ns() + self.model.cpu_ns()
        return self.program.cpu_ns(), self.program.children_cpu_ns(), load, time.monotonic_ns()


async def ask(target: Target, talk: Talk, prompt: str) -> Asked:
    """Ask, and wait until the answer has ended. Raises Refused."""
    ended = talk.wire.expect(target.dialect.ends)
    asked = talk.wire.send(target.dialect.question(prompt))
    async with asyncio.timeout(PATIENCE_S):
        await ended
    last = talk.wire.frames[-1][1]
    if target.dialect.refused(last):
        raise Refused(last.decode())
    return talk.wire, asked


async def ask_all(target: Target, talks: list[Talk], prompt: str, *, within_s: float) -> list[Asked]:
    """Ask in each conversation, one after the other within so many seconds, and wait for all ends."""

    async def one(place: int, talk: Talk) -> Asked:
        await asyncio.sleep(place / len(talks) * within_s)
        return await ask(target, talk, prompt)

    async with asyncio.TaskGroup() as group:
        doing = [group.create_task(one(place, talk)) for place, talk in enumerate(talks)]
    return [each.result() for each in doing]


def first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first of many errors: they are mostly the same."""
    error = errors.exceptions[0]
    return first(error) if isinstance(error, BaseExceptionGroup) else error
