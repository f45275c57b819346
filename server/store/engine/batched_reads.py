"""Batched reads: the questions of many callers at the same time are one statement."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from server.tasks import Tasks

K = TypeVar("K")
V = TypeVar("V")

MOST = 500
"""Questions that one statement answers; there are limits to the parameters of a statement."""


class BatchedReads(Generic[K, V]):
    """The first question is asked at once; questions that arrive before its answer are asked together after it.

    So every answer is read after its question, and nothing is kept. Acquired by a part of the store, released by
    `aclose`.
    """

    def __init__(self, ask: Callable[[list[K]], Awaitable[Mapping[K, V]]]) -> None:
        """`ask` answers many at once; a question without an answer gets None, an error goes to all of them."""
        self._ask = ask
        self._tasks = Tasks()
        self._waiting: dict[K, asyncio.Future[V | None]] = {}
        self._asking = False

    async def get(self, key: K) -> V | None:
        """Return the answer to one question."""
        answer = self._waiting.get(key)
        if answer is None:
            answer = self._waiting[key] = asyncio.get_running_loop().create_future()
            if not self._asking:
                self._asking = True
                self._tasks.spawn(self._answer(), name="store together")
        # Shield the answer: this caller may be cancelled while others wait for it.
        return await asyncio.shield(answer)

    async def aclose(self) -> None:
        """Stop reading; the calls that wait are cancelled."""
        await self._tasks.aclose()
        for answer in self._waiting.values():
            answer.cancel()

    async def _answer(self) -> None:
        """Ask until nothing waits."""
        try:
            while self._waiting:
                keys = list(self._waiting)[:MOST]
                answers = {key: self._waiting.pop(key) for key in keys}
                await self._resolve(answers)
        finally:
            self._asking = False

    async def _resolve(self, waiting: dict[K, asyncio.Future[V | None]]) -> None:
        try:
            found = await self._ask(list(waiting))
        except asyncio.CancelledError:
            for answer in waiting.values():
                answer.cancel()
            raise
        except Exception as error:
            # Each caller of the batch gets the error, whatever it is: else it would wait for ever.
            for answer in waiting.values():
                answer.set_exception(error)
                answer.exception()  # Mark the exception as retrieved, since all callers may be gone.
        else:
            for key, answer in waiting.items():
                answer.set_result(found.get(key))
