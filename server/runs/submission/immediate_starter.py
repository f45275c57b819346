"""The immediate start of a run in the process that stores its input, when this process has a free slot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Protocol

from server.runs import crash_points
from server.runs.crash_points import Point
from server.runs.session_queue import SessionQueue
from server.runs.slots import Slots
from server.store import Claim, Claimant, Submitted


class WorkerPort(Protocol):
    """The worker, as far as this module needs it."""

    slots: Slots

    def claimant(self) -> Claimant | None:
        """Return the claimant of this process; None when it claims no runs or has no free slot."""

    def start_claimed(self, claim: Claim) -> None:
        """Execute a claimed run. It takes over the slot that was entered for it, and leaves it at its end."""

    async def announce_due(self) -> None:
        """Signal here and elsewhere that something may be due."""

    async def stop(self, run_ids: Iterable[str]) -> None:
        """Stop runs wherever they are executed."""


class ReservedSlot:
    """The slot that is held while an input is stored, for the case that the same transaction claims its run."""

    def __init__(self, claimant: Claimant | None) -> None:
        """`claimant` is the owner under which the transaction may claim the run; None when no slot was free."""
        self.claimant = claimant
        self.is_used = False
        """A run is executed in it, and gives it back at its end."""


class ImmediateStarter:
    """Takes a slot before an input is stored, and starts the run in it if the same transaction claimed the run."""

    def __init__(self, worker: WorkerPort, queue: SessionQueue, point: Point) -> None:
        self._worker = worker
        self._queue = queue
        self._point = point

    @asynccontextmanager
    async def reserve(self) -> AsyncIterator[ReservedSlot]:
        """Hold a slot while an input is stored, if one is free; it is given back unless a run was started in it.

        Without a free slot the process is still busy until the end of the block, and does not leave before.
        """
        slots = self._worker.slots
        slot = ReservedSlot(self._worker.claimant())
        if slot.claimant is not None:
            await slots.enter()
        else:
            slots.note_busy()
        try:
            yield slot
        finally:
            if slot.claimant is None:
                slots.note_done()
            elif not slot.is_used:
                slots.leave()

    async def start(self, slot: ReservedSlot, session_id: str, submitted: Submitted) -> None:
        """Start the run in the slot if it was claimed for it; announce one that waits, and show the queue.

        The runs that the input stopped get the signal to stop.
        """
        self._point(crash_points.AFTER_SUBMIT)
        if submitted.claim is not None:
            slot.is_used = True
            self._worker.start_claimed(submitted.claim)
        elif not submitted.dup:
            await self._worker.announce_due()
            if submitted.queued:
                await self._queue.show(session_id)
        await self._worker.stop(submitted.stopped)
