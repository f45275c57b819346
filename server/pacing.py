"""The pacing of requests: their coroutines take short steps on the loop, so that what streams beside them is not late.

Without it many requests that come at once are resumed in the same turn of the loop, and sockets wait for all of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Generator
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")

STEP_S = 0.0005
"""Paced coroutines may take so much of one turn of the loop: the step that goes beyond it is the turn's last."""


class Pace:
    """Shares the turns of one loop among paced coroutines: those that began first go first.

    A step is what a coroutine does from one wait to the next. While nobody else is paced no step waits. What a
    coroutine waits for (a model, the database) is not bounded here, only when it goes on afterwards.
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        """Who waits for a step: a heap by the number of the request, then by the order of asking."""
        self._asked = count()
        self._spent_s = 0.0
        """What paced steps took of this turn."""
        self._armed = False
        """The end of this turn is noticed."""

    async def run(self, coro: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in paced steps, and what it passes to `run_in_steps`. One inside another keeps its place."""
        if _place.get() is None:
            _place.set((self, next(self._numbers)))
        return await run_in_steps(coro)

    def take_step(self) -> bool:
        """Return whether a step may begin at once; if not, the caller waits for `join`."""
        if self._waiting or self._spent_s >= STEP_S:
            return False
        self._arm()
        return True

    def join(self, number: int) -> asyncio.Future[None]:
        """Return a future that is done when the step of this request may begin."""
        waiter = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (number, next(self._asked), waiter))
        self._arm()
        return waiter

    def spend(self, seconds: float) -> None:
        """Count a step that has ended."""
        self._spent_s += seconds

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            asyncio.get_running_loop().call_soon(self._begin_turn)

    def _begin_turn(self) -> None:
        """Let the next one go: it resumes in the next turn, after the loop has looked at its sockets."""
        self._spent_s = 0.0
        self._armed = False
        while self._waiting:
            waiter = heappop(self._waiting)[2]
            if not waiter.done():
                waiter.set_result(None)
                self._arm()
                return


_place: ContextVar[tuple[Pace, int] | None] = ContextVar("place", default=None)
"""The pace of what runs, and the number of its request; tasks that it starts inherit both."""


async def run_in_steps(coro: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the steps of the request that the caller belongs to; unpaced where it belongs to none."""
    place = _place.get()
    return await coro if place is None else await _Steps(coro, *place)


async def wait_for_step() -> None:
    """Wait until the request that the caller belongs to may take a step; not at all where it belongs to none.

    For tasks that are not ours to wrap: those of the Agents SDK.
    """
    place = _place.get()
    if place is not None and not place[0].take_step():
        await place[0].join(place[1])


class _Steps:
    """An awaitable that resumes a coroutine only when its pace allows it."""

    def __init__(self, coro: Coroutine[Any, Any, Any], pace: Pace, number: int) -> None:
        self._coro = coro
        self._pace = pace
        self._number = number

    def __await__(self) -> Generator[Any, Any, Any]:
        steps, pace = self._coro.__await__(), self._pace
        error: BaseException | None = None
        while True:
            if not isinstance(error, GeneratorExit) and not pace.take_step():
                try:
                    yield from pace.join(self._number)
                except BaseException as raised:  # A stop: the coroutine hears of it where it waits.
                    error = raised
            began = time.perf_counter()
            try:
                waited = steps.send(None) if error is None else steps.throw(error)
            except StopIteration as end:
                return end.value
            finally:
                pace.spend(time.perf_counter() - began)
            error = None
            try:
                yield waited
            except BaseException as raised:  # It is the coroutine's, which waits here.
                error = raised
