"""The write lock: turns are in order, urgent ones first, and none is lost with a caller that gives up."""

from __future__ import annotations

import asyncio

import pytest

from server.store.engine.engines import TURN_S
from server.store.engine.write_lock import WriteLock
from tests.parts.clock import run_at_once


async def holding(turns: WriteLock, name: str, done: list[str], *, urgent: bool = False) -> None:
    async with turns.one(urgent=urgent):
        done.append(name)


async def test_an_urgent_caller_goes_before_all_waiters_and_the_rest_in_their_order():
    turns, done = WriteLock(30), []
    async with asyncio.TaskGroup() as group:
        async with turns.one(urgent=False):
            for name in ("first", "second", "third"):
                group.create_task(holding(turns, name, done))
            await asyncio.sleep(0)
            group.create_task(holding(turns, "lease", done, urgent=True))
            await asyncio.sleep(0)
        assert done == []
    assert done == ["lease", "first", "second", "third"]


async def test_a_turn_that_does_not_come_is_not_waited_for_for_ever():
    turns, done = WriteLock(0.01), []
    async with turns.one(urgent=False):
        with pytest.raises(TimeoutError):
            await holding(turns, "late", done)
        with pytest.raises(TimeoutError):
            await holding(turns, "later", done)
    await holding(turns, "next", done)
    assert done == ["next"]


def test_a_writer_of_a_file_waits_for_ten_seconds():
    async def give_up() -> float:
        turns = WriteLock(TURN_S)
        async with turns.one(urgent=False):
            with pytest.raises(TimeoutError):
                await holding(turns, "late", [])
        return asyncio.get_running_loop().time()

    assert 10 <= run_at_once(give_up()) < 10.1


async def test_one_caller_holds_the_lock_at_a_time_although_others_give_up():
    turns, steps = WriteLock(30), []

    async def work(name: str) -> None:
        async with turns.one(urgent=False):
            steps.append(f"{name} begins")
            for _ in range(5):
                await asyncio.sleep(0)
            steps.append(f"{name} ends")

    async with asyncio.TaskGroup() as group:
        group.create_task(work("a"))
        await asyncio.sleep(0)
        gone = group.create_task(work("b"))
        await asyncio.sleep(0)
        gone.cancel()
        for name in ("c", "d"):
            group.create_task(work(name))
    assert steps == [f"{name} {step}" for name in "acd" for step in ("begins", "ends")]


async def test_a_waiter_that_gives_up_as_its_turn_comes_passes_it_on():
    turns, done = WriteLock(30), []
    async with asyncio.TaskGroup() as group:
        async with turns.one(urgent=False):
            gone = group.create_task(holding(turns, "gone", done))
            group.create_task(holding(turns, "next", done))
            await asyncio.sleep(0)
        gone.cancel()
    assert done == ["next"]
    await holding(turns, "last", done)
    assert done == ["next", "last"]
