"""The claim loop: it claims while there is a slot, at a signal, and gives back every claim when it stops."""

from __future__ import annotations

import asyncio
import logging

import pytest

from server.claim_loop import ClaimLoop
from server.errors import Unavailable
from tests.parts.wait import until_async


class Queue:
    """A queue in memory; `gate` holds a claim until the test lets it through."""

    def __init__(self, *due: int, room: int = 2) -> None:
        self.due = list(due)
        self.begun: list[int] = []
        self.returned: list[int] = []
        self.fault: Exception | None = None
        self.claims = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self._room = asyncio.Semaphore(room)

    async def enter(self) -> None:
        await self._room.acquire()

    def leave(self) -> None:
        self._room.release()

    async def claim(self) -> int | None:
        self.claims += 1
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return self.due.pop(0) if self.due else None

    def begin(self, claimed: int) -> None:
        self.begun.append(claimed)

    async def give_back(self, claimed: int) -> None:
        self.returned.append(claimed)


async def test_the_claim_loop_claims_while_there_is_room() -> None:
    queue = Queue(1, 2, 3, room=2)
    loop = ClaimLoop(queue, poll_s=60, name="test")
    loop.start()
    await until_async(lambda: queue.begun == [1, 2], what="two to begin")
    queue.leave()
    await until_async(lambda: queue.begun == [1, 2, 3], what="the third to begin")
    await loop.aclose()
    assert not loop.running


async def test_a_signal_ends_the_wait_for_the_next_look_and_is_counted() -> None:
    queue = Queue()
    loop = ClaimLoop(queue, poll_s=3600, name="test")
    loop.start()
    await until_async(lambda: queue.claims == 1, what="the first look")
    queue.due.append(7)
    loop.signal()
    await until_async(lambda: queue.begun == [7], what="what the signal told of")
    assert loop.signals == 1
    queue.due.append(8)
    loop.look()
    await until_async(lambda: queue.begun == [7, 8], what="what is looked for here")
    assert loop.signals == 1
    await loop.aclose()


@pytest.mark.parametrize("fault", [Unavailable(), ValueError("a bug")], ids=["away", "bug"])
async def test_a_claim_that_fails_gives_its_room_back_and_ends_nothing(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    queue = Queue(1, room=1)
    queue.fault = fault
    loop = ClaimLoop(queue, poll_s=0.01, name="test")
    with caplog.at_level(logging.ERROR):
        loop.start()
        await until_async(lambda: queue.claims >= 3, what="three looks with one room")
        queue.fault = None
        await until_async(lambda: queue.begun == [1], what="the claim that succeeds")
    assert bool(caplog.records) is isinstance(fault, ValueError)
    await loop.aclose()


async def test_runs_claimed_after_the_stop_are_returned() -> None:
    queue = Queue(1)
    queue.gate.clear()
    loop = ClaimLoop(queue, poll_s=60, name="test")
    loop.start()
    await until_async(lambda: queue.claims == 1, what="the claim to be under way")
    await loop.stop()
    queue.gate.set()
    await loop.aclose(wait_s=10)
    assert (queue.begun, queue.returned) == ([], [1])
