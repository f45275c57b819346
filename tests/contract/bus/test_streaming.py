"""From the holder to every viewer: at home at once, elsewhere within the window, everywhere once and in order."""

from __future__ import annotations

import asyncio

import pytest

from server.bus import Fenced
from server.bus.hub import hub
from server.bus.writer.cursor import FLUSH_EVENTS
from server.bus.writer.writer import MOST_UNWRITTEN
from tests.contract.bus.viewer import Holder, Viewer, item
from tests.parts.wait import until_async


async def test_a_delta_is_shown_here_at_once_and_elsewhere_soon(bus, other, stored):
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    holder.append(1)
    assert here.items == [1]
    await there.sees([1])
    assert here.snapshots == there.snapshots == 1


async def test_a_closed_bus_starts_no_task(new_bus, stored):
    bus = await new_bus()
    await Viewer(bus, stored).open()
    writer = (await Holder.claim(bus, stored)).writer
    await bus.aclose()
    assert bus.hub.writer(stored.session_id) is None
    for feed in bus.hub.feeds.values():
        bus.hub._unsubscribe_later(feed, writer)
    assert [each for each in asyncio.all_tasks() if each.get_name().startswith("hub.")] == []


async def test_a_barrier_is_shown_after_it_is_written_and_later_deltas_queue_behind_it(bus, stored):
    here = await Viewer(bus, stored).open()
    holder = await Holder.claim(bus, stored)
    committing = asyncio.ensure_future(holder.publish(1, 2))
    await asyncio.sleep(0)
    holder.append(3)
    assert here.items == []
    await committing
    assert here.items == [1, 2, 3]
    assert (await bus.reader.position(stored.session_id)).seq == 3


async def test_a_published_event_is_in_the_log_when_publish_returns(bus, other, stored):
    holder = await Holder.claim(bus, stored)
    holder.append(*range(100))
    await holder.publish(100)
    assert [each.event["i"] for each in await other.reader.read(stored.session_id, 0)] == list(range(101))


async def test_deltas_share_flushes_and_a_long_tail_is_capped_per_flush(new_bus, stored):
    bus = await new_bus(flush_ms=60_000)
    holder = await Holder.claim(bus, stored)
    holder.append(0)
    await until_async(lambda: holder.writer.cursor.acked == 1)
    assert bus.flusher.flushes == 1
    before = bus.flusher.flushes
    holder.append(*range(1, 10 * FLUSH_EVENTS + 1))
    await asyncio.sleep(0)
    assert bus.flusher.flushes == before, "within the window nothing is sent"
    await holder.writer.publish()
    assert bus.flusher.flushes - before == 10
    assert bus.flusher.unflushed_writers == 0


async def test_a_flush_is_capped_by_bytes_too(bus, other, stored):
    writer = (await Holder.claim(bus, stored)).writer
    writer.recover = None
    for each in range(8):
        writer.append({"type": "ITEM", "i": each, "pad": "x" * 30_000})
    assert len(writer.batch().lines) == 2
    await writer.publish()
    assert len(await other.reader.read(stored.session_id, 0)) == 8


async def test_forty_sessions_stream_side_by_side_without_a_loss(bus, other, stored):
    sessions = [type(stored)(f"{stored.session_id}_{each}") for each in range(40)]
    viewers = [await Viewer(other, each).open() for each in sessions]
    holders = [await Holder.claim(bus, each) for each in sessions]
    for value in range(50):
        for holder in holders:
            holder.append(value)
        await asyncio.sleep(0)
    for viewer in viewers:
        await viewer.sees(list(range(50)))
        assert viewer.seen == list(range(1, 51))
        assert viewer.snapshots == 1


async def test_a_viewer_that_comes_in_the_middle_misses_nothing_anywhere(bus, other, stored):
    holder = await Holder.claim(bus, stored)
    viewers = []
    for value in range(60):
        holder.append(value)
        if value % 10 == 5:
            viewers.append(await Viewer(bus if value % 20 == 5 else other, stored).open())
    for viewer in viewers:
        await viewer.sees(list(range(60)))
        assert viewer.snapshots == 1


async def test_viewers_read_on_when_another_instance_holds_the_next_run(bus, other, stored):
    viewers = [await Viewer(each, stored).open() for each in (bus, other)]
    for run in range(6):
        holder = await Holder.claim((bus, other)[run % 2], stored)
        holder.append(3 * run, 3 * run + 1)
        await holder.publish(3 * run + 2)
        await holder.finish()
    for viewer in viewers:
        await viewer.sees(list(range(18)))
        assert viewer.snapshots == 1
        assert viewer.seen == list(range(1, 19))


async def test_the_next_run_streams_before_the_writer_of_the_last_one_closes(bus, other, stored):
    viewers = [await Viewer(each, stored).open() for each in (bus, other)]
    holders = []
    for run in range(4):
        holders.append(await Holder.claim(bus, stored))
        assert all(each.writer.fenced for each in holders[:-1])
        holders[-1].append(2 * run)
        await holders[-1].publish(2 * run + 1)
    for holder in holders:
        await holder.writer.aclose()
    for viewer in viewers:
        await viewer.sees(list(range(8)))
        assert viewer.snapshots == 1
        assert viewer.seen == list(range(1, 9))


async def test_a_fenced_writer_is_refused_and_its_viewers_get_the_log_of_the_next(bus, other, stored):
    here = await Viewer(bus, stored).open()
    zombie = await Holder.claim(bus, stored)
    await zombie.publish(1)
    new = await Holder.claim(other, stored)
    await new.publish(2)
    zombie.append(666)
    assert here.items == [1, 666], "shown until the first flush tells"
    await until_async(lambda: zombie.writer.fenced, what="the zombie to hear of it")
    await here.sees([1, 2])
    with pytest.raises(Fenced):
        zombie.append(667)
    with pytest.raises(Fenced):
        await zombie.publish(668)
    new.append(3)
    await here.sees([1, 2, 3])


async def test_viewers_of_a_holder_that_is_fenced_before_it_leaves_the_channel_are_corrected(
    new_bus, stored, monkeypatch
):
    monkeypatch.setattr(hub, "UNSUBSCRIBE_AFTER_S", 3600)
    bus, other = await new_bus(check_s=3600), await new_bus()
    here = await Viewer(bus, stored).open()
    zombie = await Holder.claim(bus, stored)
    await zombie.publish(1)
    new = await Holder.claim(other, stored)
    zombie.append(666)
    assert here.items == [1, 666]
    await here.sees([1])
    await new.publish(2)
    await here.sees([1, 2])


async def test_events_of_the_next_holder_reach_the_viewers_of_the_last_one(new_bus, stored, monkeypatch):
    monkeypatch.setattr(hub, "UNSUBSCRIBE_AFTER_S", 3600)
    bus, other = await new_bus(check_s=3600), await new_bus()
    here, there = await Viewer(bus, stored).open(), await Viewer(other, stored).open()
    old = await Holder.claim(bus, stored)
    await old.publish(1)
    new = await Holder.claim(other, stored)
    await new.publish(2)
    await other.notify(stored.session_id, b"after it")
    await until_async(lambda: here.frames, what="what is published after the batch")
    await old.writer.aclose()
    await here.sees([1, 2])
    await there.sees([1, 2])


async def test_a_commit_that_is_fenced_raises_instead_of_telling(bus, other, stored):
    here = await Viewer(bus, stored).open()
    zombie = await Holder.claim(bus, stored)
    await Holder.claim(other, stored)
    with pytest.raises(Fenced):
        await zombie.publish(1)
    assert here.items == []


async def test_the_position_check_finds_a_fenced_writer_that_is_silent(new_bus, stored):
    bus, other = await new_bus(check_s=0.05), await new_bus()
    here = await Viewer(bus, stored).open()
    zombie = await Holder.claim(bus, stored)
    await zombie.publish(1)
    new = await Holder.claim(other, stored)
    await new.publish(2)
    await here.sees([1, 2])
    assert zombie.writer.fenced


async def test_a_run_waits_while_too_much_is_unwritten(bus, stored):
    holder = await Holder.claim(bus, stored)
    for value in range(MOST_UNWRITTEN + 200):
        holder.writer.append(item(value))
    assert holder.writer.seq - holder.writer.cursor.acked > MOST_UNWRITTEN
    await holder.writer.wait_for_room()
    assert holder.writer.seq - holder.writer.cursor.acked <= MOST_UNWRITTEN


async def test_a_watcher_that_fails_stops_neither_the_run_nor_the_others(bus, stored, caplog):
    class Broken:
        calls = 0

        def deliver(self, entries):
            self.calls += 1
            raise RuntimeError("broken watcher")

    broken = Broken()
    await bus.hub.watch(stored.session_id, broken)
    good = await Viewer(bus, stored).open()
    holder = await Holder.claim(bus, stored)
    holder.append(1, 2)
    assert good.items == [1, 2]
    assert broken.calls == 1
    assert "a watcher failed" in caplog.text


async def test_channels_are_unsubscribed_when_the_last_viewer_leaves(bus, stored):
    viewers = [await Viewer(bus, stored).open() for _ in range(2)]
    channels = [f"lw:{{{stored.session_id}}}", f"lw:{{{stored.session_id}}}:ctl"]

    async def subscriber_counts() -> list[int]:
        return (await bus._link.call("PUBSUB", "NUMSUB", *channels))[1::2]

    assert await subscriber_counts() == [1, 1]
    viewers[0].leave()
    assert await subscriber_counts() == [1, 1]
    viewers[1].leave()
    await until_async(lambda: _is(subscriber_counts, [0, 0]))
    again = await Viewer(bus, stored).open()
    assert await subscriber_counts() == [1, 1]
    holder = await Holder.claim(bus, stored)
    await until_async(lambda: _is(subscriber_counts, [0, 1]), what="no subscription to what is written here")
    holder.append(1)
    await holder.finish()
    assert await subscriber_counts() == [1, 1]
    assert again.items == [1]


async def _is(probe, value) -> bool:
    return await probe() == value


async def test_a_writer_that_its_caller_never_gets_leaves_the_watchers_to_the_next_holder(bus, other, stored):
    here = await Viewer(bus, stored).open()
    async with bus.hub.feeds[stored.session_id].lock:
        stored.fence += 1
        taking = asyncio.ensure_future(bus.writer(stored.session_id, fence=stored.fence, floor=0))
        await until_async(lambda: bus.hub.written_sessions, what="the claim to be answered")
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
    assert (bus.hub.written_sessions, bus.flusher.held_writers, bus.writing) == (0, 0, False)
    holder = await Holder.claim(other, stored)
    await holder.publish(1, 2)
    await here.sees([1, 2])
    holder.append(3)
    await here.sees([1, 2, 3])
    await holder.finish(end=True)
