"""The waiters for the moment at which a log is written up to a seq."""

from __future__ import annotations

import asyncio


class Acks:
    """The tasks that wait for a seq of one log."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    def __len__(self) -> int:
        """Count the waiters."""
        return len(self._waiting)

    async def reach(self, target: int, patience_s: float) -> bool:
        """Wait until `target` is acknowledged, for so long at most; true when it was."""
        waiter = (target, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(patience_s):
                await waiter[1]
        except TimeoutError:
            return False
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
        return True

    def resolve(self, last: int) -> None:
        """Resolve all waits for a seq up to `last`."""
        ready = [each for each in self._waiting if each[0] <= last]
        self._waiting = [each for each in self._waiting if each[0] > last]
        for _, future in ready:
            if not future.done():
                future.set_result(None)
