"""The follower of a run for a waiting request: the session's log wakes it, and the database decides."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

from server.bus import Entry
from server.endpoints.dependencies import Dependencies
from server.protocol.commands import Cancel
from server.protocol.event_kinds import kind_of
from server.store import Run, SessionOwner
from server.tasks import happens_within

LOOK_S = 2.0
"""Seconds between two reads of the database by a waiting request, which also gets the end as an event."""

MORE_THAN_RUN_S = 5.0
"""Seconds that a request waits longer than its run may take: for its turn, and until the end is stored."""

MOST_UNREAD = 2_000
"""Events that wait to be read; beyond it the rest is read from the database."""

Event = dict[str, Any]
Wanted = Callable[[Event], bool]


class RunFollower:
    """Follows one run of a session; it is entered before the run is submitted, so that it misses no event.

    An event makes the follower read the database. The event alone proves nothing: some may be missing after a `resync`.
    """

    def __init__(self, parts: Dependencies, session: SessionOwner, seconds: float) -> None:
        """The follower stops the run after so many `seconds`."""
        self._parts = parts
        self._session = session
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._moved = asyncio.Event()
        self._unread: list[Event] = []
        self._ended: Run | None = None

    async def __aenter__(self) -> Self:
        """Begin to watch."""
        await self._parts.bus.hub.watch(self._session.id, self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no more."""
        self._parts.bus.hub.unwatch(self._session.id, self)

    @property
    def unread_events(self) -> int:
        """Return the number of events that wait for the reader."""
        return len(self._unread)

    # Calls of the hub.

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Keep the events for the endpoint; beyond `MOST_UNREAD` they are dropped."""
        if len(self._unread) < MOST_UNREAD:
            self._unread += [each.event for each in entries]
        self._moved.set()

    def control(self, frame: bytes) -> None:
        """Ignore control frames."""

    def resync(self) -> None:
        """Let the endpoint read the database: events may have been missed."""
        self._moved.set()

    def drop(self) -> None:
        """Let the endpoint read the database: no more events will come."""
        self._moved.set()

    # Calls of the endpoint.

    async def wait(self, run_id: str, *, again: bool = False) -> Run:
        """Return the run at its end; a run that takes too long is stopped, and returned as it is then.

        `again` says that the run may have begun before it was followed.
        """
        async for _ in self.events(run_id, lambda event: kind_of(event).ends_run, again=again):
            pass
        return self._ended or await self._parts.store.runs.get(run_id)

    async def events(self, run_id: str, wanted: Wanted, *, again: bool = False) -> AsyncGenerator[Event]:
        """Yield the wanted events of a run as they come, until it is over or took too long; some may be missing."""
        async with aclosing(self.bursts(run_id, wanted, again=again)) as bursts:
            async for burst in bursts:
                for event in burst:
                    yield event

    async def bursts(
        self, run_id: str, wanted: Wanted, *, again: bool = False, quiet_s: float = math.inf
    ) -> AsyncGenerator[list[Event]]:
        """Yield at once all wanted events since the last yield; a slow caller gets more of them together.

        After `quiet_s` seconds without a wanted event an empty list is yielded, to the precision of `LOOK_S`.
        """
        # A repeated request follows a run that may have finished, or whose start was published before.
        mine, look = again, again
        now = asyncio.get_running_loop().time
        yielded = now()
        while True:
            unread, self._unread = self._unread, []
            self._moved.clear()
            burst = []
            for event in unread:
                if event["type"] == "RUN_STARTED":
                    mine = event["runId"] == run_id
                if mine and wanted(event):
                    burst.append(event)
                look = look or kind_of(event).ends_run
            if burst or now() - yielded >= quiet_s:
                yield burst
                yielded = now()
            if look and await self._is_over(run_id):
                return
            look = not await self._wait_for_change(min(LOOK_S, quiet_s))

    async def _is_over(self, run_id: str) -> bool:
        run = await self._parts.store.runs.get(run_id)
        if run.status == "finished":
            self._ended = run
            return True
        if asyncio.get_running_loop().time() < self._deadline:
            return False
        await self._parts.runs.cancel(self._session, Cancel(type="cancel", run_id=run_id))
        return True

    async def _wait_for_change(self, most_s: float) -> bool:
        """Wait for a call of the hub; False when there was none within these seconds, or the deadline passed."""
        left_s = self._deadline - asyncio.get_running_loop().time()
        return await happens_within(self._moved, min(most_s, left_s))
