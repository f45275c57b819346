"""Entries that arrive while a hole is filled are delivered after it, each once and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from server.bus.hub.feed import Feed
from server.bus.hub.hub import Hub
from server.bus.hub.watchers import MOST_FAILURES
from server.bus.log.entries import Entry, Position
from server.bus.log.view import LogView
from server.tasks import Tasks
from tests.parts.wait import until_async


def entries(seqs: Iterable[int]) -> list[Entry]:
    return [Entry(seq, "log.1", b"{}") for seq in seqs]


class Readings:
    """A log that answers each reading when the test says how far it reaches."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self._ends: asyncio.Queue[int] = asyncio.Queue()

    async def read(self, session_id: str, after: int) -> LogView:
        self.asked.append(after)
        last = await self._ends.get()
        return LogView("log", last, 1, 0, 0, after, 1, entries(range(after + 1, last + 1)))

    def reach(self, last: int) -> None:
        self._ends.put_nowait(last)


class Seen:
    """A watcher that keeps the numbers."""

    def __init__(self) -> None:
        self.seqs: list[int] = []

    def deliver(self, batch: Iterable[Entry]) -> None:
        self.seqs += [each.seq for each in batch]

    def resync(self) -> None:
        raise AssertionError("nothing was lost")


async def test_the_hub_delivers_entries_received_while_a_hole_is_filled_in_order():
    log, tasks, seen = Readings(), Tasks(), Seen()
    hub = Hub(log, None, tasks, check_s=60)  # type: ignore[arg-type]
    feed = hub.feeds["ses_1"] = Feed("ses_1")
    feed.watchers.add(seen)
    feed.subscription.note_all()
    feed.set_position("log.1", 1)
    try:
        hub.deliver("ses_1", entries([3]))
        await until_async(lambda: log.asked == [1], what="the reading of what is missing")
        for batch in ([4], [5, 6], [8], [9]):
            hub.deliver("ses_1", entries(batch))
        log.reach(4)
        await until_async(lambda: log.asked == [1, 6], what="the reading of the second hole")
        assert seen.seqs == [2, 3, 4, 5, 6]
        hub.deliver("ses_1", entries([10]))
        log.reach(8)
        await until_async(lambda: not feed.is_reading, what="the end of the filling")
        hub.deliver("ses_1", entries([11]))
        assert seen.seqs == list(range(2, 12))
        assert log.asked == [1, 6]
    finally:
        await tasks.aclose()


class Renewing:
    """A watcher that is sent to a snapshot."""

    def __init__(self) -> None:
        self.resyncs = 0

    def resync(self) -> None:
        self.resyncs += 1

    def drop(self) -> None:
        raise AssertionError("it did not fail")


def test_a_watcher_may_be_sent_to_a_snapshot_as_often_as_it_takes(caplog):
    seen = Renewing()
    feed = Feed("ses_1")
    feed.watchers.add(seen)
    for _ in range(2 * MOST_FAILURES):
        feed.watchers.resync()
    assert (seen.resyncs, list(feed.watchers)) == (2 * MOST_FAILURES, [seen])
    assert not caplog.records


class Standing(Readings):
    """A log that stands where it stands, for those who compare positions."""

    async def positions(self, session_ids: list[str]) -> list[Position]:
        return [Position("log.1", 4) for _ in session_ids]


class Lost(Seen):
    """A watcher that counts how often it was sent to a snapshot."""

    def __init__(self) -> None:
        super().__init__()
        self.resyncs = 0

    def resync(self) -> None:
        self.resyncs += 1


async def test_a_reader_without_the_log_gets_a_snapshot_when_it_can_be_read_again():
    log, tasks, seen = Standing(), Tasks(), Lost()
    hub = Hub(log, None, tasks, check_s=60)  # type: ignore[arg-type]
    feed = hub.feeds["ses_1"] = Feed("ses_1")
    feed.watchers.add(seen)
    feed.subscription.note_all()
    feed.set_position("log.1", 4)
    tasks.spawn(hub.repair.run(), name="repair")
    try:
        hub.resync_when_readable("ses_1")
        log.reach(4)
        await until_async(lambda: seen.resyncs == 1, what="the snapshot")
        assert log.asked == [0], "of a lost position the whole log is read"
        hub.deliver("ses_1", entries([5]))
        assert seen.seqs == [5]
    finally:
        await tasks.aclose()
