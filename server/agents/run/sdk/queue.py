"""The queues of a run of the SDK, without the four empty deques that each `asyncio.Queue` brings: 6 KiB a run."""

import asyncio
from typing import Any

QUEUES = ("_event_queue", "_input_guardrail_queue")
STOPPED = "_stream_consumers_stopped"
"""The SDK's private names for them. Where they are gone, a run costs more memory and nothing else."""


def replace_queues(result: object) -> list[str]:
    """Replace the queues of a run that has not begun; returns the names of those that were there, as they were."""
    held, done = vars(result), []
    for name in QUEUES:
        if type(held.get(name)) is asyncio.Queue and held[name].empty():
            held[name] = SmallQueue()
            done.append(name)
    if type(held.get(STOPPED)) is asyncio.Event and not held[STOPPED].is_set():
        held[STOPPED] = SmallEvent()
        done.append(STOPPED)
    return done


class _Getters(list[asyncio.Future[None]]):
    """The tasks that wait for one thing, the first one first."""

    __slots__ = ()

    async def join(self) -> None:
        """Wait to be woken."""
        waiter = asyncio.get_running_loop().create_future()
        self.append(waiter)
        try:
            await waiter
        finally:
            if waiter in self:
                self.remove(waiter)

    def wake(self, most: int | None = None) -> None:
        """Resume the waiting tasks, or so many of them at most."""
        for waiter in self[:most]:
            self.remove(waiter)
            if not waiter.done():
                waiter.set_result(None)


class SmallEvent:
    """An `asyncio.Event`."""

    __slots__ = ("_set", "_waiting")

    def __init__(self) -> None:
        self._set = False
        self._waiting = _Getters()

    def is_set(self) -> bool:
        """Return whether the flag is set."""
        return self._set

    def set(self) -> None:
        """Resume all tasks that wait, and all that will."""
        self._set = True
        self._waiting.wake()

    def clear(self) -> None:
        """Let them wait from now on."""
        self._set = False

    async def wait(self) -> bool:
        """Wait until the flag is set."""
        if not self._set:
            await self._waiting.join()
        return True


class SmallQueue:
    """An `asyncio.Queue` without a bound: all that one does, as the SDK may begin to use more of it."""

    __slots__ = ("_getting", "_items", "_joining", "_unfinished")
    maxsize = 0

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._unfinished = 0
        self._getting = _Getters()
        self._joining = _Getters()

    def qsize(self) -> int:
        """Count what is in it."""
        return len(self._items)

    def empty(self) -> bool:
        """Return whether nothing is in it."""
        return not self._items

    def full(self) -> bool:
        """Return false: the queue has no bound."""
        return False

    async def put(self, item: Any) -> None:
        """Put something in."""
        self.put_nowait(item)

    def put_nowait(self, item: Any) -> None:
        """Put something in."""
        self._items.append(item)
        self._unfinished += 1
        self._getting.wake(1)

    async def get(self) -> Any:
        """Wait for the next item and take it out."""
        while not self._items:
            try:
                await self._getting.join()
            except asyncio.CancelledError:
                if self._items:  # Another waiter takes the item that this one was woken for.
                    self._getting.wake(1)
                raise
        return self._items.pop(0)

    def get_nowait(self) -> Any:
        """Take the next item out; raises QueueEmpty."""
        if not self._items:
            raise asyncio.QueueEmpty
        return self._items.pop(0)

    def task_done(self) -> None:
        """Note that an item that was taken out is done with. Raises ValueError when none is left."""
        if not self._unfinished:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if not self._unfinished:
            self._joining.wake()

    async def join(self) -> None:
        """Wait until all that was put in is done with."""
        if self._unfinished:
            await self._joining.join()
