"""The lease of one run: renewed from its own task, and gone the moment the database says so or time runs out."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from server.errors import Fenced, Unavailable
from server.store import Run, Store

MARGIN_S = 1.0
"""Stop this long before the lease ends, whatever the database says: a revived holder must not write."""

log = logging.getLogger(__name__)


class Lease:
    """Keeps one run ours. `cancelled` is set when its user stopped it, `lost` when it is ours no more."""

    def __init__(self, store: Store, run: Run, seconds: float) -> None:
        self.cancelled = asyncio.Event()
        self.lost = asyncio.Event()
        self._store = store
        self._run = run
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    async def keep(self) -> None:
        """Renew at a third of the lease until it is lost; ends by returning, however long the database is silent."""
        kept = True
        while kept:
            try:
                async with asyncio.timeout(self._until - MARGIN_S - time.monotonic()):
                    kept = await self._renewed()
            except TimeoutError:
                kept = False
        self.lost.set()

    async def _renewed(self) -> bool:
        """Renew when it is time; False when the run is ours no more. An unreachable database may come back."""
        await asyncio.sleep(self._seconds / 3)
        asked = time.monotonic()
        try:
            held = {self._run.id: self._run.fence}
            renewal = (await self._store.runs.renew(held, self._seconds))[self._run.id]
        except Unavailable:
            log.warning("lease not renewed, database unavailable")
            return True
        if renewal.alive:
            self._until = asked + self._seconds
        if renewal.cancel:
            self.cancelled.set()
        return renewal.alive

    async def insist(self, write: Callable[[], Awaitable[None]]) -> None:
        """Repeat a write under the fence while the database is away and the lease may still be ours."""
        pause = 0.1
        while True:
            try:
                await write()
                return
            except Unavailable:
                if time.monotonic() + pause > self._until - MARGIN_S:
                    raise Fenced from None
            await asyncio.sleep(pause)
            pause = min(pause * 2, 1.0)
