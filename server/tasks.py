"""The one place that starts background tasks, each with an owner that ends it, and says how long they pause."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

from server.errors import CannotStart, Unavailable

T = TypeVar("T")

log = logging.getLogger(__name__)


def jitter(seconds: float) -> float:
    """So many seconds, give or take a fifth: processes that began at once do not ask for ever at once."""
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


class Backoff:
    """The pauses between attempts that fail: each twice as long as the one before, up to the longest."""

    def __init__(self, first_s: float, most_s: float) -> None:
        self._first_s = first_s
        self._most_s = most_s
        self.pause_s = first_s
        """The pause that comes next."""

    def reset(self) -> None:
        """Begin with the first pause again: an attempt has succeeded."""
        self.pause_s = self._first_s

    def next_s(self) -> float:
        """Give the pause that comes next, and lengthen the one after it."""
        pause, self.pause_s = self.pause_s, min(self.pause_s * 2, self._most_s)
        return pause

    async def sleep(self) -> None:
        """Sleep for the pause that comes next."""
        await asyncio.sleep(self.next_s())


async def end_though_cancelled(coro: Coroutine[Any, Any, None]) -> None:
    """Wait until this has ended, though the caller is cancelled meanwhile; then it is."""
    ending = asyncio.create_task(coro)
    try:
        await asyncio.shield(ending)
    except asyncio.CancelledError:
        await asyncio.wait({ending})
        raise


class Tasks:
    """The background tasks of one owner.

    Acquired by whoever holds long-running work, released by its `aclose`. A task that ends with an
    unexpected exception is logged once, at once, and not again when somebody awaits it. CannotStart is expected:
    who awaits it says it.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        """Count what still runs."""
        return len(self._tasks)

    def spawn(
        self, coro: Coroutine[Any, Any, T], *, name: str, context: Context | None = None
    ) -> asyncio.Task[T]:
        """Run a coroutine until it ends or this owner is closed; in a copy of the caller's context if in no other."""
        task = asyncio.create_task(coro, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._on_end)
        return task

    async def complete(self, coro: Coroutine[Any, Any, T], *, name: str) -> T:
        """Return what a coroutine returns; it goes on to its end when the caller is cancelled meanwhile.

        Its error is the caller's: it is raised here, and not logged. Raises Unavailable when the owner is closed before
        the end: this process stops at once, and another one may be asked.
        """
        task = asyncio.create_task(coro, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._on_completion)
        await asyncio.wait({task})
        if task.cancelled():
            raise Unavailable(retry_after=1.0)
        return task.result()

    async def aclose(self) -> None:
        """Cancel everything and wait until it has ended, including what is spawned meanwhile.

        Safe to call from inside one of the tasks: that one is left to its own end.
        """
        me = asyncio.current_task()
        while waiting := {task for task in self._tasks if task is not me}:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)

    def _on_completion(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # Retrieved for a caller that is gone: asyncio would log it.

    def _on_end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, CannotStart):
            log.error("task %s failed", task.get_name(), exc_info=error)
