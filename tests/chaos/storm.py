"""One run of the suite: people talk, faults come and go, and what was promised is looked at all the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from server.store.seal import Seal
from server.tasks import Tasks
from tests.chaos.final_checks import FinalChecks
from tests.chaos.fleet import Fleet
from tests.chaos.frame_checks import FrameChecks
from tests.chaos.person import Person
from tests.chaos.program import RestProgram
from tests.chaos.request_checks import Requested
from tests.chaos.schedule import Blow, blows, scripts
from tests.chaos.summary import summary
from tests.chaos.watch import Watch
from tests.parts.server import ROOT
from tests.parts.wait import paced

RUN_LIMIT_S = 300.0
"""What the services allow a run."""

GRACE_S = 30.0
LIVELY = 12
"""So many people may talk without much of a pause."""

JUDGED_AT_ONCE = 8

KEPT = 12
"""One in so many conversations stays open until the end, though nothing is said in it any more."""

AGREE_IN_STORM_S = 180.0
"""A tab may have to wait until some faults are over before it shows what is stored."""

RESULTS = ROOT / "test-results"


@dataclass(frozen=True)
class Plan:
    """The plan of a run: its length, the number of people, the rate of faults."""

    seed: int
    seconds: float
    people: int
    between: tuple[float, float]
    lease_s: float
    silence_s: float = 5.0
    programs: int = 5
    """So many programs ask services over REST meanwhile."""
    refused: float = 0.2
    """The share of callbacks whose first post is not taken; they come again after five seconds."""
    slack: float = 1.0
    """How much slower than promised this machine may be with other work beside."""
    only: str = ""
    """Only faults whose name begins so; for looking closer."""

    @property
    def api(self) -> str:
        """Return each dialect of the wire to the model with every other seed."""
        return "responses" if self.seed % 2 else "chat"

    @property
    def asks(self) -> bool:
        """With three of four seeds an item is made only after a person's yes."""
        return self.seed % 4 != 3

    @property
    def leisure(self) -> float:
        """Return the factor by which the pauses of so many people are longer: the test is not of how much one machine
        can bear.
        """
        return max(1.0, self.people / LIVELY)

    def blows(self) -> list[Blow]:
        """Return what will go wrong."""
        found = blows(self.seed, self.seconds, between=self.between)
        return [each for each in found if each.fault.name.startswith(self.only)]


@dataclass
class Storm:
    """A run; `say` takes lines for the person who watches."""

    plan: Plan
    say: Callable[[str], None]
    checks: FrameChecks = field(default_factory=FrameChecks)
    tasks: Tasks = field(default_factory=Tasks)
    people: list[Person] = field(default_factory=list)
    programs: list[RestProgram] = field(default_factory=list)
    over: bool = False

    async def run(self) -> list[str]:
        """Do it; gives the broken promises, none when all held."""
        plan = self.plan
        fleet = Fleet(
            plan.lease_s, plan.silence_s, plan.api, plan.asks, plan.slack, self.say, refused=plan.refused
        )
        held = False
        try:
            await fleet.start()
            await self._storm(fleet)
            held = not self.checks.violations
        finally:
            await self.tasks.aclose()
            if not held:
                fleet.keep_logs(self.results)
            await fleet.aclose()
        if self.checks.violations:
            (self.results / "report.txt").write_text(self.report())
        return self.checks.violations

    @property
    def results(self) -> Path:
        """Return where logs and report of a failed run are kept."""
        return RESULTS / f"chaos-{self.plan.seed}"

    async def _storm(self, fleet: Fleet) -> None:
        self.checks.started = time.time()
        watch = Watch(fleet, self.checks)
        watching = self.tasks.spawn(watch.run(), name="watch")
        talking = [
            self.tasks.spawn(self._talks(fleet, each), name=f"person {each}")
            for each in range(self.plan.people)
        ]
        self.programs = [self._program(fleet, each) for each in range(self.plan.programs)]
        talking += [self.tasks.spawn(each.work(), name=f"program {each.number}") for each in self.programs]
        began = time.monotonic()
        striking = [
            self.tasks.spawn(self._strike(fleet, each, began), name=each.fault.name)
            for each in self.plan.blows()
        ]
        await asyncio.gather(*striking)
        await paced(max(0.0, began + self.plan.seconds - time.monotonic()))
        self.over = True
        for each in (*self.people, *self.programs):
            each.over = True
        self.checks.mark("calm: every fault is healed, nobody begins anything")
        self.say(f"{time.monotonic() - began:6.1f} s  calm: what has begun may end")
        await asyncio.gather(*talking)
        await self._after(fleet, watch)
        watching.cancel()

    async def _after(self, fleet: Fleet, watch: Watch) -> None:
        final_checks = FinalChecks(fleet, self.checks, RUN_LIMIT_S + GRACE_S)
        await final_checks.judge_ends(RUN_LIMIT_S + GRACE_S)
        some = asyncio.Semaphore(JUDGED_AT_ONCE)

        async def closed(person: Person) -> None:
            async with some:
                await self._close(final_checks, person)

        await asyncio.gather(*(closed(each) for each in tuple(self.people)))
        seal = Seal(fleet.secret.encode())
        requested = Requested(fleet.durable.rows, fleet.hooks, seal, self.checks, RUN_LIMIT_S + GRACE_S)
        await asyncio.gather(
            *(requested.judge(each) for program in self.programs for each in program.requests)
        )
        fleet.give_up_streams()
        await final_checks.judge_leftovers()
        final_checks.judge_logs()
        for each in fleet.blamed:
            self.checks.blame(each)
        for what, seconds in watch.longest.items():
            self.checks.took_time(f"a run {what}", seconds)
        self.checks.counts["lives"] = sum(each.lives for each in fleet.instances.values())
        self.checks.counts["lives in vain"] = sum(len(each.in_vain) for each in fleet.instances.values())

    def _program(self, fleet: Fleet, number: int) -> RestProgram:
        rng = Random(f"{self.plan.seed} program {number}")
        patience_s = RUN_LIMIT_S + GRACE_S
        return RestProgram(fleet.url, fleet.hooks.address, self.checks, rng, self.plan.leisure, patience_s)

    async def _talks(self, fleet: Fleet, number: int) -> None:
        """One conversation after the other."""
        rng = Random(f"{self.plan.seed} jitter {number}")
        final_checks = FinalChecks(fleet, self.checks, RUN_LIMIT_S + GRACE_S, AGREE_IN_STORM_S)
        for place, script in enumerate(scripts(self.plan.seed, number, self.plan.leisure)):
            if self.over:
                return
            photos = Random(f"{self.plan.seed} photos {number} {place}")
            person = Person(
                fleet.url,
                script,
                self.checks,
                rng,
                photos,
                RUN_LIMIT_S + GRACE_S,
                fleet.expire,
                Random(f"versions {script.opening}"),
            )
            self.people.append(person)
            await person.talk()
            if not self.over and (place + number) % KEPT:
                await self._close(final_checks, person)

    async def _close(self, final_checks: FinalChecks, person: Person) -> None:
        """Judge what is over, and close its tabs."""
        self.people.remove(person)
        await final_checks.judge(person.record, RUN_LIMIT_S + GRACE_S)
        for tab in person.tabs:
            await tab.leave()
        self.checks.counts["conversations"] += bool(person.record.session)
        self.checks.counts["messages"] += len(person.record.sent)
        self.checks.counts["sockets"] += sum(tab.sockets for tab in person.tabs)
        self.checks.forget(person.record)

    async def _strike(self, fleet: Fleet, blow: Blow, began: float) -> None:
        fault = blow.fault
        await paced(max(0.0, began + blow.at - time.monotonic()))
        self.checks.mark(f"strike {fault.name} {fault}")
        self.checks.note(f"fault: {fault.name}")
        self.say(f"{time.monotonic() - began:6.1f} s  {fault.name}  {fault}")
        try:
            await fault.strike(fleet)
            await paced(fault.seconds)
        finally:
            await fault.heal(fleet)
        self.checks.mark(f"healed {fault.name} {fault}")

    def summary(self) -> str:
        """Return what happened, in a few lines."""
        plan = self.plan
        head = {"seed": plan.seed, "minutes": round(plan.seconds / 60, 1), "people at once": plan.people}
        return summary(head, self.checks)

    def report(self) -> str:
        """Return all that a person needs to find it again."""
        lines = [self.summary(), ""]
        lines += [f"{at - self.checks.started:6.1f}  {what}" for at, what in self.checks.timeline]
        lines += ["", f"{len(self.checks.violations)} broken promises:", "", *self.checks.violations]
        return "\n".join(lines)
