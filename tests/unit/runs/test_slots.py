"""The slots of a process: as many runs at once as it has room for, and a process that leaves when nothing is busy."""

import asyncio

from server.runs.slots import Slots


async def test_a_run_waits_for_a_slot_when_all_are_taken() -> None:
    slots = Slots()
    slots.open(2)
    for full in (False, True):
        await slots.enter()
        assert slots.full is full
    waiting = asyncio.ensure_future(slots.enter())
    await asyncio.sleep(0)
    assert not waiting.done()
    slots.leave()
    await waiting
    assert slots.full


async def test_a_process_that_was_given_no_room_has_none() -> None:
    assert Slots().full


async def test_a_run_that_waits_for_its_slot_is_not_busy_yet() -> None:
    slots = Slots()
    slots.open(1)
    await slots.enter()
    waiting = asyncio.ensure_future(slots.enter())
    await asyncio.sleep(0)
    slots.note_busy()
    slots.note_done()
    slots.note_done()
    assert slots.idle.is_set()
    waiting.cancel()


async def test_a_process_is_idle_when_all_that_began_has_ended() -> None:
    slots = Slots()
    assert slots.idle.is_set()
    slots.open(2)
    await slots.enter()
    slots.note_busy()
    assert not slots.full, "what is stored needs no slot"
    for end in (slots.note_done, slots.leave):
        assert not slots.idle.is_set()
        end()
    assert slots.idle.is_set()
    slots.note_busy()
    slots.note_busy()
    slots.note_done()
    assert not slots.idle.is_set()
