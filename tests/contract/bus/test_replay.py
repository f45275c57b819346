"""Coming back: every missed event once and in order, or a snapshot; never something in between."""

from __future__ import annotations

import asyncio

import pytest

from server.bus.log.log import log_key
from server.bus.reader import AHEAD_STEP_S, AHEAD_WAIT_S
from server.bus.redis.client import connect_subscriber as connect
from tests.contract.bus.conftest import PROMISED_EVENTS
from tests.contract.bus.viewer import Holder, Viewer
from tests.parts.sampled import later


async def values(bus, stored, epoch, seq):
    found = await bus.reader.replay(stored.session_id, epoch, seq)
    return None if found is None else [each.event["i"] for each in found]


async def test_a_replay_crosses_the_fences_of_three_runs(bus, other, stored):
    first = await Holder.claim(bus, stored)
    await first.publish(1, 2, 3)
    epoch_1 = first.writer.cursor.epoch
    second = await Holder.claim(other, stored)
    await second.publish(4, 5)
    epoch_2 = second.writer.cursor.epoch
    await second.finish()
    third = await Holder.claim(bus, stored)
    await third.publish(6)
    assert [each.rpartition(".")[2] for each in (epoch_1, epoch_2, third.writer.cursor.epoch)] == [
        "1",
        "2",
        "3",
    ]
    for asked in (bus, other):
        assert await values(asked, stored, epoch_1, 2) == [3, 4, 5, 6]
        assert await values(asked, stored, epoch_1, 3) == [4, 5, 6]
        assert await values(asked, stored, epoch_2, 4) == [5, 6]
        assert await values(asked, stored, epoch_2, 5) == [6]
        assert await values(asked, stored, third.writer.cursor.epoch, 6) == []
    entries = await other.reader.read(stored.session_id, 0)
    assert [each.epoch for each in entries] == [epoch_1] * 3 + [epoch_2] * 2 + [third.writer.cursor.epoch]


async def test_a_reader_within_the_promised_window_gets_each_event_and_further_back_a_snapshot(
    bus, other, stored
):
    holder = await Holder.claim(bus, stored)
    epoch, total = holder.writer.cursor.epoch, PROMISED_EVENTS + 512
    for first in range(1, total, 32):
        await holder.publish(*range(first, first + 32))
    await holder.finish()
    await (await Holder.claim(other, stored)).finish()  # The next run: what is older may go from here on.
    for asked in (bus, other):
        missed = await values(asked, stored, epoch, total - PROMISED_EVENTS)
        assert missed == list(range(total - PROMISED_EVENTS + 1, total + 1))
        assert await values(asked, stored, epoch, 0) is None


@pytest.mark.parametrize("any_url", ["valkey", later("redis"), later("fake")], indirect=True)
@pytest.mark.parametrize("runs", [later(40), 200])
async def test_a_reader_that_missed_many_short_runs_gets_each_of_their_events(bus, other, stored, runs):
    epochs = []
    for value in range(1, runs + 1):
        holder = await Holder.claim((bus, other)[value % 2], stored)
        await holder.publish(value)
        epochs.append(holder.writer.cursor.epoch)
        await holder.finish()
    for asked in (bus, other):
        for seq in (1, 2, runs // 2, runs - 1, runs):
            missed = list(range(seq + 1, runs + 1))
            assert await values(asked, stored, epochs[seq - 1], seq) == missed
            assert await values(asked, stored, epochs[-1], seq) == missed
        assert await values(asked, stored, epochs[0], 0) == list(range(1, runs + 1))
        # What the first fence showed beyond its end was never written.
        assert await values(asked, stored, epochs[0], 2) is None
        assert await values(asked, stored, epochs[0], runs) is None


async def test_a_log_that_expired_before_many_short_runs_still_knows_who_wrote_its_last_event(
    bus, other, stored, any_url
):
    first = await Holder.claim(bus, stored)
    await first.publish(1, 2)
    epoch_1 = first.writer.cursor.epoch
    second = await Holder.claim(other, stored)
    await second.publish(3)
    epoch_2 = second.writer.cursor.epoch
    await second.finish()
    client = connect(any_url)
    await client.delete(log_key(stored.session_id))
    await client.aclose()
    for value in range(4, 44):
        holder = await Holder.claim(bus, stored)
        await holder.publish(value)
        await holder.finish()
    assert await values(other, stored, epoch_2, 3) == list(range(4, 44))
    assert await values(other, stored, epoch_1, 3) is None
    assert await values(other, stored, epoch_1, 2) is None, "the third event is gone"


async def test_a_reader_that_saw_events_beyond_the_log_gets_a_snapshot(bus, other, stored):
    dead = await Holder.claim(bus, stored)
    await dead.publish(1, 2)
    epoch = dead.writer.cursor.epoch
    new = await Holder.claim(other, stored)
    await new.publish(3, 4)
    assert await values(other, stored, epoch, 2) == [3, 4]
    assert await values(other, stored, epoch, 3) is None
    assert await values(other, stored, epoch, 4) is None


async def test_an_invalid_epoch_or_number_is_answered_by_a_snapshot(bus, stored):
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    mine = holder.writer.cursor.epoch
    for epoch in (
        "",
        ".",
        "0.0",
        "x.1",
        mine + "0",
        mine[:-1] + "2",
        mine.replace(".", ""),
        mine[:-1] + "²",
        "a.-1",
    ):
        assert await values(bus, stored, epoch, 0) is None, epoch
    assert await values(bus, stored, mine, 2) is None
    assert await values(bus, stored, mine, 10**30) is None
    assert await values(bus, stored, mine, -1) is None
    assert await values(bus, stored, mine, 0) == [1]
    assert await bus.reader.replay("ses_unknown", mine, 0) is None


async def test_a_client_ahead_of_the_log_elsewhere_gets_its_events_once_written(new_bus, stored):
    slow, other = await new_bus(flush_ms=100), await new_bus()
    holder = await Holder.claim(slow, stored)
    await holder.publish(1)
    holder.append(2)
    asking = asyncio.ensure_future(values(other, stored, holder.writer.cursor.epoch, 2))
    holder.append(3)
    assert await asking in ([], [3])
    assert await values(slow, stored, holder.writer.cursor.epoch, 2) == [3]


def test_the_wait_for_the_log_is_below_two_seconds_and_in_short_steps():
    assert 10 * AHEAD_STEP_S <= AHEAD_WAIT_S < 2


async def test_a_client_that_stays_ahead_of_the_log_gets_a_snapshot(bus, other, stored):
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    assert await values(other, stored, holder.writer.cursor.epoch, 5) is None


async def test_a_read_at_the_holder_includes_events_that_are_not_yet_written(new_bus, stored):
    bus = await new_bus(flush_ms=1000)
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    holder.append(2, 3)
    assert (await bus.reader.position(stored.session_id)).seq == 3
    assert [each.event["i"] for each in await bus.reader.read(stored.session_id, 0)] == [1, 2, 3]
    assert [each.seq for each in await bus.reader.read(stored.session_id, 0, until=2)] == [1, 2]
    assert await values(bus, stored, holder.writer.cursor.epoch, 1) == [2, 3]
    assert await values(bus, stored, holder.writer.cursor.epoch, 3) == []
    assert [each.event["i"] for each in await bus.reader.read(stored.session_id, 2)] == [3]
    assert await values(bus, stored, f"{holder.writer.cursor.epoch}0", 2) is None, "it is none of ours"


async def test_events_that_the_writer_has_dropped_are_read_from_the_log(bus, stored, any_url):
    holder = await Holder.claim(bus, stored)
    await holder.publish(1, 2)
    holder.writer.cursor.recent.clear()
    epoch = holder.writer.cursor.epoch
    assert await values(bus, stored, epoch, 0) == [1, 2]
    assert await values(bus, stored, epoch, 1) == [2]
    assert [each.event["i"] for each in await bus.reader.read(stored.session_id, 0)] == [1, 2]
    async with connect(any_url) as client:
        await client.delete(log_key(stored.session_id))
    assert await bus.reader.read(stored.session_id, 0) is None, "the events have expired"
    assert await bus.reader.read(stored.session_id, 2) == []


async def test_a_log_that_its_writer_is_about_to_replace_is_not_read(new_bus, stored):
    bus = await new_bus(flush_ms=60_000, check_s=3600)
    holder = await Holder.claim(bus, stored)
    await holder.publish(1, 2)
    epoch = holder.writer.cursor.epoch
    holder.writer.cursor.begin_again("another", [{"type": "ALL", "items": [1, 2]}])
    assert await values(bus, stored, epoch, 1) is None
    assert [each.event["type"] for each in await bus.reader.read(stored.session_id, 0)] == ["ALL"]


async def test_dropped_unwritten_events_are_replaced_by_the_run_so_far(new_bus, stored):
    bus = await new_bus(flush_ms=60_000, check_s=3600)
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    holder.append(2, 3)
    epoch = holder.writer.cursor.epoch
    del holder.writer.cursor.tail[:1]
    assert await values(bus, stored, epoch, 1) is None
    (told,) = await bus.reader.read(stored.session_id, 0)
    assert (told.seq, told.epoch, told.event["items"]) == (3, epoch, [1, 2, 3])


async def test_a_replay_reads_the_log_again_only_for_a_client_ahead_of_it(bus, other, stored, monkeypatch):
    holder = await Holder.claim(bus, stored)
    await holder.publish(1)
    epoch, read, asked = holder.writer.cursor.epoch, other.log.read, []

    async def counted(session_id, after):
        asked.append(after)
        return await read(session_id, after)

    monkeypatch.setattr(other.log, "read", counted)
    assert await values(other, stored, epoch, 0) == [1]
    assert await values(other, stored, epoch, 1) == []
    assert await values(other, stored, f"{epoch}0", 5) is None
    assert asked == [0, 1, 5]
    assert await values(other, stored, epoch, 5) is None
    assert 4 < len(asked) < 1000


async def test_a_session_without_a_log_has_no_position(bus, stored):
    assert await bus.reader.position(stored.session_id) is None
    assert await bus.reader.read(stored.session_id, 0) is None


async def test_a_viewer_resumes_on_another_instance(bus, other, stored):
    viewer = await Viewer(bus, stored).open()
    holder = await Holder.claim(bus, stored)
    holder.append(1, 2)
    viewer.leave()
    holder.append(3)
    await holder.publish(4)
    assert await viewer.resume(other)
    holder.append(5)
    await viewer.sees([1, 2, 3, 4, 5])
    assert viewer.seen == [1, 2, 3, 4, 5]
    assert viewer.snapshots == 1
