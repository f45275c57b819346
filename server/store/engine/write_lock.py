"""The write lock of SQLite, which has one writer: a statement that renews a lease goes before others."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class WriteLock:
    """One holder at a time, in the order of asking; urgent callers go before all others."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._taken = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._patient: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def one(self, *, urgent: bool) -> AsyncIterator[None]:
        """Hold the turn for the block. Raises TimeoutError when it does not come in time."""
        if self._taken:
            await self._wait(self._urgent if urgent else self._patient)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, queue: deque[asyncio.Future[None]]) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            async with asyncio.timeout(self._patience_s):
                await turn
        except BaseException:
            # A cancellation or timeout may come after the lock was passed to this waiter: pass it on.
            if turn.done() and not turn.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        for queue in (self._urgent, self._patient):
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)  # The lock stays taken, so no other writer gets in between.
                    return
        self._taken = False
