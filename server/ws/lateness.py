"""Tells people whose message nobody takes up that answers come late, and the operator how many wait for a worker."""

import asyncio
import logging
import random

from server.errors import Unavailable
from server.runs import Runs
from server.tasks import Tasks
from server.ws.rooms import Rooms

ASK_S = 2.0

log = logging.getLogger(__name__)


class Lateness:
    """One per process with sockets. Acquired by `start`, released by `aclose`."""

    def __init__(self, rooms: Rooms, runs: Runs, *, ask_s: float = ASK_S) -> None:
        """Tell these rooms what is late."""
        self._rooms = rooms
        self._runs = runs
        self._ask_s = ask_s
        self._tasks = Tasks()

    def start(self) -> None:
        """Begin to ask, as long as somebody is here."""
        self._tasks.spawn(self._run(), name="lateness")

    async def aclose(self) -> None:
        """Ask no more."""
        await self._tasks.aclose()

    async def _run(self) -> None:
        waited = 0
        while True:
            await asyncio.sleep(self._ask_s * random.uniform(0.8, 1.2))  # noqa: S311 - spreads instances
            if not len(self._rooms):
                continue
            try:
                late = await self._runs.late()
            except Unavailable:
                continue  # Whoever writes now learns that by itself.
            except Exception:
                log.exception("nobody asked what is late")
                continue
            self._rooms.late(late)
            if late and not waited:
                log.warning("%d conversations wait: no worker takes their messages up", len(late))
            waited = len(late)
