"""One attack on one server while people talk: what they waited for, what the log says, what memory stays."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from dataclasses import dataclass, field

import psutil

from tests.attacks.attack import PATIENCE_S, Attack
from tests.attacks.people import Person, crowd
from tests.parts.server import ROOT, STRICT, Served
from tests.parts.wait import paced, until_async

SETTINGS = {"LOOPWIRE_DEMO_DELAY_MS": "5", "LOOPWIRE_TRUSTED_PROXIES": "127.0.0.1", **STRICT}
"""What a server is started with: answers take a moment, and an attack may come from any address."""

CONTROL_S = 2.0
MOST_WAIT_S = 1.0
"""Nobody waits longer, beyond what the same people waited on the same machine just before."""
MOST_WARNINGS = 20
MOST_GROWTH = 48 * 1024 * 1024


@dataclass
class Verdict:
    """What one trial found."""

    attack: str
    broken: list[str] = field(default_factory=list)
    control: str = ""
    during: str = ""
    statuses: dict[str, int] = field(default_factory=dict)
    grown: int = 0
    peak: int = 0

    def __str__(self) -> str:
        """Say it in a few lines."""
        mib = 1024 * 1024
        memory = f"memory +{self.grown / mib:.0f} MiB, at most +{self.peak / mib:.0f}"
        lines = [f"{self.attack}: {'BROKEN' if self.broken else 'held'}; {memory}; answers {self.statuses}"]
        lines += [f"  before: {self.control}", f"  during: {self.during}"]
        return "\n".join([*lines, *(f"  ! {each}" for each in self.broken)])


async def tried(
    kind: type[Attack],
    served: Served,
    *,
    seed: int,
    seconds: float | None = None,
    most_wait_s: float = MOST_WAIT_S,
) -> Verdict:
    """Attack a server while two people talk, and judge."""
    verdict = Verdict(kind.name)
    process = psutil.Process(served.process.pid)
    async with crowd(served, 2) as people:
        await until_async(lambda: all(each.acks.times for each in people), what="everybody's first answer")
        for each in people:
            each.forget()
        await paced(CONTROL_S)
        verdict.control, slow = _waits(people), _worst(people)
        for each in people:
            each.forget()
        before, said = process.memory_info().rss, len(served.log_text())
        await _struck(kind, served, verdict, process, before, seed=seed, seconds=seconds or kind.seconds)
        verdict.during = _waits(people)
        if (worst := _worst(people)) > most_wait_s + 2 * slow:
            verdict.broken.append(f"somebody waited {worst:.2f} s (before: {slow:.2f} s)")
    verdict.broken += [each for person in people for each in person.broken]
    verdict.grown = process.memory_info().rss - before
    if verdict.grown > MOST_GROWTH:
        verdict.broken.append(f"{verdict.grown >> 20} MiB of memory stay")
    _judge_log(served.log_text()[said:], verdict)
    return verdict


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
    """No failure of ours stands in the log, and no more lines than somebody reads."""
    lines = text.splitlines()
    failures = [each for each in lines if "Traceback" in each or '"level": "ERROR"' in each]
    warnings = [each for each in lines if '"level": "WARNING"' in each]
    verdict.broken += [f"in the log: {each[:2000]}" for each in failures[:3]]
    if len(warnings) > MOST_WARNINGS:
        verdict.broken.append(f"{len(warnings)} warnings in the log, the last: {warnings[-1][:300]}")


def _worst(people: list[Person]) -> float:
    return max(wait.worst for each in people for wait in (each.requests, each.pings, each.acks))


def _waits(people: list[Person]) -> str:
    return "; ".join(f"requests {each.requests}, pings {each.pings}, acks {each.acks}" for each in people)
