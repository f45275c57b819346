"""The ends of runs that this process executes, as a waiting request is told of them."""

import asyncio

import pytest

from server.runs.execution.local_ends import LocalEnds
from server.store import Finish

LONG_S = 30.0
END = Finish("success", None, [], {}, [], None, response={"a": 1})


async def give(end, release):
    await release.wait()
    return end


async def test_a_waiter_gets_the_end_that_the_execution_committed():
    ends, release = LocalEnds(), asyncio.Event()
    ends.follow("run_1", asyncio.create_task(give(END, release)))
    waiting = asyncio.create_task(ends.wait("run_1", LONG_S))
    release.set()
    assert await waiting is END


async def test_a_run_that_is_not_executed_here_is_not_waited_for():
    assert await LocalEnds().wait("run_1", LONG_S) is None


async def test_a_run_that_has_ended_here_is_forgotten():
    ends, release = LocalEnds(), asyncio.Event()
    task = asyncio.create_task(give(END, release))
    ends.follow("run_1", task)
    release.set()
    await task
    assert await ends.wait("run_1", LONG_S) is None


async def test_an_execution_that_outlasts_the_wait_goes_on():
    ends, release = LocalEnds(), asyncio.Event()
    task = asyncio.create_task(give(END, release))
    ends.follow("run_1", task)
    assert await ends.wait("run_1", 0.0) is None
    assert not task.done()
    release.set()
    assert await task is END


@pytest.mark.parametrize("how", ["cancelled", "failed", "without an end"])
async def test_an_execution_that_leaves_no_end_tells_none(how):
    ends, release = LocalEnds(), asyncio.Event()

    async def leave():
        await release.wait()
        if how == "failed":
            raise ValueError

    task = asyncio.create_task(leave())
    ends.follow("run_1", task)
    waiting = asyncio.create_task(ends.wait("run_1", LONG_S))
    await asyncio.sleep(0)
    release.set() if how != "cancelled" else task.cancel()
    assert await waiting is None


async def test_the_end_of_an_earlier_execution_does_not_hide_a_later_one():
    ends, first, second = LocalEnds(), asyncio.Event(), asyncio.Event()
    earlier = asyncio.create_task(give(None, first))
    ends.follow("run_1", earlier)
    ends.follow("run_1", asyncio.create_task(give(END, second)))
    first.set()
    await earlier
    waiting = asyncio.create_task(ends.wait("run_1", LONG_S))
    second.set()
    assert await waiting is END
