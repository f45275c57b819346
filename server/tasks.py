"""The one place that starts background tasks, so that each of them has an owner that ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

from server.errors import CannotStart

T = TypeVar("T")

log = logging.getLogger(__name__)


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

    async def aclose(self) -> None:
        """Cancel everything and wait until it has ended, including what is spawned meanwhile.

        Safe to call from inside one of the tasks: that one is left to its own end.
        """
        me = asyncio.current_task()
        while waiting := {task for task in self._tasks if task is not me}:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)

    def _on_end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, CannotStart):
            log.error("task %s failed", task.get_name(), exc_info=error)
