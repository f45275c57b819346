"""The leases of this process: one task renews all of them with one statement, and each ends in time or by loss."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from server.agents.run.types import Stop
from server.errors import Fenced, Unavailable
from server.store import Renewal, Run
from server.tasks import Backoff, FailureLog, Tasks, attempt, happens_within, retry

RETRY_FIRST_S = 0.1
RETRY_MOST_S = 1.0

MARGIN_S = 1.0
"""Seconds between a run's stop and its lease's end, whatever the database answers: a revived holder must not write."""

MOST_RETRY_S = 60.0
"""Seconds for which a call that the store refuses is repeated: then the next attempt makes it, also under a lease."""

STALL_S = 2.0
"""Seconds by which the keeper is late at its own time when the process stands still."""

MOST_EXCUSED = 10_000
"""Runs that are remembered as excused; the first ones are forgotten first."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class Lease:
    """The lease of one run. `cancelled` is set when its user stopped it, `lost` when another process may hold it."""

    def __init__(self, run: Run, until: float, holder: asyncio.Task[Any] | None) -> None:
        """Begin as claimed, ours `until` that time of this process; the holder is cancelled when the lease is lost."""
        self.cancelled = Stop()
        self.lost = False
        self.ending = False
        """The run's end is being committed: a run that has ended is no lost one, and a lost one cannot be ended."""
        self.counts = False
        """The lease was lost, or the store refused for too long: the attempt counts, however far it got."""
        self.run = run
        self.until = until
        self._holder = holder

    @property
    def is_over(self) -> bool:
        """Return whether the lease was lost, or its time passed unnoticed: the process may have been suspended."""
        return self.lost or time.monotonic() > self.until

    def lose(self) -> None:
        """Note that the lease is lost: the tasks that work under it stop."""
        self.counts = True
        self.lost = True
        if self._holder is not None:
            self._holder.cancel()

    async def finish(self, write: Callable[[], Awaitable[None]]) -> None:
        """Commit the run's end; from here on the fence in SQL decides whether it is ours, and no longer the keeper."""
        self.ending = True
        await self.retry_while_held(write)

    async def retry_while_held(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat a call of the store while the database is away and the lease may still be ours.

        Raises Fenced when the lease has ended, Unavailable when the store refused for `MOST_RETRY_S`. Either way the
        attempt counts: what is refused for ever is tried as often as a run is, not for ever.
        """
        latest = time.monotonic() + MOST_RETRY_S

        def give_up_in_time(error: Unavailable, pause: float) -> None:
            then = time.monotonic() + pause
            if then <= min(self.until, latest):
                return
            self.counts = True
            if then > self.until:
                raise Fenced from None
            raise error

        pauses = Backoff(RETRY_FIRST_S, RETRY_MOST_S)
        return await retry(call, pauses, on=Unavailable, on_failure=give_up_in_time)


class LeaseStore(Protocol):
    """The part of the store that a keeper uses."""

    async def renew(self, held: Mapping[str, int], lease_s: float) -> dict[str, Renewal]:
        """Keep these leases and return the result of each."""
        ...


class LeaseKeeper:
    """Renews the leases of this process at a third of their time."""

    def __init__(self, runs: LeaseStore, seconds: float) -> None:
        self._runs = runs
        self._seconds = seconds
        self._failures = FailureLog(log, "renewing the leases", unavailable=logging.WARNING)
        self._held: dict[str, Lease] = {}
        self._short = asyncio.Event()
        """A lease was taken of which much had passed already."""
        self._wakes = math.inf
        """When the keeper looks again at the latest, unless the process stands still."""
        self._stall = (math.inf, -math.inf)
        """The last time in which the process stood still: when the keeper should have looked, and when it did."""
        self._excused: deque[str] = deque(maxlen=MOST_EXCUSED)

    def __len__(self) -> int:
        """Count the leases that are kept."""
        return len(self._held)

    def keep(self, run: Run, asked: float) -> Lease:
        """Keep a run for the task that calls, from when it was `asked` for: the answer may have come late."""
        lease = self._held[run.id] = Lease(run, asked + self._seconds - MARGIN_S, asyncio.current_task())
        if lease.until - time.monotonic() < self._seconds / 2:
            self._short.set()
        return lease

    def drop(self, lease: Lease) -> None:
        """Keep it no longer."""
        if self._held.get(lease.run.id) is lease:
            del self._held[lease.run.id]

    def excuse(self, lease: Lease) -> bool:
        """Return whether a lease ended because this process stood still, once for each run.

        That is no fault of most of its runs, but one may have caused it: the next time counts for all.
        """
        self._note_stall()  # The holder may look before the keeper does.
        began, ended = self._stall
        if lease.run.id in self._excused or not began <= lease.until <= ended:
            return False
        self._excused.append(lease.run.id)
        return True

    async def run(self) -> None:
        """Renew for ever; a lease that the database is silent about is lost in time all the same.

        A renewal that is late is waited for, not begun anew: the other leases may still be saved by it. A lease that is
        over is ended before anything is renewed: when the process stood still, a fast renewal would revive it, and what
        timed out meanwhile would end its run as an error.
        """
        tasks = Tasks()
        renewing: asyncio.Task[bool] | None = None
        try:
            while True:
                rest = self._begin_wait(min(self._seconds / 3, self._seconds_left()))
                await happens_within(self._short, rest)
                self._short.clear()
                self._end_late()
                if renewing is None or renewing.done():
                    renewing = tasks.spawn(attempt(self.renew, self._failures), name="leases renew")
                await asyncio.wait({renewing}, timeout=self._begin_wait(self._seconds_left()))
        finally:
            await tasks.aclose()

    def _begin_wait(self, seconds: float) -> float:
        """Note how late the last wait ended, and return the seconds that the next one may take."""
        self._note_stall()
        self._wakes = time.monotonic() + max(0.0, seconds)
        return seconds

    def _note_stall(self) -> None:
        now = time.monotonic()
        if now - self._wakes > STALL_S:
            self._stall = self._wakes, now

    def _end_late(self) -> None:
        now = time.monotonic()
        late = [each for each in self._held.values() if each.until <= now]
        if late:
            log.warning("%d leases not renewed in time", len(late))
        for each in late:
            self._end(each)

    async def renew(self) -> None:
        """Renew all leases with one statement."""
        held = dict(self._held)
        if not held:
            return
        asked = time.monotonic()
        renewals = await self._runs.renew(
            {each.run.id: each.run.fence for each in held.values()}, self._seconds
        )
        for id, lease in held.items():
            renewal = renewals[id]
            if renewal.alive:
                lease.until = asked + self._seconds - MARGIN_S
            elif not lease.ending and self._held.get(id) is lease:
                self._end(lease)
            if renewal.cancel:
                lease.cancelled.set()

    def _end(self, lease: Lease) -> None:
        self.drop(lease)
        lease.lose()

    def _seconds_left(self) -> float:
        """Return the seconds until the first lease is lost."""
        first = min((each.until for each in self._held.values()), default=time.monotonic() + self._seconds)
        return first - time.monotonic()
