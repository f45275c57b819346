"""Tasks of one owner: each is forgotten when it ends, and all end with their owner."""

from __future__ import annotations

import asyncio

import pytest

from loopwire import Event, Snapshot
from loopwire.tasks import Tasks


async def test_a_task_that_has_ended_is_forgotten() -> None:
    async def add(a: int, b: int) -> int:
        return a + b

    tasks = Tasks()
    assert await tasks.spawn(add(1, 2)) == 3
    await asyncio.sleep(0)
    assert tasks._tasks == set()


async def test_the_owner_waits_for_the_end_of_all_whatever_they_raise() -> None:
    ended: list[str] = []

    async def work(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(name)
            raise ZeroDivisionError

    tasks = Tasks()
    spawned = [tasks.spawn(work(each)) for each in "ab"]
    await asyncio.sleep(0)
    await tasks.aclose()
    assert sorted(ended) == ["a", "b"]
    for each in spawned:
        with pytest.raises(ZeroDivisionError):
            await each


async def test_a_task_may_end_all_others() -> None:
    tasks = Tasks()
    other = tasks.spawn(asyncio.Event().wait())

    async def end() -> str:
        await tasks.aclose()
        return "ended"

    assert await tasks.spawn(end()) == "ended"
    assert other.cancelled()


def test_an_event_says_what_it_is_and_where_to_go_on() -> None:
    event = Event("a.1", 7, 5, {"type": "RUN_STARTED"})
    assert (event.type, event.position) == ("RUN_STARTED", ("a.1", 7))
    assert Snapshot("a.1", 9, ()).position == ("a.1", 9)
