"""The pacing of requests: their coroutines take short steps on the loop, so that what streams beside them is not late.

Without it many requests that come at once are resumed in the same turn of the loop, and sockets wait for all of them.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")

STEP_S = 0.0005
"""Paced coroutines may take so much of one turn of the loop: the step that goes beyond it is the turn's last."""


class Pace:
    """Shares the turns of one loop among paced coroutines: those that began first go first.

    A step is what a coroutine does from one wait to the next. While no other coroutine is paced no step waits. What a
    coroutine waits for (a model, the database) is not bounded here, only when it goes on afterwards.
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        """The waiting coroutines: a heap by the number of the request, then by the order of asking."""
        self._asked = count()
        self._spent_s = 0.0
        """The time that paced steps took in this turn."""
        self._armed = False
        """The end of this turn is noticed."""

    def run(self, coro: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        """Run a coroutine in paced steps, and what it passes to `run_in_steps`. One inside another keeps its place."""
        return _Steps(coro, lambda: (self, next(self._numbers)))

    @property
    def waits(self) -> bool:
        """Return whether a coroutine waits for a step, or was stopped while waiting."""
        return bool(self._waiting)

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

    async def wait_for_turn(self) -> None:
        """Wait for a turn of the loop whose only paced step is that of the caller, up to its next wait."""
        if not self.take_step():
            await self.join(next(self._numbers))
        self.spend(STEP_S)

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


def run_in_steps(coro: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
    """Run a coroutine in the steps of the request that the caller belongs to; unpaced where it belongs to none."""
    place = _place.get()
    return coro if place is None else _Steps(coro, lambda: place)


async def wait_for_step() -> None:
    """Wait until the request that the caller belongs to may take a step; not at all where it belongs to none.

    For tasks that are not ours to wrap: those of the Agents SDK.
    """
    place = _place.get()
    if place is not None and not place[0].take_step():
        await place[0].join(place[1])


class _Steps(Coroutine[Any, Any, T]):
    """A coroutine that resumes another one only when its pace allows it.

    It is no `async def`: a task that is stopped before its first step would leave the coroutine within it unclosed.
    """

    def __init__(self, coro: Coroutine[Any, Any, T], place: Callable[[], tuple[Pace, int]]) -> None:
        """`place` is asked at the first step, in the context of the task, unless this one has a place already."""
        self._coro = coro
        self._place = place
        self._steps = self._run()

    def __await__(self) -> Generator[Any, Any, T]:
        return self._steps

    def send(self, value: Any) -> Any:
        """Continue the coroutine, as a task does."""
        return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        """Raise where the coroutine waits."""
        if inspect.getgeneratorstate(self._steps) == inspect.GEN_CREATED:
            self._coro.close()
        return self._steps.throw(*error)

    def close(self) -> None:
        """End without another step."""
        self._steps.close()
        self._coro.close()

    def _run(self) -> Generator[Any, Any, T]:
        place = _place.get()
        if place is None:
            place = self._place()
            _place.set(place)
        pace, number = place
        steps = self._coro.__await__()
        error: BaseException | None = None
        while True:
            if not isinstance(error, GeneratorExit) and not pace.take_step():
                try:
                    yield from pace.join(number)
                except BaseException as raised:  # A stop: the coroutine gets the error where it waits.
                    error = raised
            began = time.perf_counter()
            try:
                waited = steps.send(None) if error is None else steps.throw(error)
            except StopIteration as end:
                answer: T = end.value
                return answer
            finally:
                pace.spend(time.perf_counter() - began)
            error = None
            try:
                yield waited
            except BaseException as raised:  # The error is for the coroutine, which waits here.
                error = raised
