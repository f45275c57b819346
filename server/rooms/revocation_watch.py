"""The watch on revocations: it ends the sockets, streams and answers of revoked visitors.

The watch remembers a revocation for as long as an older token is valid: Redis may forget it sooner.
"""

import logging
import time
from collections.abc import Callable, Sequence

from server.auth.tokens import LEEWAY_SECONDS, RESUME_SECONDS
from server.bus import Bus
from server.store.conversations.revocations import Revocations
from server.tasks import FailureLog, Tasks, repeat

ASK_S = 20.0
"""So late at most it is noticed without the signal; the promise is a minute."""

KNOWN_S = RESUME_SECONDS + LEEWAY_SECONDS + 60
"""Longer than a resume token lives."""

End = Callable[[str], None]
Expire = Callable[[float], None]

log = logging.getLogger(__name__)


class RevocationWatch:
    """One per process with sockets. Acquired by `start`, released by `aclose`."""

    def __init__(
        self,
        ends: Sequence[End],
        revocations: Revocations,
        bus: Bus,
        *,
        expire: Expire = lambda now: None,
        ask_s: float = ASK_S,
    ) -> None:
        """Listen to the signal from now on; each of `ends` gets every subject that is revoked.

        `expire` gets the time at each look, in seconds since the epoch.
        """
        self._expire = expire
        self._ends = ends
        self._revocations = revocations
        self._idle_proof = bus.idle_proof
        self._ask_s = ask_s
        self._tasks = Tasks()
        self._known: dict[str, float] = {}
        """The revoked names, and until when a token from before may be presented."""
        self._since = 0
        """The time in ms of the database up to which revocations are read; 0 before the first reading."""
        self._begun = False
        """Whether the database was read for what was revoked before the subscription began."""
        bus.signals.on_revoked(self._end)

    def start(self) -> None:
        """Read the revocations now and from time to time."""
        failures = FailureLog(log, "reading revocations", unavailable=logging.WARNING)
        self._tasks.spawn(repeat(self._end_revoked, every_s=self._ask_s, failures=failures), name="revoking")

    async def aclose(self) -> None:
        """Stop reading."""
        await self._tasks.aclose()

    def may_be_revoked(self, *subjects: str) -> bool:
        """Return whether one of these was revoked lately, or that is unknown yet.

        In both cases the caller asks the database.
        """
        return not self._begun or not self._known.keys().isdisjoint(subjects)

    def _end(self, subject: str) -> None:
        self._keep(subject)
        for each in self._ends:
            each(subject)

    def _keep(self, subject: str) -> None:
        now = time.monotonic()
        self._known.pop(subject, None)  # Keep the order by age, the oldest first.
        self._known[subject] = now + KNOWN_S
        while (first := next(iter(self._known))) and self._known[first] <= now:
            del self._known[first]

    async def _end_revoked(self) -> None:
        """End the sockets of every subject that was revoked since the last reading; the first reading goes far back."""
        self._expire(time.time())
        since = self._since or await self._revocations.now() - KNOWN_S * 1000
        subjects, then = await self._revocations.since(since)
        for each in subjects:
            if self._begun:
                # The revoking process may not have reached Redis: from now on the database is asked for this principal.
                await self._idle_proof.withdraw(each)
            self._end(each)
        self._begun = True
        self._since = then
