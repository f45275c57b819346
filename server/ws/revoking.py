"""Ends the sockets and streams of who was revoked: at the doorbell, and by asking the database where that was lost."""

import asyncio
import logging
import random

from server.bus import Bus
from server.errors import Unavailable
from server.store.revoked import Revocations
from server.tasks import Tasks
from server.ws.rooms import Rooms

ASK_S = 20.0
"""So late at most it is noticed without the doorbell; the promise is a minute."""

log = logging.getLogger(__name__)


class Revoking:
    """One per process with sockets. Acquired by `start`, released by `aclose`."""

    def __init__(self, rooms: Rooms, revocations: Revocations, bus: Bus, *, ask_s: float = ASK_S) -> None:
        """Listen to the doorbell from now on."""
        self._rooms = rooms
        self._revocations = revocations
        self._ask_s = ask_s
        self._tasks = Tasks()
        bus.on_revoked(rooms.end)

    def start(self) -> None:
        """Begin to ask."""
        self._tasks.spawn(self._run(), name="revoking")

    async def aclose(self) -> None:
        """Ask no more."""
        await self._tasks.aclose()

    async def _run(self) -> None:
        since = 0
        while True:
            try:
                if not since:
                    # Who was revoked before this process began cannot have joined it.
                    since = await self._revocations.now()
                subjects, since = await self._revocations.since(since)
                for each in subjects:
                    self._rooms.end(each)
            except Unavailable:
                log.warning("nobody asked who was revoked, database unavailable")
            await asyncio.sleep(self._ask_s * random.uniform(0.8, 1.2))  # noqa: S311 - spreads instances
