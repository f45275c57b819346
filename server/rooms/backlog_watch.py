"""A watch on the database for events that Redis did not bring to the readers here.

The clients of a session whose runs no worker claims get `degraded`, and the server logs the number of such sessions. A
reader that missed a stored end, since the process of the run could not write to Redis, gets a snapshot from the
database.
"""

import logging

from server.rooms.rooms import Rooms
from server.runs import RunCommands
from server.tasks import FailureLog, Tasks, attempt, repeat

ASK_S = 1.9
LOOK_EVERY = 3
"""At every third look for late runs, about every 6 s, the watch also reads up to where sessions are stored.

A reader that lacks a stored end at two of these readings gets a snapshot, at most 14 s after the commit. The process
of the run may wait one more second for Redis: together that is within the promised 15 s.
"""

AT_ONCE = 500
"""Sessions of one statement."""

log = logging.getLogger(__name__)


class BacklogWatch:
    """One per process with sockets. Acquired by `start`, released by `aclose`."""

    def __init__(self, rooms: Rooms, runs: RunCommands, *, ask_s: float = ASK_S) -> None:
        self._rooms = rooms
        self._runs = runs
        self._ask_s = ask_s
        self._tasks = Tasks()
        self._waited = 0
        self._turns = 0
        """Looks since the last one for unpublished ends."""
        # A client that writes during an outage gets the error itself, so that Unavailable is DEBUG in all of these.
        self._late_failures = FailureLog(log, "reading late runs")
        self._ends_failures = FailureLog(log, "reading unpublished ends")

    def start(self) -> None:
        """Look from time to time, while this instance has readers."""
        failures = FailureLog(log, "looking for late runs and unpublished ends")
        looking = repeat(self._look, every_s=self._ask_s, failures=failures, pause_first=True)
        self._tasks.spawn(looking, name="backlog watch")

    async def aclose(self) -> None:
        """Stop looking."""
        await self._tasks.aclose()

    async def _look(self) -> None:
        """Look for late runs, and at every third turn for unpublished ends: again at the next turn when that fails."""
        self._turns += 1
        if not len(self._rooms):
            return
        await attempt(self._look_for_the_late, self._late_failures)
        if self._turns >= LOOK_EVERY and await attempt(self._look_for_unpublished_ends, self._ends_failures):
            self._turns = 0

    async def _look_for_the_late(self) -> None:
        late = await self._runs.late()
        self._rooms.set_backlogged(late)
        if late and not self._waited:
            log.warning("%d conversations wait: no worker takes their messages up", len(late))
        self._waited = len(late)

    async def _look_for_unpublished_ends(self) -> None:
        ids = self._rooms.sessions()
        for at in range(0, len(ids), AT_ONCE):
            self._rooms.note_stored(await self._runs.reached_seqs(ids[at : at + AT_ONCE]))
