"""The failures between the server and Redis: each is one error, and none hides a cancellation."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from redis.exceptions import RedisError

from server.bus import BusDown
from server.bus.redis.client import failures_as_down


@pytest.mark.parametrize("error", [RedisError, ConnectionResetError, TimeoutError])
async def test_every_failure_is_a_redis_that_is_down(error: type[Exception]) -> None:
    with pytest.raises(BusDown), failures_as_down():
        raise error


async def swallow() -> None:
    """Wait, and lose the cancellation as a client may."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


async def test_a_cancellation_that_the_client_loses_is_raised_again() -> None:
    async def work() -> None:
        with failures_as_down():
            await swallow()

    task = asyncio.ensure_future(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_a_task_with_an_earlier_swallowed_cancellation_may_still_ask_redis() -> None:
    async def work() -> str:
        await swallow()
        with failures_as_down():
            return "asked"

    task = asyncio.ensure_future(work())
    await asyncio.sleep(0)
    task.cancel()
    assert await task == "asked"
