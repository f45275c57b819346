"""The state of each part, as `/readyz` reports it."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from server.bus import Bus
from server.endpoints.dependencies import Dependencies
from server.errors import Unavailable
from server.tasks import Tasks

PART_S = 1.5
"""Seconds after which a silent part counts as away; a request for the health waits no longer either."""

LOW_DISK = 64 << 20


class Health:
    """Asks the parts how they are. With a database a message can be stored; without Redis or workers it is late."""

    def __init__(self, parts: Dependencies, folder: Path | None) -> None:
        """`folder` is where our own database or live log is kept, if one is."""
        self._parts, self._folder = parts, folder
        self._database, self._redis = Probe(parts.store.ping), Probe(parts.bus.ask)

    async def report(self) -> dict[str, Any]:
        """Return the state of each part; a model is not asked."""
        parts = self._parts
        database, redis = await asyncio.gather(self._database.answers(), self._redis.answers())
        return {
            "degraded": parts.bus.degraded or not redis,
            "database": database,
            "redis": redis,
            "workers": await _workers(parts.bus) if redis else None,
            "disk": _disk(self._folder),
            "model": "demo" if parts.demo else "unknown",
            "demo": parts.demo,
        }


async def _workers(bus: Bus) -> int | None:
    """Return how many processes execute runs, this one included if it does; None when that is unknown."""
    try:
        return await bus.signals.workers()
    except Unavailable:
        return None


class Probe:
    """Asks a part once for all callers that wait; the part may answer later than they wait."""

    def __init__(self, ask: Callable[[], Awaitable[None]]) -> None:
        """`ask` raises Unavailable when the part is away."""
        self._ask = ask
        self._tasks = Tasks()
        self._asking: asyncio.Task[bool] | None = None

    async def answers(self) -> bool:
        """Return whether the part answers in time."""
        if self._asking is None or self._asking.done():
            self._asking = self._tasks.spawn(self._try(), name="health")
        await asyncio.wait({self._asking}, timeout=PART_S)
        return self._asking.done() and self._asking.result()

    async def _try(self) -> bool:
        try:
            await self._ask()
        except Unavailable:
            return False
        return True


def _disk(folder: Path | None) -> str:
    """Return how full the disk of the data folder is; `elsewhere` when no data is stored on this machine."""
    if folder is None:
        return "elsewhere"
    try:
        return "low" if shutil.disk_usage(folder).free < LOW_DISK else "ok"
    except OSError:
        return "unknown"
