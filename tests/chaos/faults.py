"""Faults of the fleet: each kind is a class, drawn from a seeded generator, undone after its time."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Self

from tests.chaos.fleet import LINES, Fleet, Instance
from tests.modelserver import named
from tests.parts.namespace import CannotSeparateError
from tests.parts.proxy import Proxy, Weather

EVERYBODY = "all"
LONGEST_DRAIN_S = 30.0
WEBS = ("web-1", "web-2")
EXECUTORS = ("web-1", "worker-1", "worker-2")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong for `seconds`; the same words of the generator give the same fault."""

    name: ClassVar[str] = ""
    seconds: float

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Make one at random."""
        return cls(round(rng.uniform(2, 6), 1))

    async def strike(self, fleet: Fleet) -> None:
        """Let it go wrong."""

    async def heal(self, fleet: Fleet) -> None:
        """Make it right again; returns when it is."""


# Processes.


@dataclass(frozen=True, slots=True)
class OfInstance(Fault):
    """A fault of one process."""

    instance: str = ""
    among: ClassVar[tuple[str, ...]] = ("web-1", "web-2", "worker-1", "worker-2")
    shortest: ClassVar[float] = 1.0
    longest: ClassVar[float] = 6.0

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose which one and for how long."""
        return cls(round(rng.uniform(cls.shortest, cls.longest), 1), rng.choice(cls.among))

    def of(self, fleet: Fleet) -> Instance:
        """Return the process."""
        return fleet.instances[self.instance]


@dataclass(frozen=True, slots=True)
class Killed(OfInstance):
    """Kill -9, and started again later."""

    name = "kill"

    async def strike(self, fleet: Fleet) -> None:
        """Kill it."""
        self.of(fleet).hurt += 1
        self.of(fleet).kill()
        await self.of(fleet).gone(60)

    async def heal(self, fleet: Fleet) -> None:
        """Start it again, unless it runs already."""
        await restart(self.of(fleet))


async def restart(instance: Instance) -> None:
    """Begin the next life; the harm ends with its readiness."""
    if instance.process.poll() is not None:
        instance.start()
        await instance.ready()
    instance.hurt -= 1


@dataclass(frozen=True, slots=True)
class Stopped(OfInstance):
    """SIGSTOP beyond the lease, then SIGCONT: it comes back and believes that it holds its runs."""

    name = "stop"
    shortest = 8.0
    longest = 14.0

    async def strike(self, fleet: Fleet) -> None:
        """Freeze it."""
        self.of(fleet).hurt += 1
        self.of(fleet).freeze()

    async def heal(self, fleet: Fleet) -> None:
        """Let it go on."""
        self.of(fleet).thaw()
        if self.of(fleet).process.poll() is None:
            await self.of(fleet).ready()
        self.of(fleet).hurt -= 1


@dataclass(frozen=True, slots=True)
class Drained(OfInstance):
    """SIGTERM, as a deploy does it, and started again when it has ended."""

    name = "drain"

    async def strike(self, fleet: Fleet) -> None:
        """Ask it to leave."""
        instance = self.of(fleet)
        instance.hurt += 1
        instance.ask_to_leave()

    async def heal(self, fleet: Fleet) -> None:
        """Wait for its end within the promise, then start it again."""
        instance = self.of(fleet)
        # The life that was asked: another fault may have begun the next one.
        allowed_s = LONGEST_DRAIN_S * fleet.slack
        code = await instance.left(allowed_s)
        if code is None:
            fleet.blame(f"{instance.name} did not end within {allowed_s:.0f} s of SIGTERM")
            instance.kill()
            await instance.gone(60)
        elif code not in (0, -signal.SIGTERM, -signal.SIGKILL):
            fleet.blame(f"{instance.name} ended with {code} after SIGTERM")
        await restart(instance)


@dataclass(frozen=True, slots=True)
class Unplugged(OfInstance):
    """Its network cable is pulled: no RST, no FIN, nothing for anybody."""

    name = "unplug"
    among = ("web-2", "worker-2")
    shortest = 5.0
    longest = 14.0

    async def strike(self, fleet: Fleet) -> None:
        """Pull it; without a network of its own its lines fall silent, and so do its clients."""
        instance = self.of(fleet)
        instance.hurt += 1
        if instance.namespace is not None:
            instance.namespace.pull()
            return
        for line in instance.lines.values():
            line.weather = Weather(silent_up=True, silent_down=True)
        for pair in fleet.front.pairs:
            pair.frozen = pair.frozen or pair.address == (instance.host, instance.port)

    async def heal(self, fleet: Fleet) -> None:
        """Put it back; the connections that waited are closed."""
        instance = self.of(fleet)
        if instance.namespace is not None:
            try:
                instance.namespace.plug()
            except CannotSeparateError as error:
                fleet.blame(f"the cable of {instance.name} cannot be plugged in: {error}")
        for line in instance.lines.values():
            line.clear()
        if instance.process.poll() is None:
            await instance.ready()
        instance.hurt -= 1


# Redis.


@dataclass(frozen=True, slots=True)
class OfRedis(Fault):
    """A fault of the Redis that all share."""

    async def strike(self, fleet: Fleet) -> None:
        """Count it."""
        fleet.live.hurt += 1
        await self.harm(fleet)

    async def heal(self, fleet: Fleet) -> None:
        """Count it out."""
        await self.repair(fleet)
        fleet.live.mend()

    async def harm(self, fleet: Fleet) -> None:
        """Do it."""

    async def repair(self, fleet: Fleet) -> None:
        """Undo it."""


@dataclass(frozen=True, slots=True)
class RedisKilled(OfRedis):
    """Kill -9; it comes back with its append-only file."""

    name = "redis kill"
    forget: ClassVar[bool] = False

    async def harm(self, fleet: Fleet) -> None:
        """Kill it."""
        fleet.live.kill(forget=self.forget)

    async def repair(self, fleet: Fleet) -> None:
        """Start it again."""
        await fleet.live.revive()


@dataclass(frozen=True, slots=True)
class RedisForgets(RedisKilled):
    """Kill -9; it comes back with nothing."""

    name = "redis kill, file lost"
    forget = True


@dataclass(frozen=True, slots=True)
class RedisFlushed(OfRedis):
    """FLUSHALL, the scripts too."""

    name = "redis flushall"

    async def harm(self, fleet: Fleet) -> None:
        """Forget everything."""
        await fleet.live.try_to("FLUSHALL")
        await fleet.live.try_to("SCRIPT", "FLUSH")


@dataclass(frozen=True, slots=True)
class RedisReadOnly(OfRedis):
    """Redis is a replica now, whose primary is away: reads work, writes are refused."""

    name = "redis read-only"

    async def harm(self, fleet: Fleet) -> None:
        """Demote it."""
        await fleet.live.try_to("REPLICAOF", "127.0.0.1", 1)

    async def repair(self, fleet: Fleet) -> None:
        """Promote it."""
        await fleet.live.try_to("REPLICAOF", "NO", "ONE")


@dataclass(frozen=True, slots=True)
class RedisFull(OfRedis):
    """maxmemory is reached and nothing is evicted."""

    name = "redis full"

    async def harm(self, fleet: Fleet) -> None:
        """Leave it no room."""
        await fleet.live.try_to("CONFIG", "SET", "maxmemory", 1)

    async def repair(self, fleet: Fleet) -> None:
        """Give it room."""
        await fleet.live.try_to("CONFIG", "SET", "maxmemory", 0)


@dataclass(frozen=True, slots=True)
class RedisHangsUp(OfRedis):
    """Every subscriber's connection is closed: what is published meanwhile is lost without a word."""

    name = "redis drops subscribers"

    async def harm(self, fleet: Fleet) -> None:
        """Hang up."""
        await fleet.live.try_to("CLIENT", "KILL", "TYPE", "pubsub")


# Lines.


@dataclass(frozen=True, slots=True)
class OfLine(Fault):
    """A fault of the line between one process, or all, and one of the three."""

    line: str = ""
    instance: str = EVERYBODY
    shortest: ClassVar[float] = 3.0
    longest: ClassVar[float] = 10.0

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose the line and whose it is."""
        seconds = round(rng.uniform(cls.shortest, cls.longest), 1)
        return cls(seconds, rng.choice(LINES), rng.choice([EVERYBODY, *WEBS, "worker-1", "worker-2"]))

    def hit(self, fleet: Fleet) -> list[Instance]:
        """Whose line."""
        return [each for each in fleet.instances.values() if self.instance in (EVERYBODY, each.name)]

    async def strike(self, fleet: Fleet) -> None:
        """Change the weather of the line."""
        for each in self.hit(fleet):
            each.hurt += 1
            self.change(each.lines[self.line])

    def change(self, line: Proxy) -> None:
        """Make it bad."""

    async def heal(self, fleet: Fleet) -> None:
        """Fair weather; the process gets the time that a restart would give it."""
        for each in self.hit(fleet):
            each.lines[self.line].clear()
        for each in self.hit(fleet):
            if each.process.poll() is None and each.hurt == 1:
                await each.ready()
            each.hurt -= 1


@dataclass(frozen=True, slots=True)
class BlackHole(OfLine):
    """Connections stand and nothing comes through: both ways, or one."""

    name = "black hole"
    up: bool = True
    down: bool = True
    longest = 12.0

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose the direction too."""
        plain = OfLine.draw(rng)
        up, down = rng.choice([(True, True), (True, True), (True, False), (False, True)])
        return cls(plain.seconds, plain.line, plain.instance, up, down)

    def change(self, line: Proxy) -> None:
        """Silence."""
        line.weather = Weather(silent_up=self.up, silent_down=self.down)


@dataclass(frozen=True, slots=True)
class Refused(OfLine):
    """Redis refuses new connections and closes all others."""

    name = "refuse"

    def change(self, line: Proxy) -> None:
        """Refuse every connection."""
        line.weather = Weather(refuse=True)
        line.cut()


@dataclass(frozen=True, slots=True)
class CutLine(OfLine):
    """Every connection is reset once."""

    name = "reset"
    shortest = 0.1
    longest = 0.2

    def change(self, line: Proxy) -> None:
        """Reset."""
        line.cut()


@dataclass(frozen=True, slots=True)
class CutAfter(OfLine):
    """Every connection is reset after some thousand bytes, in the middle of whatever it carries."""

    name = "cut after bytes"
    size: int = 20_000

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose the size too."""
        plain = OfLine.draw(rng)
        return cls(plain.seconds, plain.line, plain.instance, rng.randint(3_000, 60_000))

    def change(self, line: Proxy) -> None:
        """Begin to count."""
        line.weather = Weather(cut_after=self.size)


@dataclass(frozen=True, slots=True)
class Late(OfLine):
    """Everything takes longer."""

    name = "latency"
    delay_s: float = 0.1

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose the delay too."""
        plain = OfLine.draw(rng)
        return cls(plain.seconds, plain.line, plain.instance, round(rng.uniform(0.02, 0.3), 2))

    def change(self, line: Proxy) -> None:
        """Begin to be late."""
        line.weather = Weather(latency_s=self.delay_s)


@dataclass(frozen=True, slots=True)
class Thin(OfLine):
    """A thin line."""

    name = "rate"
    rate: int = 20_000

    def change(self, line: Proxy) -> None:
        """Let little through."""
        line.weather = Weather(bytes_a_second=self.rate)


# PostgreSQL.


@dataclass(frozen=True, slots=True)
class DatabaseStopped(Fault):
    """The immediate stop; it is started again and recovers."""

    name = "postgres immediate stop"

    async def strike(self, fleet: Fleet) -> None:
        """Stop it."""
        await fleet.durable.stop_at_once()

    async def heal(self, fleet: Fleet) -> None:
        """Start it."""
        if not fleet.durable.up:
            fleet.durable.start()
            await fleet.durable.ready()
        for each in fleet.instances.values():
            each.well_since = asyncio.get_running_loop().time()


# The model.


@dataclass(frozen=True, slots=True)
class ModelFails(Fault):
    """The next answers of the model go wrong in one way."""

    name = "model"
    how: str = "server_error"
    times: int = 3

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """Choose the way."""
        ways = ["rate_limited", "server_error", "insufficient_quota", "unauthorized", "reset_first", "hang"]
        ways += ["stall", "cut", "close", "reset", "bad_json", "error_chunk", "length", "failed"]
        ways += ["odd_borders", "comments", "bad_arguments", "unknown_tool", "context_length"]
        return cls(round(rng.uniform(4, 10), 1), rng.choice(ways), rng.randint(1, 6))

    async def strike(self, fleet: Fleet) -> None:
        """Queue it."""
        fleet.model.faults.add(named(self.how), times=self.times)

    async def heal(self, fleet: Fleet) -> None:
        """Clear the faults that no request has met."""
        fleet.model.faults.clear()


# Clients.


@dataclass(frozen=True, slots=True)
class ClientsCut(Fault):
    """Every connection of every client is reset."""

    name = "clients reset"

    async def strike(self, fleet: Fleet) -> None:
        """Reset."""
        fleet.front.cut()


@dataclass(frozen=True, slots=True)
class HalfOpen(Fault):
    """One in three of the clients' connections is dead, and neither side is told."""

    name = "clients half-open"
    every: ClassVar[int] = 3

    async def strike(self, fleet: Fleet) -> None:
        """Freeze some for good."""
        for place, pair in enumerate(tuple(fleet.front.pairs)):
            pair.frozen = pair.frozen or place % self.every == 0


@dataclass(frozen=True, slots=True)
class ClientsLate(Fault):
    """Everybody is on a bad phone."""

    name = "clients latency"

    async def strike(self, fleet: Fleet) -> None:
        """Be late."""
        fleet.front.weather = Weather(latency_s=0.3)

    async def heal(self, fleet: Fleet) -> None:
        """Be in time."""
        fleet.front.clear()
