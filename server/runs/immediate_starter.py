"""The immediate start of a run in the process that stores its input, when this process has a free slot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from server.errors import Unavailable
from server.runs import points
from server.runs.points import Point
from server.runs.slots import Slots
from server.store import Claim, Claimant, Submitted
from server.tasks import Tasks

Storing = Callable[[Claimant | None], Awaitable[Submitted]]
"""Stores an input in one transaction, which claims its run for the claimant if nothing stands before it."""

TellQueue = Callable[[str], Awaitable[None]]
"""Shows the queue of a session to its readers."""


class Executor(Protocol):
    """The worker, as far as this module needs it."""

    slots: Slots

    def claimant(self) -> Claimant | None:
        """Return the claimant of this process; None when it claims no runs or has no free slot."""

    def start_claimed(self, claim: Claim) -> None:
        """Execute a claimed run. It takes over the slot that was entered for it, and leaves it at its end."""

    async def announce_due(self) -> None:
        """Say here and elsewhere that something may be due."""


class ImmediateStarter:
    """Takes a slot before an input is stored, and starts the run in it if the same transaction claimed the run."""

    def __init__(self, executor: Executor, tasks: Tasks, tell_queue: TellQueue, point: Point) -> None:
        """`tasks` are the worker's: they end after its drain."""
        self._executor = executor
        self._tasks = tasks
        self._tell_queue = tell_queue
        self._point = point

    async def store_and_start(self, session_id: str, store: Storing) -> Submitted:
        """Store an input by `store`, and start its run here if it was claimed. Raise what `store` raises."""
        # Use a task: the sender may disconnect during the commit, and a claimed run must still be executed.
        storing = self._tasks.spawn(self._store_with_slot(session_id, store), name="submit")
        await asyncio.wait({storing})
        if storing.cancelled():
            # This process must stop at once: the client sends the input again, to another process.
            raise Unavailable(retry_after=1.0)
        submitted = storing.result()
        if isinstance(submitted, Exception):
            raise submitted
        return submitted

    async def _store_with_slot(self, session_id: str, store: Storing) -> Submitted | Exception:
        """Return an error instead of raising it: the sender of the input gets it, and the task has not failed."""
        slots, held = self._executor.slots, False
        claimant = self._executor.claimant()
        if claimant is not None:
            await slots.enter()
        else:
            slots.begin()
        try:
            submitted = await store(claimant)
            self._point(points.AFTER_SUBMIT)
            if submitted.claim is not None:
                held = True
                self._executor.start_claimed(submitted.claim)
            elif not submitted.dup:
                await self._executor.announce_due()
                if submitted.queued:
                    await self._tell_queue(session_id)
            return submitted
        except Exception as error:
            return error
        finally:
            if claimant is None:
                slots.release()
            elif not held:
                slots.leave()
