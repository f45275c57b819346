"""The channels of a watched session, while watchers and writers come and go in any order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from server.bus.hub import hub as hub_module
from server.bus.hub.feed import Feed
from server.bus.hub.hub import Hub
from server.bus.log.entries import Entry, Position
from server.bus.log.log import ClaimedLog, control_channel, log_channel
from server.bus.log.view import LogView
from server.bus.writer.writer import LogWriter
from server.tasks import Tasks
from tests.parts.wait import until_async

LOG, CONTROL = log_channel("ses_1"), control_channel("ses_1")


class Channels:
    """The subscribed connection: keeps what is asked of it, and takes its time when the test says so."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.removed: list[str] = []
        self.open = asyncio.Event()
        self.open.set()

    async def add(self, channels: Iterable[str]) -> bool:
        self.added += channels
        return await self.open.wait()

    async def remove(self, channels: Iterable[str]) -> None:
        self.removed += channels
        await self.open.wait()


class Logged:
    """A log that ends at one place."""

    def __init__(self) -> None:
        self.last = 4
        self.fence = 1
        self.read_after: list[int] = []
        self.open = asyncio.Event()
        self.open.set()

    async def read(self, session_id: str, after: int) -> LogView:
        self.read_after.append(after)
        await self.open.wait()
        entries = [Entry(seq, f"log.{self.fence}", b"{}") for seq in range(after + 1, self.last + 1)]
        return LogView("log", self.last, self.fence, 0, 0, after, self.fence, entries)

    async def positions(self, session_ids: list[str]) -> list[Position | None]:
        return [Position("log.1", self.last) for _ in session_ids]


class Watching:
    """A watcher that keeps what it gets."""

    def __init__(self) -> None:
        self.seqs: list[int] = []
        self.frames: list[bytes] = []
        self.resyncs = 0

    def deliver(self, entries: Iterable[Entry]) -> None:
        self.seqs += [each.seq for each in entries]

    def control(self, frame: bytes) -> None:
        self.frames.append(frame)

    def resync(self) -> None:
        self.resyncs += 1

    def drop(self) -> None:
        raise AssertionError("it did not fail")


class Rig:
    """A hub over channels and a log of the test's own."""

    def __init__(self) -> None:
        self.tasks, self.channels, self.log, self.watching = Tasks(), Channels(), Logged(), Watching()
        parts: Any = (self.log, self.channels)
        self.hub = Hub(*parts, self.tasks, check_s=3600)

    async def watch(self) -> Feed:
        await self.hub.watch("ses_1", self.watching)
        self.log.read_after.clear()
        self.channels.added.clear()
        return self.hub.feeds["ses_1"]

    def writer(self, last: int = 4, fence: int = 2, session_id: str = "ses_1") -> LogWriter:
        """Make a writer that begins after `last`; nobody writes what it has."""
        claimed = ClaimedLog("log", fence, last, last + 1, 0, False, "me")
        parts: Any = _Unflushed()
        return LogWriter(session_id, claimed, floor=0, reaches=0, flusher=parts, hub=self.hub)

    async def rest(self) -> None:
        await until_async(lambda: not len(self.tasks), what="nothing more to do")


class _Unflushed:
    def mark(self, writer: LogWriter, *, urgent: bool = False) -> None:
        """Write nothing."""


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setattr(hub_module, "UNSUBSCRIBE_AFTER_S", 3600)
    return Rig()


async def test_both_channels_are_taken_and_the_position_alone_is_read(rig: Rig) -> None:
    assert rig.hub.delivered == 0
    await rig.hub.watch("ses_1", rig.watching)
    assert sorted(rig.channels.added) == [LOG, CONTROL]
    assert rig.watching.seqs == []
    rig.hub.deliver("ses_1", [Entry(5, "log.1", b"{}")])
    rig.hub.deliver("ses_2", [Entry(1, "log.1", b"{}")])
    assert (rig.watching.seqs, rig.watching.resyncs, rig.hub.delivered) == ([5], 0, 2)


async def test_frames_of_the_channels_are_delivered_without_reading_the_log(rig: Rig) -> None:
    await rig.watch()
    rig.hub.receive("ses_1", b"log 1 1 5 6\n{}\n{}")
    rig.hub.receive("ses_1", b"log 2 7 7 7\n{}")
    rig.hub.control("ses_1", b"{}")
    rig.hub.control("ses_2", b"{}")
    assert (rig.watching.seqs, rig.watching.frames, rig.log.read_after) == ([5, 6, 7], [b"{}"], [])
    await rig.hub.watch("ses_1", Watching())
    assert rig.channels.added == [], "they are subscribed already"


async def test_of_a_session_that_is_written_here_only_control_frames_are_subscribed(rig: Rig) -> None:
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    rig.hub.check_soon()
    await rig.hub.watch("ses_1", rig.watching)
    assert rig.channels.added == [CONTROL]
    writer.append({"type": "ITEM"})
    assert (rig.watching.seqs, rig.log.read_after) == ([5], [])
    await rig.hub.release(writer)
    assert rig.channels.added == [CONTROL, LOG]
    assert rig.hub.feeds["ses_1"].missed_nothing


async def test_a_watcher_that_leaves_twice_is_missed_once_and_a_stranger_never(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.hub.unwatch("ses_1", rig.watching)
    await rig.watch()
    rig.hub.unwatch("ses_1", Watching())
    await rig.rest()
    assert list(rig.hub.feeds) == ["ses_1"]
    for _ in range(2):
        rig.hub.unwatch("ses_1", rig.watching)
    assert "hub._close" in {each.get_name() for each in asyncio.all_tasks()}
    await rig.rest()
    assert sorted(rig.channels.removed) == [LOG, CONTROL]
    assert rig.hub.feeds == {}
    assert not caplog.records


async def test_a_watcher_that_comes_before_the_channels_are_left_stays_on_them(rig: Rig) -> None:
    await rig.watch()
    rig.hub.unwatch("ses_1", rig.watching)
    await rig.watch()
    await rig.rest()
    assert rig.channels.removed == []


async def test_a_watcher_that_comes_while_the_channels_are_left_subscribes_them_again(rig: Rig) -> None:
    await rig.watch()
    rig.channels.open.clear()
    rig.hub.unwatch("ses_1", rig.watching)
    await until_async(lambda: rig.channels.removed, what="the channels to be left")
    coming = asyncio.ensure_future(rig.hub.watch("ses_1", rig.watching))
    await asyncio.sleep(0)
    rig.channels.open.set()
    await coming
    assert sorted(rig.channels.added) == [LOG, CONTROL]
    rig.hub.deliver("ses_1", [Entry(5, "log.1", b"{}")])
    assert rig.watching.seqs == [5]


async def test_an_opening_that_is_cancelled_leaves_nothing_half_open(rig: Rig) -> None:
    rig.log.open.clear()
    opening = asyncio.ensure_future(rig.hub.watch("ses_1", rig.watching))
    await until_async(lambda: rig.log.read_after, what="the reading")
    feed = rig.hub.feeds["ses_1"]
    opening.cancel()
    await asyncio.wait({opening})
    assert (opening.cancelled(), feed.is_reading, feed.subscription.is_open) == (True, False, False)
    rig.log.open.set()
    await rig.hub.watch("ses_1", rig.watching)
    assert sorted(rig.channels.added) == [LOG, LOG, CONTROL, CONTROL]


async def test_a_writer_that_begins_where_the_watchers_stand_reads_nothing(rig: Rig) -> None:
    feed = await rig.watch()
    feed.hold([Entry(9, "log.1", b"{}")], 0)
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    writer.append({"type": "ITEM"})
    assert (rig.watching.seqs, rig.watching.resyncs, rig.log.read_after) == ([5], 0, [])
    assert not feed.is_reading


async def test_a_writer_that_begins_later_brings_the_watchers_to_its_begin(rig: Rig) -> None:
    await rig.watch()
    rig.log.last = 6
    writer = rig.writer(6)
    await rig.hub.adopt(writer, claimed=True)
    writer.append({"type": "ITEM"})
    assert (rig.watching.seqs, rig.watching.resyncs, rig.log.read_after) == ([5, 6, 7], 0, [4])


async def test_a_writer_whose_claim_was_not_answered_sends_the_watchers_to_a_snapshot(rig: Rig) -> None:
    await rig.watch()
    writer = rig.writer(6)
    await rig.hub.adopt(writer, claimed=False)
    assert (rig.watching.seqs, rig.watching.resyncs, rig.log.read_after) == ([], 1, [])
    writer.append({"type": "ITEM"})
    assert rig.watching.seqs == [7]


async def test_only_the_writer_of_a_session_moves_its_watchers(rig: Rig) -> None:
    feed = await rig.watch()
    former, writer = rig.writer(), rig.writer(fence=3)
    await rig.hub.adopt(former, claimed=True)
    await rig.hub.adopt(writer, claimed=True)
    former.cursor.begin_again("other", None)
    rig.hub.begin_incarnation(former)
    rig.hub.follow_log_again(former, resync=True)
    await rig.rest()
    assert (rig.watching.resyncs, feed.read_from()) == (0, 4)
    assert rig.hub.writer("ses_1") is writer
    writer.append({"type": "ITEM"})
    writer.cursor.begin_again("other", [{"type": "ALL"}])
    rig.hub.begin_incarnation(writer)
    assert (rig.watching.seqs, rig.watching.resyncs, feed.read_from()) == ([5], 1, 6)
    writer.append({"type": "ITEM"})
    assert rig.watching.seqs == [5, 7]


async def test_a_writer_whose_session_nobody_watches_comes_and_goes(rig: Rig) -> None:
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    rig.hub.begin_incarnation(writer)
    rig.hub.follow_log_again(writer, resync=True)
    await rig.rest()
    assert (rig.hub.written_sessions, rig.channels.added) == (0, [])


async def test_a_writer_that_follows_another_at_once_waits_for_no_channel(rig: Rig) -> None:
    feed = await rig.watch()
    former, writer = rig.writer(), rig.writer(fence=3)
    await rig.hub.adopt(former, claimed=True)
    feed.subscription.doubt()
    rig.channels.open.clear()
    async with feed.lock:
        releasing = asyncio.ensure_future(rig.hub.release(former))
        await asyncio.sleep(0)
        adopting = asyncio.ensure_future(rig.hub.adopt(writer, claimed=True))
        await asyncio.sleep(0)
    await asyncio.wait({releasing, adopting}, timeout=10)
    assert adopting.done()
    writer.append({"type": "ITEM"})
    assert rig.watching.seqs == [5]


async def test_entries_received_while_the_log_is_read_again_cause_no_snapshot(rig: Rig) -> None:
    feed = await rig.watch()
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    feed.subscription.leave_log()
    rig.log.fence = 2
    rig.log.open.clear()
    releasing = asyncio.ensure_future(rig.hub.release(writer))
    await until_async(lambda: rig.log.read_after, what="the reading")
    rig.hub.receive("ses_1", b"log 2 5 5 6\n{}\n{}")
    rig.log.open.set()
    await releasing
    assert (rig.watching.seqs, rig.watching.resyncs) == ([5, 6], 0)


async def test_a_possible_loss_is_looked_for_at_once(rig: Rig) -> None:
    feed = await rig.watch()
    await rig.hub.adopt(rig.writer(), claimed=True)
    assert (rig.hub.repair.is_due, feed.missed_nothing) == (False, True)
    rig.hub.check_soon()
    assert (rig.hub.repair.is_due, feed.missed_nothing) == (True, False)


async def test_a_reader_that_was_served_without_the_log_has_it_looked_at_at_once(rig: Rig) -> None:
    feed = await rig.watch()
    rig.hub.resync_when_readable("ses_1")
    assert (rig.hub.repair.is_due, feed.is_stale) == (True, True)


@pytest.mark.parametrize(("resync", "resyncs"), [(False, 0), (True, 1)])
async def test_the_watchers_of_a_writer_that_stops_follow_the_log(
    rig: Rig, resync: bool, resyncs: int
) -> None:
    feed = await rig.watch()
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    feed.subscription.doubt()
    rig.log.fence = 2
    rig.hub.follow_log_again(writer, resync=resync)
    await rig.rest()
    assert rig.hub.writer("ses_1") is None
    assert (rig.watching.resyncs, rig.log.read_after) == (resyncs, [0 if resync else 4])
    assert feed.missed_nothing, "the doubt is settled"


async def test_after_a_writer_that_nobody_disturbed_nothing_is_read(rig: Rig) -> None:
    await rig.watch()
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    writer.append({"type": "ITEM"})
    await rig.hub.release(writer)
    assert (rig.log.read_after, rig.channels.added, rig.hub.written_sessions) == ([], [], 0)


async def test_the_channels_of_a_session_that_nobody_watches_are_not_taken(rig: Rig) -> None:
    feed = await rig.watch()
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    feed.close()
    await rig.hub.release(writer)
    assert rig.channels.added == []


async def test_a_release_that_is_cancelled_leaves_the_watchers_to_the_next_comparison(rig: Rig) -> None:
    feed = await rig.watch()
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    feed.subscription.leave_log()
    rig.channels.open.clear()
    releasing = asyncio.ensure_future(rig.hub.release(writer))
    await until_async(lambda: rig.channels.added, what="the subscription")
    releasing.cancel()
    await asyncio.wait({releasing})
    assert not feed.is_reading


@pytest.mark.parametrize(("fence", "missed_nothing"), [(1, True), (2, True), (3, False)])
async def test_only_a_younger_holder_in_the_channel_makes_a_writer_s_watchers_doubt(
    rig: Rig, fence: int, missed_nothing: bool
) -> None:
    feed = await rig.watch()
    await rig.hub.adopt(rig.writer(), claimed=True)
    rig.hub.receive("ses_1", b"log %d 5 5 5\n{}" % fence)
    assert rig.watching.seqs == [], "they get what is written here"
    assert feed.missed_nothing is missed_nothing


async def test_a_younger_holders_entries_are_not_delivered_when_nobody_watches(rig: Rig) -> None:
    await rig.hub.adopt(rig.writer(), claimed=True)
    rig.hub.receive("ses_1", b"log 3 5 5 5\n{}")
    rig.hub.control("ses_1", b"{}")
    rig.hub.resync_when_readable("ses_1")
    assert rig.hub.delivered == 0


async def test_a_channel_is_left_only_while_its_session_is_written_here(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "UNSUBSCRIBE_AFTER_S", 0)
    feed = await rig.watch()
    writer = rig.writer()
    await rig.hub.adopt(writer, claimed=True)
    async with feed.lock:
        await until_async(lambda: len(rig.tasks), what="the leaving, which waits")
        releasing = asyncio.ensure_future(rig.hub.release(writer))
        await asyncio.sleep(0)
    await releasing
    await rig.rest()
    assert rig.channels.removed == []
    await rig.hub.adopt(writer, claimed=True)
    await until_async(lambda: rig.channels.removed == [LOG], what="the leaving")
    assert feed.subscription.is_open and not feed.subscription.hears_log
    feed.close()
    await rig.hub.adopt(writer, claimed=True)
    for _ in range(10):
        await asyncio.sleep(0)
    await rig.rest()
    assert (rig.channels.removed, feed.subscription.is_open) == ([LOG], False)


async def test_a_watcher_that_is_cancelled_while_it_begins_to_watch_is_none(rig: Rig) -> None:
    rig.channels.open.clear()
    watching = asyncio.ensure_future(rig.hub.watch("ses_1", rig.watching))
    await until_async(lambda: bool(rig.channels.added), what="the subscription")
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    rig.channels.open.set()
    await rig.rest()
    assert rig.hub.feeds == {}
