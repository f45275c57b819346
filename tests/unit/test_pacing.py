"""Pacing: coroutines of many requests take few steps in each turn of the loop, and behave as without it."""

import asyncio
import time
from collections.abc import Awaitable

import pytest

from server.pacing import STEP_S, Pace, run_in_steps, wait_for_step

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


async def test_what_belongs_to_no_request_is_not_paced() -> None:
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
