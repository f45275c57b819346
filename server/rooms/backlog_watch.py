"""A watch on the database for events that Redis did not bring to the readers here.

A client whose message no worker claims learns that answers are late; the operator's log counts these. A reader that
missed a stored end, since its process died without Redis, gets a snapshot from the database.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from server.errors import Unavailable
from server.rooms.rooms import Rooms
from server.runs import RunCommands
from server.tasks import Tasks, jitter

ASK_S = 1.9
LOOK_EVERY = 3
"""Every so many times it is asked too what is stored. Twice unseen is untold: within the 15 s for an end, of which its
process may wait one for Redis."""

AT_ONCE = 500

log = logging.getLogger(__name__)


class BacklogWatch:
    """One per process with sockets. Acquired by `start`, released by `aclose`."""

    def __init__(self, rooms: Rooms, runs: RunCommands, *, ask_s: float = ASK_S) -> None:
        self._rooms = rooms
        self._runs = runs
        self._ask_s = ask_s
        self._tasks = Tasks()
        self._waited = 0

    def start(self) -> None:
        """Begin to ask, as long as somebody is here."""
        self._tasks.spawn(self._run(), name="lateness")

    async def aclose(self) -> None:
        """Ask no more."""
        await self._tasks.aclose()

    async def _run(self) -> None:
        turns = 0
        while True:
            await asyncio.sleep(jitter(self._ask_s))
            turns += 1
            if not len(self._rooms):
                continue
            await _try_to_look(self._look_for_the_late)
            if turns >= LOOK_EVERY and await _try_to_look(self._look_for_the_untold):
                turns = 0

    async def _look_for_the_late(self) -> None:
        late = await self._runs.late()
        self._rooms.set_backlogged(late)
        if late and not self._waited:
            log.warning("%d conversations wait: no worker takes their messages up", len(late))
        self._waited = len(late)

    async def _look_for_the_untold(self) -> None:
        ids = self._rooms.sessions()
        for at in range(0, len(ids), AT_ONCE):
            self._rooms.note_stored(await self._runs.reached_seqs(ids[at : at + AT_ONCE]))


async def _try_to_look(look: Callable[[], Awaitable[None]]) -> bool:
    """Look; false when that failed: then it is due again at the next turn."""
    try:
        await look()
    except Unavailable:
        return False  # A client that writes now gets the error itself.
    except Exception:
        # One task watches for all readers: an error must not end it.
        log.exception("reading late runs and unpublished ends failed")
        return False
    return True
