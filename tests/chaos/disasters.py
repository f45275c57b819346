"""Faults of more than one part at once, or of a machine's clock or network."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random
from typing import Self

from tests.chaos.faults import Fault, OfInstance, OfRedis, restart
from tests.chaos.fleet import INSTANCES, Fleet
from tests.parts.namespace import CannotSeparateError

CLOCK_WRONG_S = 180
LOST_S = 0.7


@dataclass(frozen=True, slots=True)
class AllKilled(Fault):
    """Kill -9 of every process at once; one comes back, then the others."""

    name = "kill all"
    first: str = INSTANCES[0]

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose which one comes back first."""
        return cls(round(rng.uniform(0.5, 4), 1), rng.choice(("web-1", "web-2")))

    async def strike(self, fleet: Fleet) -> None:
        """Kill them."""
        for each in fleet.instances.values():
            each.hurt += 1
            each.kill()
        await asyncio.gather(*(each.gone(60) for each in fleet.instances.values()))

    async def heal(self, fleet: Fleet) -> None:
        """Start them again, unless they run already."""
        await restart(fleet.instances[self.first])
        others = [each for each in fleet.instances.values() if each.name != self.first]
        await asyncio.gather(*(restart(each) for each in others))


@dataclass(frozen=True, slots=True)
class ClockWrong(OfInstance):
    """A process on a machine whose clock is three minutes fast, or slow."""

    name = "clock"
    shortest = 8.0
    longest = 14.0
    wrong_s: int = CLOCK_WRONG_S

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose the direction too."""
        plain = OfInstance.draw(rng)
        seconds = round(rng.uniform(cls.shortest, cls.longest), 1)
        return cls(seconds, plain.instance, rng.choice((-CLOCK_WRONG_S, CLOCK_WRONG_S)))

    async def strike(self, fleet: Fleet) -> None:
        """Begin its next life with the wrong time; that it works nevertheless is what is tried."""
        await self._again(fleet, self.wrong_s)

    async def heal(self, fleet: Fleet) -> None:
        """Begin another one with the right time."""
        await self._again(fleet, 0)

    async def _again(self, fleet: Fleet, wrong_s: int) -> None:
        instance = self.of(fleet)
        instance.hurt += 1
        instance.wrong_s = wrong_s
        instance.kill()
        await instance.gone(60)
        await restart(instance)


@dataclass(frozen=True, slots=True)
class RedisFailsOver(OfRedis):
    """The primary dies, and its replica, which lacks the last moments, takes its place."""

    name = "redis failover"

    async def harm(self, fleet: Fleet) -> None:
        """Have a replica, part it from the primary, and kill that a little later."""
        await fleet.live.part(LOST_S)

    async def repair(self, fleet: Fleet) -> None:
        """Every process that looks for Redis finds the replica."""
        await fleet.live.promote()


@dataclass(frozen=True, slots=True)
class ThinCable(OfInstance):
    """The cable of one process carries 25 kB in a second, whatever it is: clients, Redis, PostgreSQL, the model."""

    name = "thin cable"
    among = ("web-2", "worker-2")
    shortest = 3.0
    longest = 10.0

    async def strike(self, fleet: Fleet) -> None:
        """Make it thin; without a network of its own nothing happens."""
        instance = self.of(fleet)
        instance.hurt += 1
        if instance.namespace is None:
            return
        try:
            instance.namespace.thin()
        except CannotSeparateError as error:
            fleet.say(f"the cable of {instance.name} stays as it is: {error}")

    async def heal(self, fleet: Fleet) -> None:
        """Make it thick."""
        instance = self.of(fleet)
        if instance.namespace is not None:
            instance.namespace.thick()
        if instance.process.poll() is None and instance.hurt == 1:
            await instance.ready()
        instance.hurt -= 1
