"""A slot is taken before an input is stored, and given back unless the run is executed in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from server.errors import Busy, Unavailable
from server.runs import crash_points
from server.runs.slots import Slots
from server.runs.submission.immediate_starter import ImmediateStarter
from server.store import Claimant, Submitted
from server.tasks import Tasks
from tests.parts.wait import until_async

ME = Claimant("me", 10)


class Process:
    """The process as a starter needs it; its calls are kept in order."""

    def __init__(self, claimant: Claimant | None = ME, *, capacity: int = 2) -> None:
        self.slots = Slots()
        self.slots.open(capacity)
        self.told: list[Any] = []
        self.tasks = Tasks()
        self._claimant = claimant
        queue: Any = self
        self.starter = ImmediateStarter(self, queue, self._pass)

    def claimant(self) -> Claimant | None:
        return self._claimant

    def start_claimed(self, claim: Any) -> None:
        self.told.append(("start", claim))

    async def announce_due(self) -> None:
        self.told.append("due")

    async def stop(self, run_ids: Iterable[str]) -> None:
        self.told += [("stop", each) for each in run_ids]

    async def show(self, session_id: str) -> None:
        self.told.append(("queue", session_id))

    def _pass(self, place: str) -> None:
        assert place == crash_points.AFTER_SUBMIT

    async def store(self, submitted: Submitted | Exception) -> Submitted:
        async def store() -> Submitted:
            assert not self.slots.idle.is_set(), "who stores keeps the process from leaving"
            if isinstance(submitted, Exception):
                raise submitted
            return submitted

        return await self.store_by(store)

    async def store_by(self, store: Callable[[], Awaitable[Submitted]]) -> Submitted:
        async def store_and_start() -> Submitted:
            async with self.starter.reserve() as slot:
                self.told.append(slot.claimant)
                stored = await store()
                await self.starter.start(slot, "ses_1", stored)
                return stored

        return await self.tasks.complete(store_and_start(), name="submit")


def submitted(
    *, claim: Any = None, dup: bool = False, queued: int = 0, stopped: tuple[str, ...] = ()
) -> Submitted:
    return Submitted("run_1", "msg_1", dup=dup, queued=queued, claim=claim, stopped=stopped)


@pytest.mark.parametrize("claimant", [ME, None])
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (submitted(), ["due"]),
        (submitted(queued=1), ["due", ("queue", "ses_1")]),
        (submitted(dup=True, queued=1), []),
    ],
)
async def test_a_queued_input_is_announced_and_holds_no_slot(
    claimant: Claimant | None, given: Submitted, told: list[Any]
) -> None:
    process = Process(claimant, capacity=1)
    for _ in range(3):
        assert await process.store(given) is given
    assert process.told == [claimant, *told] * 3
    assert process.slots.idle.is_set()
    assert not process.slots.full


async def test_a_run_that_is_claimed_keeps_its_slot_until_it_ends() -> None:
    process, claim = Process(capacity=2), object()
    for _ in range(2):
        await process.store(submitted(claim=claim))
    assert process.told == [ME, ("start", claim)] * 2
    assert process.slots.full
    waiting = asyncio.ensure_future(process.store(submitted()))
    await asyncio.sleep(0)
    process.slots.leave()
    await waiting
    process.slots.leave()
    assert process.slots.idle.is_set()


@pytest.mark.parametrize("claimant", [ME, None])
async def test_an_input_that_is_refused_holds_nothing(claimant: Claimant | None) -> None:
    process = Process(claimant, capacity=1)
    for _ in range(3):
        with pytest.raises(Busy):
            await process.store(Busy())
    assert process.slots.idle.is_set()
    assert not process.slots.full
    assert process.told == [claimant] * 3


async def test_a_sender_that_leaves_does_not_stop_the_storing_and_a_process_that_leaves_does() -> None:
    process, gate, asked = Process(capacity=1), asyncio.Event(), asyncio.Event()

    async def slow() -> Submitted:
        asked.set()
        await gate.wait()
        return submitted(claim="its run", stopped=("run_0",))

    sender = asyncio.ensure_future(process.store_by(slow))
    await asked.wait()
    sender.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sender
    gate.set()
    # What the input stopped is stopped all the same.
    begun = [ME, ("start", "its run"), ("stop", "run_0")]
    await until_async(lambda: process.told == begun, what="the start")
    process.slots.leave()
    gate.clear()
    asked.clear()
    again = asyncio.ensure_future(process.store_by(slow))
    await asked.wait()
    await process.tasks.aclose()
    with pytest.raises(Unavailable) as refused:
        await again
    assert refused.value.retry_after == 1.0
    assert process.slots.idle.is_set()
    assert not process.slots.full
