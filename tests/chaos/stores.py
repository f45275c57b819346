"""The Redis and the PostgreSQL of the fleet, which may die and come back."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.ports import free_port
from tests.parts.postgres import Cluster, binaries
from tests.parts.proxy import Address
from tests.parts.redis import REDIS_SERVER
from tests.parts.wait import until_async


class Live:
    """A redis-server with an append-only file."""

    def __init__(self, folder: Path) -> None:
        """Keep its data in a folder."""
        if REDIS_SERVER is None:
            skip_missing("redis-server", "apt-get install redis-server")
        self._folder = folder
        folder.mkdir()
        self.address: Address = ("127.0.0.1", free_port())
        self._server: subprocess.Popen[bytes] | None = None
        self.well_since = time.monotonic()
        self.hurt = 0

    def start(self) -> None:
        """Start it with what its file remembers."""
        port = str(self.address[1])
        argv = [str(REDIS_SERVER), "--port", port, "--bind", "127.0.0.1", "--dir", str(self._folder)]
        argv += [
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "everysec",
            "--enable-debug-command",
            "yes",
        ]
        self._server = process.start(argv, log=self._folder / "log")

    async def ready(self) -> None:
        """Wait until it answers."""

        async def answers() -> bool:
            assert self._server is not None
            assert self._server.poll() is None, process.tail(self._folder / "log")
            try:
                return bool(await self.ask("PING"))
            except (RedisError, OSError):  # Loading, refused, reset: not yet.
                return False

        await until_async(answers, seconds=60, what="redis to answer")

    def kill(self, *, forget: bool) -> None:
        """Kill -9; with `forget` nothing of it comes back."""
        assert self._server is not None
        self._server.send_signal(signal.SIGKILL)
        self._server.wait(60)
        if forget:
            shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)

    async def revive(self) -> None:
        """Start it unless it runs."""
        if self._server is None or self._server.poll() is not None:
            self.start()
        await self.ready()

    def mend(self) -> None:
        """One fault less."""
        self.hurt -= 1
        self.well_since = time.monotonic()

    async def try_to(self, *words: str | int) -> None:
        """Run a command that a Redis which is just dead need not hear."""
        with suppress(RedisError, OSError):
            await self.ask(*words)

    async def ask(self, *words: str | int) -> object:
        """Run one command, past every proxy."""
        async with Redis(host=self.address[0], port=self.address[1], socket_timeout=5) as client:
            return await client.execute_command(*words)

    async def channels(self) -> list[str]:
        """The channels of sessions that somebody hears, and how many do."""
        found = await self.ask("PUBSUB", "CHANNELS", "lw:{ses_*")
        assert isinstance(found, list)
        return sorted(each.decode() for each in found)

    def close(self) -> None:
        """End it."""
        if self._server is not None:
            process.stop(self._server, how=signal.SIGKILL)


class Durable:
    """A PostgreSQL that keeps what it acknowledged, also when it is stopped at once."""

    def __init__(self) -> None:
        """Make its data folder."""
        folder = binaries()
        if folder is None:
            skip_missing("PostgreSQL", "apt-get install postgresql")
        # The processes die here, never the machine: what reached the kernel is safe without fsync.
        self.cluster = Cluster(folder, "synchronous_commit=on")
        self.up = False

    @property
    def url(self) -> str:
        """Its address, past every proxy."""
        return self.cluster.url

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
