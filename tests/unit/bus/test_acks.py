"""Tasks that wait for a seq go on when it is acknowledged, and leave nothing behind when they give up."""

import asyncio

from server.bus.writer.acks import Acks


async def test_a_waiter_that_gives_up_is_kept_no_longer() -> None:
    acks = Acks()
    assert not await acks.reach(5, 0.01)
    assert len(acks) == 0


async def test_a_waiter_goes_on_when_its_number_is_told_and_not_before() -> None:
    acks = Acks()
    waiting = asyncio.ensure_future(acks.reach(5, 60))
    await asyncio.sleep(0)
    acks.resolve(4)
    await asyncio.sleep(0)
    assert not waiting.done()
    acks.resolve(5)
    assert await waiting
    assert len(acks) == 0


async def test_a_waiter_that_is_cancelled_as_its_number_is_told_disturbs_nobody() -> None:
    acks = Acks()
    cancelled, waiting = (asyncio.ensure_future(acks.reach(5, 60)) for _ in range(2))
    await asyncio.sleep(0)
    cancelled.cancel()
    acks.resolve(5)
    assert await waiting
    await asyncio.wait({cancelled})
    assert len(acks) == 0
