"""Questions that come together are answered together, each after it was asked."""

from __future__ import annotations

import asyncio
import gc

import pytest

from server.store.engine.batched_reads import BatchedReads
from tests.parts.wait import until_async


class Database:
    """Answers with the double of each number, when it is let."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.may = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self, keys: list[int]) -> dict[int, int]:
        self.asked.append(keys)
        await self.may.wait()
        if self.error is not None:
            raise self.error
        return {key: key * 2 for key in keys if key >= 0}


async def test_the_first_read_is_asked_at_once_and_later_ones_are_batched():
    database = Database()
    together = BatchedReads(database)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(together.get(1))
        await until_async(lambda: database.asked)
        rest = [group.create_task(together.get(key)) for key in (2, 3, 2, -1)]
        await asyncio.sleep(0)
        database.may.set()
    assert [first.result(), *(each.result() for each in rest)] == [2, 4, 6, 4, None]
    assert database.asked == [[1], [2, 3, -1]]
    assert await together.get(1) == 2
    assert database.asked[2:] == [[1]]  # Nothing is kept.
    await together.aclose()


async def test_a_storm_is_cut_into_statements_of_a_bounded_size():
    database = Database()
    database.may.set()
    together = BatchedReads(database)
    answers = await asyncio.gather(*(together.get(key) for key in range(1001)))
    assert answers == [2 * key for key in range(1001)]
    assert [len(each) for each in database.asked] == [500, 500, 1]
    await together.aclose()


async def test_an_error_reaches_all_callers_and_the_next_question_is_asked_anew():
    database = Database()
    database.error = OSError("gone")
    database.may.set()
    together = BatchedReads(database)
    for found in await asyncio.gather(together.get(1), together.get(2), return_exceptions=True):
        assert isinstance(found, OSError)
    database.error = None
    assert await together.get(1) == 2
    await together.aclose()


async def test_an_error_that_nobody_waits_for_any_more_is_no_error_of_the_loop():
    told: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    database = Database()
    database.error = OSError("gone")
    together = BatchedReads(database)
    going = asyncio.create_task(together.get(1))
    await until_async(lambda: database.asked)
    going.cancel()
    await asyncio.wait({going})
    database.may.set()
    with pytest.raises(OSError, match="gone"):
        await together.get(2)
    await together.aclose()
    database.error = None
    del going
    gc.collect()
    assert told == []


async def test_the_task_that_asks_has_a_name():
    database = Database()
    together = BatchedReads(database)
    asking = asyncio.create_task(together.get(1))
    await until_async(lambda: database.asked)
    assert "store together" in {each.get_name() for each in asyncio.all_tasks()}
    database.may.set()
    assert await asking == 2
    await together.aclose()


async def test_a_cancelled_caller_takes_no_answer_from_others_and_a_close_ends_all_waits():
    database = Database()
    together = BatchedReads(database)
    going, staying = asyncio.create_task(together.get(1)), asyncio.create_task(together.get(1))
    await until_async(lambda: database.asked)
    going.cancel()
    await asyncio.wait({going})
    database.may.set()
    assert await staying == 2
    database.may.clear()
    waiting = [asyncio.create_task(together.get(3))]
    await until_async(lambda: len(database.asked) == 2)
    waiting.append(asyncio.create_task(together.get(4)))
    await asyncio.sleep(0)
    await together.aclose()
    assert database.asked == [[1], [3]], "4 would have been asked after 3 was answered"
    await asyncio.wait(waiting)
    assert all(each.cancelled() for each in waiting)
    with pytest.raises(asyncio.CancelledError):
        waiting[0].result()
