"""Pacing: coroutines of many requests take few steps in each turn of the loop, and behave as without it."""

import asyncio
import gc
import inspect
import time
import warnings
from collections.abc import Awaitable, Callable

import pytest

from server.pacing import STEP_S, Pace, run_in_steps, wait_for_step
from tests.parts.wait import until_async

MANY = 20


def _work_for_a_step() -> None:
    """Take more of a turn than paced coroutines may."""
    until = time.perf_counter() + 2 * STEP_S
    while time.perf_counter() < until:
        pass


class _Turns:
    """Counts what happens in each turn of the loop."""

    def __init__(self) -> None:
        self.most = self.now = 0
        self._handle = asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self.most, self.now = max(self.most, self.now), 0
        self._handle = asyncio.get_running_loop().call_soon(self._turn)

    def end(self) -> None:
        self._handle.cancel()


async def _most_in_a_turn(*works: Awaitable[None], turns: _Turns) -> int:
    await asyncio.gather(*works)
    turns.end()
    return turns.most


async def test_many_coroutines_that_are_resumed_at_once_take_two_long_steps_a_turn_at_most() -> None:
    together, pace = asyncio.Event(), Pace()

    async def work(turns: _Turns) -> None:
        await together.wait()
        for _ in range(3):
            turns.now += 1
            _work_for_a_step()
            await asyncio.sleep(0)

    asyncio.get_running_loop().call_later(0.001, together.set)
    turns = _Turns()
    assert await _most_in_a_turn(*(work(turns) for _ in range(MANY)), turns=turns) == MANY
    turns = _Turns()
    paced_work = (asyncio.create_task(pace.run(work(turns))) for _ in range(MANY))
    assert await _most_in_a_turn(*paced_work, turns=turns) <= 2


async def test_the_request_that_began_first_goes_first_with_all_that_it_starts() -> None:
    pace, ended = Pace(), list[int]()
    together = asyncio.Event()

    async def part() -> None:
        await together.wait()
        for _ in range(4):
            _work_for_a_step()
            await asyncio.sleep(0)

    async def request(number: int) -> None:
        await asyncio.create_task(run_in_steps(part()))
        ended.append(number)

    tasks = [asyncio.create_task(pace.run(request(number))) for number in range(MANY)]
    asyncio.get_running_loop().call_later(0.01, together.set)
    await asyncio.gather(*tasks)
    assert ended == list(range(MANY))


async def test_results_errors_and_timeouts_come_as_without_pacing() -> None:
    pace = Pace()

    async def answer() -> int:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await asyncio.Event().wait()
        return 7

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("broken")

    assert await pace.run(answer()) == 7
    with pytest.raises(ValueError, match="broken"):
        await pace.run(fail())


async def test_a_stop_reaches_a_coroutine_that_waits_for_its_step_and_the_others_go_on() -> None:
    pace, began, stopped = Pace(), list[str](), list[str]()
    together, all_wait = asyncio.Event(), asyncio.Event()

    async def work(name: str) -> str:
        began.append(name)
        if len(began) == MANY:
            all_wait.set()
        try:
            await together.wait()
            _work_for_a_step()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            stopped.append(name)
            raise
        return name

    tasks = [asyncio.create_task(pace.run(work(str(each)))) for each in range(MANY)]
    await all_wait.wait()
    together.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks[-1].cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert stopped == [str(MANY - 1)]
    assert isinstance(ends.pop(), asyncio.CancelledError)
    assert ends == [str(each) for each in range(MANY - 1)]


async def test_a_coroutine_of_no_request_is_not_paced() -> None:
    async def work() -> str:
        await wait_for_step()
        return "done"

    assert await run_in_steps(work()) == "done"


async def test_a_task_of_others_waits_for_the_steps_of_its_request() -> None:
    pace, turns = Pace(), _Turns()

    async def foreign() -> None:
        await wait_for_step()
        turns.now += 1

    async def request() -> None:
        _work_for_a_step()
        await asyncio.create_task(foreign())

    works = (asyncio.create_task(pace.run(request())) for _ in range(MANY))
    assert await _most_in_a_turn(*works, turns=turns) <= 2


async def _tasks_that_wait(pace: Pace, work: Callable[[int], Awaitable[None]]) -> list[asyncio.Task[None]]:
    """Start tasks that all wait for a step, with their work before them."""
    together, begun = asyncio.Event(), list[int]()
    all_began = asyncio.Event()

    async def begin(number: int) -> None:
        begun.append(number)
        if len(begun) == MANY:
            all_began.set()
        await together.wait()
        await work(number)

    tasks = [asyncio.create_task(pace.run(begin(each))) for each in range(MANY)]
    await all_began.wait()
    for _ in range(3):  # The turn of the last one is over.
        await asyncio.sleep(0)
    pace.spend(STEP_S)
    together.set()
    await asyncio.sleep(0)
    assert pace.waits
    return tasks


async def _work_twice(_: int = 0) -> None:
    _work_for_a_step()
    await asyncio.sleep(0)
    _work_for_a_step()


async def test_nobody_waits_and_nothing_is_kept_after_all_that_waited_were_stopped() -> None:
    pace = Pace()
    tasks = await _tasks_that_wait(pace, _work_twice)
    for each in tasks:
        each.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in ends] == [asyncio.CancelledError] * MANY
    assert await asyncio.wait_for(pace.run(asyncio.sleep(0, "next")), 10) == "next"
    await until_async(lambda: not pace.waits and pace.take_step())


async def test_a_time_limit_ends_one_that_waits_for_its_step_and_the_others_go_on() -> None:
    pace = Pace()
    tasks = await _tasks_that_wait(pace, _work_twice)

    async def limited() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.sleep(0)
        except TimeoutError:
            return "in time"
        return "too late"

    assert await asyncio.wait_for(pace.run(limited()), 10) == "in time"
    await asyncio.wait_for(asyncio.gather(*tasks), 10)


async def test_an_error_in_one_step_lets_the_next_one_go() -> None:
    pace = Pace()
    tasks = await _tasks_that_wait(pace, _work_twice)

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("broken")

    ends = await asyncio.wait_for(
        asyncio.gather(*(pace.run(fail()) for _ in range(MANY)), *tasks, return_exceptions=True), 10
    )
    assert [type(each) for each in ends] == [ValueError] * MANY + [type(None)] * MANY


async def test_stopped_coroutines_clean_up_in_their_own_steps() -> None:
    pace, cleaned = Pace(), list[int]()

    async def clean(number: int) -> None:
        await asyncio.sleep(0)
        cleaned.append(number)

    async def work(number: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await clean(number)

    async def stopped(number: int) -> None:
        stop = asyncio.current_task()
        assert stop is not None
        asyncio.get_running_loop().call_soon(stop.cancel)
        _work_for_a_step()
        await work(number)

    tasks = await _tasks_that_wait(pace, stopped)
    ends = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
    assert [type(each) for each in ends] == [asyncio.CancelledError] * MANY
    assert cleaned == list(range(MANY))


async def test_a_task_that_is_stopped_before_its_first_step_leaves_no_coroutine_behind() -> None:
    pace = Pace()

    async def work() -> None:
        await asyncio.sleep(0)

    async def request() -> None:
        inner = asyncio.create_task(run_in_steps(work()))
        inner.cancel()
        await asyncio.wait({inner})

    outer = work()
    task = asyncio.create_task(pace.run(outer))
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert inspect.getcoroutinestate(outer) == inspect.CORO_CLOSED
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        await pace.run(request())
        gc.collect()
    assert not told


async def test_a_closed_coroutine_gives_up_its_place() -> None:
    pace = Pace()
    tasks = await _tasks_that_wait(pace, _work_twice)
    inner = asyncio.sleep(0)
    left = pace.run(inner)
    left.send(None)
    left.close()
    assert inspect.getcoroutinestate(inner) == inspect.CORO_CLOSED
    await asyncio.wait_for(asyncio.gather(*tasks), 10)
