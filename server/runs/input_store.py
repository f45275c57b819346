"""Inputs that people send: stored, and executed at once where this process has a slot for the run."""

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
"""Stores an input; whoever is named would execute its run at once."""

TellQueue = Callable[[str], Awaitable[None]]
"""Shows everybody in a session what waits in it."""


class Executor(Protocol):
    """What executes the runs that are claimed with their input."""

    slots: Slots

    def claimant(self) -> Claimant | None:
        """Who would claim a run here; None where none is claimed, or there is no slot."""

    def start_claimed(self, claim: Claim) -> None:
        """Execute a run with the slot in hand, which is given back at its end."""

    async def announce_due(self) -> None:
        """Say here and elsewhere that something may be due."""


class InputStore:
    """Stores inputs with a slot in hand for their runs, if there is one."""

    def __init__(self, executor: Executor, tasks: Tasks, tell_queue: TellQueue, point: Point) -> None:
        """`tasks` are the executor's, which end after its drain."""
        self._executor = executor
        self._tasks = tasks
        self._tell_queue = tell_queue
        self._point = point

    async def store(self, session_id: str, store: Storing) -> Submitted:
        """Store an input, and begin its run here when it was claimed with it. Raises what `store` raises."""
        # Whoever sent it may go in mid-commit: what was claimed with it is executed all the same.
        storing = self._tasks.spawn(self._store_with_slot(session_id, store), name="submit")
        await asyncio.wait({storing})
        if storing.cancelled():  # Told to leave at once: the client sends it again, to another.
            raise Unavailable(retry_after=1.0)
        submitted = storing.result()
        if isinstance(submitted, Exception):
            raise submitted
        return submitted

    async def _store_with_slot(self, session_id: str, store: Storing) -> Submitted | Exception:
        """Give what went wrong as it is: it is told to whoever sent the input, and is no fault of this task."""
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
