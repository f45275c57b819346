"""Health: the process is alive, it may be given work, and the state of each part."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.bus import Bus
from server.errors import Unavailable
from server.requests.dependencies import Dependencies
from server.tasks import Tasks

PATIENCE_S = 1.5
"""A part that says nothing for so long is away; who asks for our health waits no longer either."""

LOW_DISK = 64 << 20


def routes(parts: Dependencies, draining: Callable[[], bool], folder: Path | None) -> list[BaseRoute]:
    """GET /readyz. 200 as long as a message could be stored: without Redis it is degraded, without workers late, yet
    ready.

    `folder` is where our own database or live log is kept, if one is. Of a model nothing is known that was not asked.
    """
    database, redis = Probe(parts.store.ping), Probe(parts.bus.ask)

    async def ready(_: Request) -> Response:
        stores, live = await asyncio.gather(database.answers(), redis.answers())
        told = {
            "ready": stores and not draining(),
            "draining": draining(),
            "degraded": parts.bus.degraded or not live,
            "database": stores,
            "redis": live,
            "workers": await _workers(parts.bus) if live else None,
            "disk": _disk(folder),
            "model": "demo" if parts.demo else "unknown",
            "demo": parts.demo,
        }
        return JSONResponse(told, status_code=200 if told["ready"] else 503)

    return [Route("/readyz", ready)]


async def _workers(bus: Bus) -> int | None:
    """How many processes execute runs, this one included if it does; None when nobody knows."""
    try:
        return await bus.workers()
    except Unavailable:
        return None


class Probe:
    """Asks a part, once however many want to know; it may answer later than they wait."""

    def __init__(self, ask: Callable[[], Awaitable[None]]) -> None:
        """`ask` raises Unavailable when the part is away."""
        self._ask = ask
        self._tasks = Tasks()
        self._asking: asyncio.Task[bool] | None = None

    async def answers(self) -> bool:
        """Does it answer in time?"""
        if self._asking is None or self._asking.done():
            self._asking = self._tasks.spawn(self._try(), name="health")
        await asyncio.wait({self._asking}, timeout=PATIENCE_S)
        return self._asking.done() and self._asking.result()

    async def _try(self) -> bool:
        try:
            await self._ask()
        except Unavailable:
            return False
        return True


def _disk(folder: Path | None) -> str:
    """How full the disk below us is; `elsewhere` when nothing of ours is kept here."""
    if folder is None:
        return "elsewhere"
    try:
        return "low" if shutil.disk_usage(folder).free < LOW_DISK else "ok"
    except OSError:
        return "unknown"
