"""One run of the suite: people talk, faults come and go, and what was promised is looked at all the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from server.tasks import Tasks
from tests.chaos.fleet import Fleet
from tests.chaos.oracle import Oracle
from tests.chaos.person import Person
from tests.chaos.schedule import Blow, blows, scripts
from tests.chaos.watch import Watch
from tests.chaos.witness import Witness
from tests.parts.server import ROOT
from tests.parts.wait import paced

RUN_LIMIT_S = 300.0
"""What the services allow a run."""

GRACE_S = 30.0
RESULTS = ROOT / "test-results"


@dataclass(frozen=True)
class Plan:
    """How long, how many, how often."""

    seed: int
    seconds: float
    people: int
    between: tuple[float, float]
    lease_s: float
    silence_s: float = 5.0
    slack: float = 1.0
    """How much slower than promised this machine may be with other work beside."""
    only: str = ""
    """Only faults whose name begins so; for looking closer."""

    @property
    def api(self) -> str:
        """Each dialect of the wire to the model with every other seed."""
        return "responses" if self.seed % 2 else "chat"

    @property
    def asks(self) -> bool:
        """With every other pair of seeds an item is made only after a person's yes."""
        return self.seed // 2 % 2 == 0

    def blows(self) -> list[Blow]:
        """What will go wrong."""
        found = blows(self.seed, self.seconds, between=self.between)
        return [each for each in found if each.fault.name.startswith(self.only)]


@dataclass
class Storm:
    """A run; `say` takes lines for whoever watches."""

    plan: Plan
    say: Callable[[str], None]
    witness: Witness = field(default_factory=Witness)
    tasks: Tasks = field(default_factory=Tasks)
    people: list[Person] = field(default_factory=list)
    over: bool = False
    told: dict[str, float | int] = field(default_factory=dict)

    async def run(self) -> list[str]:
        """Do it; gives the broken promises, none when all held."""
        plan = self.plan
        fleet = Fleet(plan.lease_s, plan.silence_s, plan.api, plan.asks, self.say)
        held = False
        try:
            await fleet.start()
            await self._storm(fleet)
            held = not self.witness.violations
        finally:
            await self.tasks.aclose()
            if not held:
                fleet.keep_logs(self.results)
            await fleet.aclose()
        if self.witness.violations:
            (self.results / "report.txt").write_text(self.report())
        return self.witness.violations

    @property
    def results(self) -> Path:
        """Where logs and report of a failed run are kept."""
        return RESULTS / f"chaos-{self.plan.seed}"

    async def _storm(self, fleet: Fleet) -> None:
        self.witness.started = time.time()
        watch = Watch(fleet, self.witness, self.plan.slack)
        watching = self.tasks.spawn(watch.run(), name="watch")
        talking = [
            self.tasks.spawn(self._talks(fleet, each), name=f"person {each}")
            for each in range(self.plan.people)
        ]
        began = time.monotonic()
        striking = [
            self.tasks.spawn(self._strike(fleet, each, began), name=each.fault.name)
            for each in self.plan.blows()
        ]
        await asyncio.gather(*striking)
        await paced(max(0.0, began + self.plan.seconds - time.monotonic()))
        self.over = True
        for each in self.people:
            each.over = True
        self.witness.mark("calm: every fault is healed, nobody begins anything")
        await asyncio.gather(*talking)
        await self._after(fleet, watch)
        watching.cancel()

    async def _after(self, fleet: Fleet, watch: Watch) -> None:
        oracle = Oracle(fleet, self.witness)
        await oracle.judge_ends(RUN_LIMIT_S + GRACE_S)
        await oracle.judge_conversations(self.witness.records)
        for each in self.people:
            for tab in each.tabs:
                await tab.leave()
        fleet.give_up_streams()
        await oracle.judge_leftovers()
        oracle.judge_logs()
        for each in fleet.blamed:
            self.witness.blame(each)
        self.told |= {
            "seconds": round(time.time() - self.witness.started, 1),
            "conversations": len(self.witness.records),
            "messages": sum(len(each.sent) for each in self.witness.records),
            "sockets": sum(tab.sockets for each in self.people for tab in each.tabs),
            "lives": sum(each.lives for each in fleet.instances.values()),
            "lives in vain": sum(len(each.in_vain) for each in fleet.instances.values()),
            **{f"longest {what}": round(seconds, 1) for what, seconds in watch.longest.items()},
            **dict(self.witness.counts.most_common(20)),
        }

    async def _talks(self, fleet: Fleet, number: int) -> None:
        """One conversation after the other."""
        rng = Random(f"{self.plan.seed} jitter {number}")
        for script in scripts(self.plan.seed, number):
            if self.over:
                return
            person = Person(fleet.url, script, self.witness, rng, RUN_LIMIT_S + GRACE_S)
            self.people.append(person)
            await person.talk()

    async def _strike(self, fleet: Fleet, blow: Blow, began: float) -> None:
        fault = blow.fault
        await paced(max(0.0, began + blow.at - time.monotonic()))
        self.witness.mark(f"strike {fault.name} {fault}")
        self.say(f"{time.monotonic() - began:6.1f} s  {fault.name}  {fault}")
        try:
            await fault.strike(fleet)
            await paced(fault.seconds)
        finally:
            await fault.heal(fleet)
        self.witness.mark(f"healed {fault.name} {fault}")

    def report(self) -> str:
        """All that a person needs to find it again."""
        plan = self.plan
        lines = [f"seed {plan.seed}, {plan.seconds:.0f} s, {plan.people} people", f"{self.told}", ""]
        lines += [f"{at - self.witness.started:6.1f}  {what}" for at, what in self.witness.timeline]
        lines += ["", f"{len(self.witness.violations)} broken promises:", "", *self.witness.violations]
        return "\n".join(lines)
