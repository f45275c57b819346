"""A long outage of Redis: the buffer for it is bounded, and dropped entries are read from the database."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.bus import Bus, EmbeddedValkey
from server.bus.log.log import log_key, meta_key
from server.bus.redis.client import connect_subscriber as connect
from server.bus.writer import backlog as bounds
from tests.contract.bus.viewer import Holder, Stored, Viewer, item
from tests.parts.live import Live, breakable
from tests.parts.sampled import later
from tests.parts.wait import until_async

MANY = bounds.MOST_EVENTS + 500


@contextmanager
def away(valkey: EmbeddedValkey) -> Iterator[None]:
    """Yield the server hangs: connected, but without a word."""
    pid = valkey.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Bus]:
    """Yield an instance whose Redis never comes."""
    bus = Bus(f"unix://{tmp_path / 'nobody'}", check_s=0.2)
    await bus.start()
    yield bus
    await bus.aclose()


def held(bus: Bus) -> tuple[int, int, int]:
    """Return how many writers are held, by each that holds them."""
    return bus.flusher.held_writers, bus.flusher.waiting_writers, bus.hub.written_sessions


def tail(holder: Holder) -> int:
    return len(holder.writer.cursor.tail)


async def finish_run(bus: Bus, number: int, size: int = 1) -> Stored:
    """Return one run of a session of its own, from its claim to its end."""
    stored = Stored(f"ses_{number:016}")
    holder = await Holder.claim(bus, stored)
    holder.writer.append({**item(1), "text": "x" * size})
    holder.items = [1]
    await holder.finish(end=True)
    return stored


async def test_forgetting_a_session_raises_no_error_when_redis_is_away(alone: Bus) -> None:
    """What is deleted in the database may stay in a Redis that nobody reaches until its time is over."""
    await alone.forget("ses_1")


async def test_ended_runs_wait_up_to_a_limit_and_the_oldest_are_forgotten(
    alone: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_ENDED", 100)
    first = Stored(f"ses_{0:016}")
    here = await Viewer(alone, first).open()
    for number in range(150):
        await finish_run(alone, number)
    assert not alone.writing
    await until_async(lambda: held(alone) == (100, 100, 100), what="no more to be held")
    assert alone.flusher.unflushed_writers <= 100
    assert alone.hub.writer(f"ses_{49:016}") is None
    assert alone.hub.writer(f"ses_{50:016}") is not None
    await here.sees([1])


async def test_ended_runs_wait_up_to_a_limit_of_bytes(alone: Bus) -> None:
    # A little less than what an open one may hold, of which it would let go.
    size = bounds.MOST_BYTES - 4096
    for number in range(40):
        await finish_run(alone, number, size)
    most = bounds.MOST_ENDED_BYTES // size
    await until_async(lambda: held(alone) == (most, most, most), what="no more to be held")


async def test_a_closed_writer_holds_neither_its_run_nor_an_event_twice(alone: Bus) -> None:
    stored = await finish_run(alone, 1)
    writer = alone.hub.writer(stored.session_id)
    assert writer is not None
    assert writer.recover is None
    assert [each.known for each in writer.cursor.tail] == [None, None]
    assert not alone.writing
    await Holder.claim(alone, Stored("ses_other"))
    assert alone.writing


async def test_a_log_that_begins_meanwhile_begins_after_all_that_is_known(alone: Bus) -> None:
    writers = []
    for fence, (floor, reaches) in enumerate(((0, 0), (1, 2), (2, 9), (12, 9)), 1):
        writer = await alone.writer("ses_1", fence=fence, floor=floor, reaches=reaches)
        writers.append(writer)
        at = writer.cursor
        expected = [0, 3, 9, 12][fence - 1]
        assert (at.seq, at.start, at.covers, at.birth) == (expected, expected + 1, floor, True)
        if fence == 1:
            for value in range(3):
                writer.append(item(value))
    assert [each.fenced for each in writers] == [True, True, True, False]
    assert len({each.holder for each in writers} | {each.cursor.incarnation for each in writers}) == 8
    assert {len(each.holder) for each in writers} == {12}, "each batch carries it"
    again = await alone.writer("ses_1", fence=4, floor=12)
    assert writers[-1].fenced, "the same fence is claimed by another holder"
    await alone.writer("ses_1", fence=3, floor=12)
    assert not again.fenced, "an older fence stops no younger one"


async def test_a_bus_counts_as_writing_while_the_viewers_of_a_claim_are_moved(
    alone: Bus, stored: Stored
) -> None:
    await Viewer(alone, stored).open()
    async with alone.hub.feeds[stored.session_id].lock:
        claiming = asyncio.ensure_future(alone.writer(stored.session_id, fence=1, floor=0))
        await until_async(lambda: alone.hub.writer(stored.session_id), what="the claim")
        assert alone.writing
    await claiming


async def test_events_in_memory_are_replayed_to_a_reader_of_those_before_them(alone: Bus) -> None:
    writer = await alone.writer("ses_1", fence=1, floor=2, reaches=5)
    epoch = writer.cursor.epoch
    for value in range(3):
        writer.append(item(value))

    async def replayed(epoch: str, seq: int, session_id: str = "ses_1") -> list[int] | None:
        found = await alone.reader.replay(session_id, epoch, seq)
        return None if found is None else [each.seq for each in found]

    assert [await replayed(epoch, seq) for seq in (5, 6, 8, 9)] == [[6, 7, 8], [7, 8], [], None]
    assert [await replayed(epoch, seq) for seq in (1, 3)] == [None, None], "nobody knows what it missed"
    assert await replayed(f"{epoch}0", 6) is None
    assert await replayed(epoch, 6, "ses_2") is None
    read = await alone.reader.read("ses_1", 3)
    assert read is not None and [each.seq for each in read] == [6, 7, 8], "SQL has all before"
    assert await alone.reader.read("ses_1", 1) is None
    writer.recover = lambda: [{"type": "ALL", "items": [0, 1, 2]}]
    told = await alone.reader.read("ses_1", 1)
    assert told is not None and [(each.seq, each.event["type"]) for each in told] == [(8, "ALL")]


@pytest.fixture
def live() -> Iterator[Live]:
    """Yield a server that may refuse to write and keeps what it has: nothing waits in its socket meanwhile."""
    with breakable() as running:
        yield running


async def test_a_forgotten_run_is_read_from_the_database_before_the_next_log(
    new_bus: Callable[..., Awaitable[Bus]], live: Live, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_ENDED", 1)
    bus, other = await new_bus(live.url), await new_bus(live.url, check_s=0.2)
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    await there.sees([1])
    live.hurt("read-only")
    holder.append(2, 3)
    await holder.finish()
    waiting = await finish_run(bus, 1)
    await until_async(lambda: bus.hub.writer(stored.session_id) is None)
    await here.sees([1, 2, 3])
    live.heal("read-only")
    await until_async(lambda: not bus.degraded and held(bus) == (0, 0, 0))
    told = await other.reader.read(waiting.session_id, 0) or []
    assert [each.event["type"] for each in told] == ["ITEM", "END"]
    for viewer in (here, await Viewer(bus, stored).open(), await Viewer(other, stored).open()):
        await viewer.sees([1, 2, 3])
    again = await Holder.claim(other, stored)
    assert again.writer.cursor.incarnation != holder.writer.cursor.incarnation
    assert again.writer.seq == stored.last_seq
    await again.publish(4)
    for viewer in (here, there, await Viewer(bus, stored).open()):
        await viewer.sees([1, 2, 3, 4])
    await again.finish()


async def test_a_run_that_ended_meanwhile_is_told_even_where_its_log_is_gone(
    new_bus: Callable[..., Awaitable[Bus]], valkey: EmbeddedValkey, stored: Stored
) -> None:
    bus, other = await new_bus(), await new_bus(check_s=0.2)
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    client = connect(valkey.url)
    await client.delete(log_key(stored.session_id), meta_key(stored.session_id))
    await client.aclose()
    with away(valkey):
        holder.append(2, 3)
        await holder.finish(end=True)
        assert holder.writer.recover is None
    for viewer in (here, there):
        await viewer.sees([1, 2, 3])
    await until_async(lambda: held(bus) == (0, 0, 0))


async def test_a_full_redis_keeps_its_log_and_gets_the_rest_later(
    new_bus: Callable[..., Awaitable[Bus]], live: Live, stored: Stored
) -> None:
    bus, other = await new_bus(live.url), await new_bus(live.url, check_s=0.2)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    incarnation = holder.writer.cursor.incarnation
    live.hurt("full")
    holder.append(2)
    await until_async(lambda: bus.degraded, what="the refusal to be noticed")
    live.heal("full")
    await there.sees([1, 2])
    assert holder.writer.cursor.incarnation == incarnation
    await holder.finish()


@pytest.mark.parametrize("begun", ["before", later("meanwhile")])
async def test_a_long_run_drops_its_oldest_events_and_sends_all_when_redis_is_back(
    new_bus: Callable[..., Awaitable[Bus]], valkey: EmbeddedValkey, stored: Stored, begun: str
) -> None:
    bus, other = await new_bus(), await new_bus(check_s=0.2)
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored) if begun == "before" else None
    if holder is not None:
        await holder.publish(-1)
        await there.sees([-1])
    with away(valkey):
        holder = holder or await Holder.claim(bus, stored)
        incarnation = holder.writer.cursor.incarnation
        holder.append(*range(MANY))
        await until_async(lambda: tail(holder) <= bounds.MOST_EVENTS, what="the oldest to be let go of")
        await here.sees(holder.items)
        if begun == "before":
            assert here.snapshots == 1, "the readers here are not disturbed by it"
        late = await Viewer(bus, stored).open()
        await late.sees(holder.items)
        holder.append(MANY)
        await asyncio.gather(here.sees(holder.items), late.sees(holder.items))
    for viewer in (here, there, late):
        await viewer.sees(holder.items)
    assert holder.writer.cursor.incarnation != incarnation
    await holder.publish(MANY + 1)
    for viewer in (here, there, late, await Viewer(other, stored).open()):
        await viewer.sees(holder.items)
    await holder.finish(end=True)
    assert held(bus) == (0, 0, 0)


async def test_a_long_run_that_ends_meanwhile_is_read_everywhere_when_redis_is_back(
    new_bus: Callable[..., Awaitable[Bus]], valkey: EmbeddedValkey, stored: Stored
) -> None:
    bus, other = await new_bus(), await new_bus(check_s=0.2)
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(-1)
    await there.sees([-1])
    with away(valkey):
        holder.append(*range(MANY))
        await until_async(lambda: tail(holder) <= bounds.MOST_EVENTS, what="the oldest to be let go of")
        await holder.finish(end=True)
    for viewer in (here, there, await Viewer(other, stored).open()):
        await viewer.sees(holder.items)
    await until_async(lambda: held(bus) == (0, 0, 0))


@pytest.mark.conformance
async def test_large_events_are_dropped_at_the_limit_of_bytes(alone: Bus) -> None:
    holder = await Holder.claim(alone, Stored("ses_large"))
    for value in range(20):
        holder.writer.append({**item(value), "text": "x" * (bounds.MOST_BYTES // 8)})
    await until_async(lambda: tail(holder) < 8, what="the oldest to be let go of")
    assert all(each.known is None for each in holder.writer.cursor.tail)
    holder.writer.append({**item(20), "text": "x" * 2 * bounds.MOST_BYTES})
    await until_async(lambda: tail(holder) == 1, what="all but one to be let go of")
    holder.append(21)
    await until_async(lambda: tail(holder) == 1 and holder.writer.cursor.tail[0].seq == 22)


async def test_a_short_outage_of_redis_keeps_the_epoch_of_the_log(
    new_bus: Callable[..., Awaitable[Bus]], valkey: EmbeddedValkey, stored: Stored
) -> None:
    bus, other = await new_bus(), await new_bus(check_s=0.2)
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(-1)
    before = holder.writer.cursor.epoch
    with away(valkey):
        holder.append(*range(bounds.MOST_EVENTS - 100))
        await until_async(lambda: holder.writer.cursor.size is not None, what="a look at what is unwritten")
    await there.sees(holder.items)
    assert holder.writer.cursor.epoch == before
    assert there.snapshots == 1
    await holder.finish()
