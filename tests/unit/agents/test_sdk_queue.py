"""The SDK's queues of a run, replaced: as good as asyncio's own, and the private names that this rests on."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from agents import Runner

from server.agents.run.sdk.queue import QUEUES, STOPPED, SmallEvent, SmallQueue, replace_queues
from tests.unit.agents.teams import Bench, ScriptedModel, assistant_message

pytestmark = pytest.mark.parametrize("kind", [asyncio.Queue, SmallQueue])


def spawn(coroutine: Any) -> asyncio.Task[Any]:
    return asyncio.get_running_loop().create_task(coroutine)


async def waiting(*tasks: asyncio.Task[Any]) -> None:
    """Let every task run as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)


async def test_a_queue_returns_items_in_the_order_of_put(kind: Any) -> None:
    queue = kind()
    for item in range(3):
        queue.put_nowait(item)
    await queue.put(3)
    assert (queue.qsize(), queue.empty(), queue.full(), queue.maxsize) == (4, False, False, 0)
    assert [queue.get_nowait(), await queue.get(), await queue.get(), queue.get_nowait()] == [0, 1, 2, 3]
    with pytest.raises(asyncio.QueueEmpty):
        queue.get_nowait()


async def test_the_first_waiter_is_served_first(kind: Any) -> None:
    queue = kind()
    first, second = spawn(queue.get()), spawn(queue.get())
    await waiting(first, second)
    queue.put_nowait("a")
    assert await first == "a"
    await waiting(second)
    queue.put_nowait("b")
    assert await second == "b"


@pytest.mark.parametrize("woken", [True, False], ids=["woken", "asleep"])
async def test_an_item_for_a_cancelled_waiter_goes_to_the_next_waiter(kind: Any, woken: bool) -> None:
    queue = kind()
    first, second = spawn(queue.get()), spawn(queue.get())
    await waiting(first, second)
    if woken:
        queue.put_nowait("a")
        first.cancel()
    else:
        first.cancel()
        queue.put_nowait("a")
    assert await second == "a"
    assert first.cancelled()
    assert queue.empty()


async def test_join_returns_when_every_item_is_marked_done(kind: Any) -> None:
    queue = kind()
    await queue.join()
    queue.put_nowait("a")
    queue.put_nowait("b")
    left, stays = spawn(queue.join()), spawn(queue.join())
    queue.get_nowait()
    queue.get_nowait()
    queue.task_done()
    await waiting(left, stays)
    left.cancel()
    queue.task_done()
    await stays
    with pytest.raises(ValueError, match="too many"):
        queue.task_done()
    assert left.cancelled() or left.done()


@pytest.fixture
def event(kind: Any) -> Any:
    return SmallEvent() if kind is SmallQueue else asyncio.Event()


async def test_an_event_lets_all_go_on_until_it_is_cleared(event: Any) -> None:
    first, left = spawn(event.wait()), spawn(event.wait())
    await waiting(first, left)
    left.cancel()
    event.set()
    assert await first is True
    assert await event.wait() is True
    event.clear()
    late = spawn(event.wait())
    await waiting(late)
    assert not event.is_set()
    event.set()
    assert await late is True


async def test_the_sdk_has_these_queues_and_works_with_ours(kind: Any) -> None:
    """The contract: were they called otherwise some day, a run would silently cost more memory again."""
    agent = Bench().service().agents()["first"]
    agent.model = ScriptedModel([[assistant_message("Bom dia.")]])
    result = Runner.run_streamed(agent, "olá")
    if kind is SmallQueue:
        assert replace_queues(result) == [*QUEUES, STOPPED]
    kinds = [event.type async for event in result.stream_events()]
    assert kinds[-1] == "run_item_stream_event"
    assert result.final_output == "Bom dia."
    assert isinstance(getattr(result, QUEUES[0]), kind)


async def test_queues_of_another_sdk_or_in_use_are_not_replaced(kind: Any) -> None:
    assert replace_queues(SimpleNamespace(_event_queue=[], _stream_consumers_stopped=None)) == []
    used = kind()
    used.put_nowait("already")
    assert replace_queues(SimpleNamespace(_event_queue=used)) == []
