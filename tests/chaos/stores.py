"""The Redis and the PostgreSQL of the fleet, which may die and come back."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
from redis.asyncio import Redis
from redis.exceptions import RedisError

from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.ports import free_port
from tests.parts.postgres import Cluster, binaries
from tests.parts.proxy import Address
from tests.parts.redis import REDIS_SERVER
from tests.parts.wait import paced, until_async

NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
"""The time of day as the database's clock has it."""

LOOK_S = 0.2
READERS = 20
"""Connections of the final_checks at once; PostgreSQL has 200 for it and the fleet."""
_FOLLOWS = "'master_link_status': 'up'"
_AWAY = (OSError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError, asyncpg.InterfaceError)


class Live:
    """A redis-server with an append-only file, and the replica that may follow it."""

    def __init__(self, folder: Path) -> None:
        """Keep its data in a folder."""
        if REDIS_SERVER is None:
            skip_missing("redis-server", "apt-get install redis-server")
        self._folder = folder
        self.address: Address = ("127.0.0.1", free_port())
        self._server: subprocess.Popen[bytes] | None = None
        self._replica: subprocess.Popen[bytes] | None = None
        self._next: Address = self.address
        self.well_since = time.monotonic()
        self.hurt = 0

    def start(self) -> None:
        """Start it with what its file remembers."""
        self._server = self._started(self.address)

    def _started(self, address: Address) -> subprocess.Popen[bytes]:
        folder = self._of(address)
        folder.mkdir(parents=True, exist_ok=True)
        settings = {"port": address[1], "bind": address[0], "dir": folder, "save": "", "appendonly": "yes"}
        settings |= {"appendfsync": "everysec", "enable-debug-command": "yes"}
        argv = [
            str(REDIS_SERVER),
            *(word for key, value in settings.items() for word in (f"--{key}", f"{value}")),
        ]
        return process.start(argv, log=folder / "log")

    def _of(self, address: Address) -> Path:
        return self._folder / str(address[1])

    async def ready(self) -> None:
        """Wait until it answers."""

        async def answers() -> bool:
            assert self._server is not None
            assert self._server.poll() is None, process.tail(self._of(self.address) / "log")
            return await self._says("", "PING")

        await until_async(answers, seconds=60, what="redis to answer")

    async def part(self, lost_s: float) -> None:
        """Have a replica that follows until now, and kill its primary so much later; nothing without a primary."""
        self._next = ("127.0.0.1", free_port())
        self._replica = self._started(self._next)
        follow = ("REPLICAOF", *self.address)
        with suppress(AssertionError):
            await until_async(lambda: self._says("", *follow, at=self._next), seconds=20)
            await until_async(lambda: self._says(_FOLLOWS, "INFO", "replication", at=self._next), seconds=10)
            await until_async(lambda: self._says("", "REPLICAOF", "NO", "ONE", at=self._next), seconds=20)
            await paced(lost_s)
            self.kill(forget=False)
            return
        process.stop(self._replica, how=signal.SIGKILL)
        self._replica = None

    async def promote(self) -> None:
        """The replica is Redis from now on; the old one, should it live again, is ended."""
        if self._replica is None:
            return
        old, self._server, self._replica = self._server, self._replica, None
        self.address = self._next
        if old is not None:
            process.stop(old, how=signal.SIGKILL)
        await self.ready()

    async def _says(self, expected: str, *words: str | int, at: Address | None = None) -> bool:
        """Return whether the answer contains that. Loading, refused and reset are no."""
        try:
            return expected in str(await self.ask(*words, at=at))
        except (RedisError, OSError):
            return False

    def kill(self, *, forget: bool) -> None:
        """Kill -9; with `forget` nothing of it comes back."""
        assert self._server is not None
        self._server.send_signal(signal.SIGKILL)
        self._server.wait(60)
        if forget:
            shutil.rmtree(self._of(self.address) / "appendonlydir", ignore_errors=True)

    async def revive(self) -> None:
        """Start it unless it runs."""
        if self._server is None or self._server.poll() is not None:
            self.start()
        await self.ready()

    def mend(self) -> None:
        """End one fault."""
        self.hurt -= 1
        self.well_since = time.monotonic()

    async def try_to(self, *words: str | int) -> None:
        """Run a command that a Redis which is just dead need not hear."""
        with suppress(RedisError, OSError):
            await self.ask(*words)

    async def ask(self, *words: str | int, at: Address | None = None) -> object:
        """Run one command, past every proxy."""
        host, port = at or self.address
        async with Redis(host=host, port=port, socket_timeout=5) as client:
            return await client.execute_command(*words)

    async def channels(self) -> list[str]:
        """Return the subscribed channels of sessions, and how many subscribers each has."""
        found = await self.ask("PUBSUB", "CHANNELS", "lw:{ses_*")
        assert isinstance(found, list)
        return sorted(each.decode() for each in found)

    def close(self) -> None:
        """End it."""
        for each in (self._server, self._replica):
            if each is not None:
                process.stop(each, how=signal.SIGKILL)


async def rows(url: str, query: str, *values: Any) -> list[dict[str, Any]]:
    """Read, past every proxy; the database is up."""
    connection = await asyncpg.connect(url, timeout=30)
    try:
        return [dict(each) for each in await connection.fetch(query, *values)]
    finally:
        await connection.close()


class Durable:
    """A PostgreSQL that keeps what it acknowledged, also when it is stopped at once."""

    def __init__(self) -> None:
        """Make its data folder."""
        self._some = asyncio.Semaphore(READERS)
        folder = binaries()
        if folder is None:
            skip_missing("PostgreSQL", "apt-get install postgresql")
        # The processes die here, never the machine: what reached the kernel is safe without fsync.
        self.cluster = Cluster(folder, "synchronous_commit=on")
        self.up = False

    @property
    def url(self) -> str:
        """Return its address, past every proxy."""
        return self.cluster.url

    async def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Read, or write, past every proxy; waits while it is stopped."""

        async def found() -> list[list[dict[str, Any]]]:
            try:
                async with self._some:
                    return [await rows(self.url, query, *values)]
            except _AWAY:
                await paced(LOOK_S)
                return []

        return (await until_async(found, seconds=120, what="PostgreSQL"))[0]

    def start(self) -> None:
        """Start it."""
        self.cluster.start()

    async def ready(self) -> None:
        """Wait until it answers."""
        await until_async(lambda: asyncio.to_thread(self.cluster.answers), seconds=120, what="PostgreSQL")
        self.up = True

    async def stop_at_once(self) -> None:
        """The immediate stop: no goodbye, no checkpoint."""
        self.up = False
        await asyncio.to_thread(self.cluster.stop, signal.SIGQUIT)

    def close(self) -> None:
        """End it and its data."""
        self.cluster.stop(signal.SIGQUIT)
        self.cluster.close()
