"""Attacks on one server while people talk: what these waited for, how the loop stalled, the log, the memory."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import psutil

from tests.attacks.attack import PATIENCE_S, Attack
from tests.attacks.people import Person, crowd, p99
from tests.attacks.watched import Stall, stalls_of
from tests.parts.server import MANY, ROOT, STRICT, Served, served
from tests.parts.wait import paced, until_async

SETTINGS = {
    "LOOPWIRE_DEMO_DELAY_MS": "5",
    "LOOPWIRE_TRUSTED_PROXIES": "127.0.0.1",
    **STRICT,
    # Who measures asks more often than people do.
    "LOOPWIRE_LIMIT_READS_PER_ADDRESS": MANY,
    # What grows by design is full soon: what grows besides it is seen.
    "LOOPWIRE_CONVERSATION_CACHE_MB": "4",
}
"""What a server is started with: answers take a moment, and an attack may come from any address."""

CONTROL_S = 2.0
MOST_WARNINGS = 20
MIB = 1024 * 1024
MOST_GROWTH = 48 * MIB
MOST_PEAK = 256 * MIB
"""Memory beyond that before the attack, while it lasts."""
REST_TURNS = 25


@dataclass(frozen=True)
class Bounds:
    """The bounds that hold during an attack, in seconds."""

    wait_s: float = 1.0
    """Nobody waits longer, beyond what the same people waited on the same machine just before."""
    p99_s: float = 0.05
    """Of 100 requests 99 wait no longer, beyond twice what they waited just before."""
    stall_s: float = 0.25
    """The longest time without a turn of the loop. Time in which the machine gave its core to others does not count."""


@dataclass
class Verdict:
    """The findings of one trial."""

    attack: str
    broken: list[str] = field(default_factory=list)
    control: str = ""
    during: str = ""
    statuses: dict[str, int] = field(default_factory=dict)
    grown: int = 0
    peak: int = 0
    late: Stall | None = None
    """The longest stall of the loop, and the longest for which it is itself to blame."""
    own: Stall | None = None

    def __str__(self) -> str:
        """Say it in a few lines."""
        memory = f"memory +{self.grown / MIB:.0f} MiB, at most +{self.peak / MIB:.0f}"
        lines = [f"{self.attack}: {'BROKEN' if self.broken else 'held'}; {memory}; answers {self.statuses}"]
        lines += [f"  before: {self.control}", f"  during: {self.during}"]
        lines += [f"  loop:   {_told(each)}" for each in (self.late, self.own) if each is not None]
        return "\n".join([*lines, *(f"  ! {each}" for each in self.broken)])


@contextmanager
def attackable() -> Iterator[Served]:
    """Yield a server whose loop is watched."""
    with served(SETTINGS, module="tests.attacks.watched") as running:
        yield running


class Trials:
    """Attacks on a server where people are; what each person did before an attack says how fast the machine is."""

    def __init__(self, served: Served, people: list[Person], bounds: Bounds) -> None:
        """Judge by these bounds."""
        self._served = served
        self._people = people
        self._bounds = bounds
        self._process = psutil.Process(served.process.pid)
        self._control = ""
        self._slow = self._usual = 0.0
        """The longest wait of all, and the p99 of requests, before the attack."""

    async def control(self) -> None:
        """Measure what people wait for without an attack."""
        await until_async(lambda: all(each.acks.times for each in self._people), what="the first answers")
        for each in self._people:
            each.forget()
        await paced(CONTROL_S)
        self._control, self._slow = _waits(self._people), _worst(self._people)
        self._usual = _p99(self._people)

    async def run(self, kind: type[Attack], *, seed: int, seconds: float) -> Verdict:
        """Attack, and judge."""
        verdict = Verdict(kind.name, control=self._control)
        if any(each.over for each in self._people):
            verdict.broken.append("somebody had left before it began")
            return verdict
        await self._forget()
        before, said, began = self._process.memory_info().rss, len(self._served.log_text()), time.monotonic()
        await _struck(kind, self._served, verdict, self._process, before, seed=seed, seconds=seconds)
        verdict.during = _waits(self._people)
        if (worst := _worst(self._people)) > self._bounds.wait_s + 2 * self._slow:
            verdict.broken.append(f"somebody waited {worst:.2f} s (before: {self._slow:.2f} s)")
        if (slow := _p99(self._people)) > self._bounds.p99_s + 2 * self._usual:
            verdict.broken.append(f"requests waited {slow:.3f} s (p99; before: {self._usual:.3f} s)")
        verdict.broken += self.complaints()
        verdict.grown = await self._rest(before)
        if verdict.peak > MOST_PEAK:
            verdict.broken.append(f"{verdict.peak >> 20} MiB of memory at once")
        if verdict.grown > MOST_GROWTH:
            verdict.broken.append(f"{verdict.grown >> 20} MiB of memory stay")
        self._judge_loop(verdict, began)
        _judge_log(self._served.log_text()[said:], verdict)
        return verdict

    async def _rest(self, before: int) -> int:
        """Return the bytes that stay of an attack; what is held for its last clients is given back within seconds."""
        for _ in range(REST_TURNS):
            if self._process.memory_info().rss - before <= MOST_GROWTH:
                break
            await paced(0.2)
        return self._process.memory_info().rss - before

    async def _forget(self) -> None:
        """Forget what was measured while nobody looked: between two tests the people's loop stands still."""
        for each in self._people:
            each.forget()
        await until_async(lambda: all(each.lives for each in self._people), what="people who are still there")
        for each in self._people:
            each.forget()

    def complaints(self) -> list[str]:
        """Give what people complained about since the last time."""
        return [said for each in self._people for said in each.complaints()]

    def _judge_loop(self, verdict: Verdict, began: float) -> None:
        found = stalls_of(self._served.data_dir, began)
        verdict.late = max(found, key=lambda each: each.late, default=None)
        verdict.own = max(found, key=lambda each: each.own, default=None)
        if verdict.own is not None and verdict.own.own > self._bounds.stall_s:
            verdict.broken.append(f"the loop stalled: {_told(verdict.own)}")


@asynccontextmanager
async def trials(served: Served, bounds: Bounds) -> AsyncIterator[Trials]:
    """Have two people talk at a server. What they saw is compared with what is stored when they leave: `complaints`."""
    async with crowd(served, 2) as people:
        trying = Trials(served, people, bounds)
        await trying.control()
        yield trying


async def _struck(
    kind: type[Attack],
    served: Served,
    verdict: Verdict,
    process: psutil.Process,
    before: int,
    *,
    seed: int,
    seconds: float,
) -> None:
    """Run the attack in its own process and take over what it found."""
    asked = {"name": kind.name, "url": served.url, "seconds": seconds, "seed": seed}
    argv = [sys.executable, "-m", "tests.attacks.strike", json.dumps(asked)]
    child = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, stdout=PIPE, stderr=PIPE)
    reading = asyncio.gather(child.communicate(), return_exceptions=True)
    end = time.monotonic() + seconds + PATIENCE_S
    try:
        while not reading.done() and time.monotonic() < end:
            verdict.peak = max(verdict.peak, process.memory_info().rss - before)
            await asyncio.wait({reading}, timeout=0.1)
    finally:
        if child.returncode is None:
            verdict.broken.append(f"the attack got no answer for {PATIENCE_S:.0f} s")
            child.kill()
    (found,) = await reading
    if isinstance(found, BaseException):
        raise found
    out, error = found
    if child.returncode and not verdict.broken:
        verdict.broken.append(f"the attack itself failed: {error.decode()[-2000:]}")
    if child.returncode:
        return
    seen = json.loads(out)
    verdict.statuses = seen["statuses"]
    verdict.broken += seen["faults"]


def _judge_log(text: str, verdict: Verdict) -> None:
    """No failure of ours stands in the log, and no more lines than a person reads."""
    lines = text.splitlines()
    failures = [each for each in lines if "Traceback" in each or '"level": "ERROR"' in each]
    warnings = [each for each in lines if '"level": "WARNING"' in each]
    verdict.broken += [f"in the log: {each[:2000]}" for each in failures[:3]]
    if len(warnings) > MOST_WARNINGS:
        verdict.broken.append(f"{len(warnings)} warnings in the log, the last: {warnings[-1][:300]}")


def _told(stall: Stall) -> str:
    parts = f"computed {stall.cpu * 1000:.0f} ms and had no core for {stall.waited * 1000:.0f} ms"
    return f"{stall.late * 1000:.0f} ms late, of which it {parts} {stall.where}"


def _worst(people: list[Person]) -> float:
    return max(wait.worst for each in people for wait in (each.requests, each.pings, each.acks))


def _p99(people: list[Person]) -> float:
    return p99([each for person in people for each in person.requests.times])


def _waits(people: list[Person]) -> str:
    return "; ".join(f"requests {each.requests}, pings {each.pings}, acks {each.acks}" for each in people)
