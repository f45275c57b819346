"""The ends of the runs that this process executes: a task that waits for one reads neither the log nor the database."""

import asyncio
from functools import partial

from server.store import Finish


class LocalEnds:
    """Knows the task of each run that is executed here; it returns the end that it has committed, or None."""

    def __init__(self) -> None:
        self._executing: dict[str, asyncio.Task[Finish | None]] = {}

    def follow(self, run_id: str, task: asyncio.Task[Finish | None]) -> None:
        """Remember the task of a run until it is done."""
        self._executing[run_id] = task
        task.add_done_callback(partial(self._forget, run_id))

    async def wait(self, run_id: str, seconds: float) -> Finish | None:
        """Return the committed end of a run once its execution here is over.

        None at once where the run is not executed here, when its execution leaves it without an end, which another
        process may give it, and after so many seconds.
        """
        task = self._executing.get(run_id)
        if task is None:
            return None
        await asyncio.wait({task}, timeout=seconds)
        is_over = task.done() and not task.cancelled() and task.exception() is None
        return task.result() if is_over else None

    def _forget(self, run_id: str, task: asyncio.Task[Finish | None]) -> None:
        if self._executing.get(run_id) is task:  # The same run may have been claimed here again.
            del self._executing[run_id]
