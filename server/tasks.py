"""Background tasks, each with an owner that ends it, and the loops in them: periodic acts, and retries with pauses."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

from server.errors import CannotStart, Unavailable

T = TypeVar("T")
E = TypeVar("E", bound=Exception)

log = logging.getLogger(__name__)


def jitter(seconds: float) -> float:
    """Return these seconds, give or take a fifth: instances that started together do not stay in step."""
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


async def happens_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event; false when it was not set within these seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


class Backoff:
    """The pauses between attempts that fail: each twice as long as the one before, up to the longest.

    A loop of asyncio takes them by `repeat` or `retry`; a thread takes them with `next_s`.
    """

    def __init__(self, first_s: float, most_s: float) -> None:
        self._first_s = first_s
        self._most_s = most_s
        self.pause_s = first_s
        """The pause that comes next."""

    def reset(self) -> None:
        """Begin with the first pause again: an attempt has succeeded."""
        self.pause_s = self._first_s

    def next_s(self) -> float:
        """Return the pause that comes next, and lengthen the one after it."""
        pause, self.pause_s = self.pause_s, min(self.pause_s * 2, self._most_s)
        return pause


class FailureLog:
    """Logs the failures of acts that are repeated: each kind once, until an act succeeds again.

    The first failure of a kind is an ERROR with its traceback, the next ones are DEBUG. Unavailable has no traceback:
    the store or the bus has logged the outage.
    """

    def __init__(self, log: logging.Logger, name: str, *, unavailable: int = logging.DEBUG) -> None:
        """Write to the `log` of the caller's module; `unavailable` is the level for the first Unavailable."""
        self._log = log
        self._name = name
        self._unavailable = unavailable
        self._kinds: set[type[Exception]] = set()

    def note(self, error: Exception) -> None:
        """Log a failure, unless its kind has been logged since the last success."""
        kind = type(error)
        if kind in self._kinds:
            self._log.debug("%s failed again: %s", self._name, kind.__name__)
        elif isinstance(error, Unavailable):
            self._log.log(self._unavailable, "%s failed: %s", self._name, kind.__name__)
        else:
            self._log.error("%s failed", self._name, exc_info=error)
        self._kinds.add(kind)

    def reset(self) -> None:
        """Log the next failure of every kind: an act has succeeded."""
        self._kinds.clear()


async def attempt(action: Callable[[], Awaitable[object]], failures: FailureLog) -> bool:
    """Act once. Returns False when that failed, which is logged; only a cancellation is raised."""
    try:
        await action()
    except Exception as error:
        # The caller is one task that serves many clients, runs or sessions: the error of one act must not end it.
        failures.note(error)
        return False
    failures.reset()
    return True


async def repeat(
    action: Callable[[], Awaitable[object]],
    *,
    every_s: float | Callable[[], float],
    failures: FailureLog,
    pause_first: bool = False,
    wake: asyncio.Event | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Act again and again, with a jittered pause after each act, until `is_over`. No failure of an act ends the loop.

    `every_s` is the pause in seconds, or is called after each act and returns it. `wake` ends a pause at once; it is
    cleared before each act, so that what sets it during an act causes another one.
    """
    pauses = every_s if callable(every_s) else lambda: every_s
    if pause_first:
        await _pause(pauses(), wake)
    while not is_over():
        if wake is not None:
            wake.clear()
        await attempt(action, failures)
        await _pause(pauses(), wake)


async def _pause(seconds: float, wake: asyncio.Event | None) -> None:
    if wake is None:
        await asyncio.sleep(jitter(seconds))
        return
    await happens_within(wake, jitter(seconds))


async def retry(
    action: Callable[[], Awaitable[T]],
    pauses: Backoff,
    *,
    on: type[E],
    on_failure: Callable[[E, float], float | None],
) -> T:
    """Repeat an action until it succeeds, and return its result. Any error that is not of the class `on` is raised.

    After each failure `on_failure` gets the error and the jittered pause in seconds that comes next. It raises an error
    to give up, and may return another pause.
    """
    while True:
        try:
            return await action()
        except on as error:
            pause = jitter(pauses.next_s())
            other = on_failure(error, pause)
        await asyncio.sleep(pause if other is None else other)


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

    Acquired by the part that holds long-running work, released by its `aclose`. A task that ends with an
    unexpected exception is logged once, at once, and not again when a caller awaits it. CannotStart is expected:
    the caller that awaits the task reports it.
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
