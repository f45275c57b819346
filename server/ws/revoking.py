"""Ends the sockets, streams and answers of who was revoked: at the doorbell, and by asking the database as well."""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence

from server.bus import Bus
from server.errors import Unavailable
from server.store.revoked import Revocations
from server.tasks import Tasks

ASK_S = 20.0
"""So late at most it is noticed without the doorbell; the promise is a minute."""

End = Callable[[str], None]

log = logging.getLogger(__name__)


class Revoking:
    """One per process with sockets. Acquired by `start`, released by `aclose`."""

    def __init__(
        self, ends: Sequence[End], revocations: Revocations, bus: Bus, *, ask_s: float = ASK_S
    ) -> None:
        """Listen to the doorbell from now on; each of `ends` is told every principal or session that goes."""
        self._ends = ends
        self._revocations = revocations
        self._vouched = bus.vouched
        self._ask_s = ask_s
        self._tasks = Tasks()
        bus.on_revoked(self._end)

    def start(self) -> None:
        """Begin to ask."""
        self._tasks.spawn(self._run(), name="revoking")

    async def aclose(self) -> None:
        """Ask no more."""
        await self._tasks.aclose()

    def _end(self, subject: str) -> None:
        for each in self._ends:
            each(subject)

    async def _run(self) -> None:
        since = 0
        while True:
            try:
                if not since:
                    # Who was revoked before this process began cannot have joined it.
                    since = await self._revocations.now()
                subjects, since = await self._revocations.since(since)
                for each in subjects:
                    self._end(each)
                    # Whoever revoked it may not have reached Redis: who comes back is looked up from now on.
                    await self._vouched.doubt(each)
            except Unavailable:
                log.warning("nobody asked who was revoked, database unavailable")
            await asyncio.sleep(self._ask_s * random.uniform(0.8, 1.2))  # noqa: S311 - spreads instances
