"""Tasks: each has an owner that ends it, and a failure is logged once."""

import asyncio
import logging

import pytest

from server.errors import Busy, Unavailable
from server.tasks import Backoff, Tasks, happens_within, jitter


async def test_a_failure_is_logged_once_and_the_task_is_forgotten(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise RuntimeError("broken part")

    tasks = Tasks()
    task = tasks.spawn(fail(), name="failing")
    await asyncio.wait({task})
    await tasks.aclose()
    assert len(tasks) == 0
    assert [record.getMessage() for record in caplog.records] == ["task failing failed"]
    assert caplog.records[0].exc_info is not None
    assert caplog.records[0].levelno == logging.ERROR


async def test_closing_ends_everything_even_what_is_spawned_while_closing() -> None:
    tasks = Tasks()
    ended: list[str] = []

    async def wait(name: str, then: str | None = None) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)
            if then is not None:
                tasks.spawn(wait(then), name=then)

    tasks.spawn(wait("first", "second"), name="first")
    await asyncio.sleep(0)
    await tasks.aclose()
    assert len(tasks) == 0
    assert ended[0] == "first"


async def test_work_to_be_completed_goes_on_when_its_caller_is_cancelled() -> None:
    tasks, gate, done = Tasks(), asyncio.Event(), asyncio.Event()

    async def work() -> str:
        await gate.wait()
        done.set()
        return "done"

    caller = asyncio.ensure_future(tasks.complete(work(), name="work"))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    gate.set()
    await done.wait()
    assert await tasks.complete(work(), name="work") == "done"
    await tasks.aclose()
    assert len(tasks) == 0


async def test_an_error_of_work_to_be_completed_is_raised_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail() -> None:
        raise Busy

    with pytest.raises(Busy):
        await Tasks().complete(fail(), name="failing")
    assert caplog.records == []


async def test_work_to_be_completed_raises_unavailable_when_its_owner_closes() -> None:
    tasks = Tasks()
    caller = asyncio.ensure_future(tasks.complete(asyncio.Event().wait(), name="endless"))
    await asyncio.sleep(0)
    await tasks.aclose()
    with pytest.raises(Unavailable) as refused:
        await caller
    assert refused.value.retry_after == 1.0


async def test_a_task_may_close_its_own_owner() -> None:
    tasks = Tasks()
    other = tasks.spawn(asyncio.Event().wait(), name="other")

    async def close() -> str:
        await tasks.aclose()
        return "closed"

    assert await tasks.spawn(close(), name="closer") == "closed"
    assert other.cancelled()


def test_pauses_double_up_to_the_longest_until_an_attempt_succeeds() -> None:
    pauses = Backoff(0.25, 1.5)
    assert [pauses.next_s() for _ in range(5)] == [0.25, 0.5, 1.0, 1.5, 1.5]
    pauses.reset()
    assert pauses.pause_s == 0.25
    assert [pauses.next_s() for _ in range(2)] == [0.25, 0.5]


def test_a_jittered_pause_is_at_most_a_fifth_shorter_or_longer_and_not_always_the_same() -> None:
    pauses = {jitter(10.0) for _ in range(100)}
    assert all(8.0 <= each <= 12.0 for each in pauses)
    assert len(pauses) > 1


async def test_an_event_is_waited_for_as_long_as_it_may_take() -> None:
    event = asyncio.Event()
    assert not await happens_within(event, 0.0)
    asyncio.get_running_loop().call_soon(event.set)
    assert await happens_within(event, 60.0)
    assert await happens_within(event, 0.0), "one that has happened needs no time"
