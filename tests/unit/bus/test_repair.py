"""The repair of a session whose position differs from its log, and the removal of a failing watcher."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from server.bus.hub import repair as repair_module
from server.bus.hub.feed import Feed
from server.bus.hub.repair import Repair
from server.bus.log.entries import BusDown, Entry, Position
from server.bus.log.log import ClaimedLog
from server.bus.log.view import LogView
from server.bus.writer.backlog import MOST_EVENTS
from server.bus.writer.writer import LogWriter
from server.tasks import Tasks
from tests.parts.wait import until_async
from tests.unit.bus.test_hub import Seen, entries

AT = Position("log.1", 4)


class Standing:
    """Logs that all stand at one place."""

    def __init__(self, position: Position | None = AT) -> None:
        self.position = position
        self.read_of: list[str] = []

    async def positions(self, session_ids: list[str]) -> list[Position | None]:
        return [self.position for _ in session_ids]

    async def read(self, session_id: str, after: int) -> LogView:
        self.read_of.append(session_id)
        return LogView("log", 4, 1, 0, 0, after, 1, entries(range(after + 1, 5)))


@dataclass
class Written:
    """A writer of this process, as far as positions are compared with it."""

    epoch: str = "log.1"
    acked: int = 4
    verified: int = 0

    @property
    def cursor(self) -> Written:
        return self

    def verify(self) -> None:
        self.verified += 1


async def compared(log: Standing, feeds: dict[str, Feed], writers: dict[str, Any]) -> None:
    """Compare once."""
    tasks = Tasks()
    repair = Repair(log, feeds, writers, tasks, check_s=60)  # type: ignore[arg-type]
    repair.check_soon()
    running = tasks.spawn(repair.run(), name="repair")
    await until_async(lambda: not repair.is_due, what="the comparison")
    for _ in range(5):
        await asyncio.sleep(0)
    await until_async(lambda: len(tasks) == 1, what="the readings")
    assert not running.done()
    await tasks.aclose()


def behind(session_id: str, last: int, watcher: Seen) -> Feed:
    feed = Feed(session_id)
    feed.watchers.add(watcher)
    feed.subscription.note_all()
    feed.set_position("log.1", last)
    return feed


@pytest.mark.parametrize(
    ("position", "verified"),
    [
        (AT, 0),
        (Position("log.1", 5), 0),
        (Position("log.1", 3), 1),
        (Position("log.2", 4), 1),
        (None, 1),
    ],
)
async def test_a_log_that_is_not_where_its_writer_believes_is_asked(
    position: Position | None, verified: int
) -> None:
    writer = Written()
    await compared(Standing(position), {}, {"ses_1": writer})
    assert writer.verified == verified


async def test_a_watched_session_that_is_behind_is_read_whatever_is_written_beside_it() -> None:
    log, seen = Standing(), {name: Seen() for name in ("ses_2", "ses_3", "ses_4")}
    feeds = {
        name: behind(name, last, seen[name]) for name, last in (("ses_2", 2), ("ses_3", 4), ("ses_4", 3))
    }
    await compared(log, feeds, {"ses_1": Written()})
    assert sorted(log.read_of) == ["ses_2", "ses_4"]
    assert {name: each.seqs for name, each in seen.items()} == {"ses_2": [3, 4], "ses_3": [], "ses_4": [4]}


class Failing(Seen):
    """A watcher that fails at every event."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def deliver(self, batch: Iterable[Entry]) -> None:
        self.told.append("deliver")
        raise RuntimeError("a bug")

    def control(self, frame: bytes) -> None:
        self.told.append("control")
        raise RuntimeError("a third bug")

    def resync(self) -> None:
        self.told.append("resync")

    def drop(self) -> None:
        self.told.append("drop")
        raise RuntimeError("another bug")


def test_a_watcher_that_fails_again_and_again_is_sent_away_and_nobody_else_notices(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failing, seen = Failing(), Seen()
    feed = Feed("ses_1")
    feed.watchers.add(failing)
    feed.watchers.add(seen)
    feed.set_position("log.1", 0)
    for seq in range(1, 6):
        feed.send_batch(entries([seq]))
    assert failing.told == ["deliver", "resync", "deliver", "resync", "deliver", "drop"]
    assert seen.seqs == [1, 2, 3, 4, 5]
    assert set(feed.watchers) == {seen}
    assert {each.name for each in caplog.records} == {"server.bus.hub.watchers"}


class Leaving(Failing):
    """A watcher that leaves, and fails as it does."""

    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self._feed = feed

    def deliver(self, batch: Iterable[Entry]) -> None:
        self._feed.watchers.remove(self)
        super().deliver(batch)


def test_a_watcher_that_left_is_called_no_more_though_it_failed() -> None:
    feed = Feed("ses_1")
    leaving = Leaving(feed)
    feed.watchers.add(leaving)
    feed.set_position("log.1", 0)
    for seq in (1, 2):
        feed.send_batch(entries([seq]))
    feed.watchers.resync()
    assert (leaving.told, len(feed.watchers)) == (["deliver"], 0)
    feed.watchers.remove(leaving)


def test_a_watcher_that_fails_at_a_control_frame_gets_a_snapshot() -> None:
    failing, feed = Failing(), Feed("ses_1")
    feed.watchers.add(failing)
    feed.watchers.control(b"{}")
    assert failing.told == ["control", "resync"]


class Unreadable(Standing):
    """A log that cannot be read at first, nor compared."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: list[str] = []

    async def positions(self, session_ids: list[str]) -> list[Position | None]:
        if "positions" not in self.failed:
            self.failed.append("positions")
            raise BusDown
        return await super().positions(session_ids)

    async def read(self, session_id: str, after: int) -> LogView:
        if "read" not in self.failed:
            self.failed.append("read")
            raise BusDown
        return await super().read(session_id, after)


async def test_a_log_that_could_not_be_read_is_looked_at_again_without_being_asked() -> None:
    log, tasks, seen = Unreadable(), Tasks(), Seen()
    feed = behind("ses_1", 2, seen)
    repair = Repair(log, {"ses_1": feed}, {}, tasks, check_s=3600)  # type: ignore[arg-type]
    repair.fill_later(feed)
    assert "hub.fill" in {each.get_name() for each in asyncio.all_tasks()}
    await until_async(lambda: feed.is_stale, what="the reading that fails")
    tasks.spawn(repair.run(), name="repair")
    await until_async(lambda: seen.seqs == [3, 4], what="the reading that succeeds")
    assert log.failed == ["read", "positions"]
    await tasks.aclose()


async def test_without_a_log_that_could_not_be_read_positions_are_compared_in_their_time_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repair_module, "STALE_CHECK_S", 0.0)
    log, tasks = Counting(), Tasks()
    feeds = {"ses_1": behind("ses_1", 4, Seen())}
    tasks.spawn(Repair(log, feeds, {}, tasks, check_s=3600).run(), name="repair")  # type: ignore[arg-type]
    for _ in range(20):
        await asyncio.sleep(0)
    assert log.at_once == []
    await tasks.aclose()


async def test_feeds_being_read_written_here_or_closed_are_not_read_for_repair() -> None:
    log, tasks = Standing(), Tasks()
    reading, written, closed = (behind(f"ses_{each}", 2, Seen()) for each in "123")
    reading.begin_reading()
    await compared(log, {"ses_1": reading}, {})
    closed.close()
    repair = Repair(log, {}, {"ses_2": Written()}, tasks, check_s=60)  # type: ignore[arg-type,dict-item]
    for each in (written, closed):
        each.begin_reading()
        repair.fill_later(each)
    await until_async(lambda: not len(tasks), what="nothing more to do")
    assert log.read_of == []
    assert [each.is_reading for each in (reading, written, closed)] == [True, False, False]


class Leaver(Standing):
    """A log beside which the last watcher leaves while positions are compared."""

    def __init__(self, feeds: dict[str, Feed]) -> None:
        super().__init__()
        self._feeds = feeds

    async def positions(self, session_ids: list[str]) -> list[Position | None]:
        self._feeds.pop("ses_1")
        return await super().positions(session_ids)


async def test_a_session_that_is_left_during_the_comparison_is_passed_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    feeds = {name: behind(name, 2, Seen()) for name in ("ses_1", "ses_2")}
    log = Leaver(feeds)
    await compared(log, feeds, {})
    assert log.read_of == ["ses_2"]
    assert not caplog.records


class Counting(Standing):
    """A log that keeps how many positions were asked for at once."""

    def __init__(self) -> None:
        super().__init__()
        self.at_once: list[int] = []

    async def positions(self, session_ids: list[str]) -> list[Position | None]:
        self.at_once.append(len(session_ids))
        return await super().positions(session_ids)


async def test_many_positions_are_compared_in_parts() -> None:
    log = Counting()
    await compared(log, {name: behind(name, 4, Seen()) for name in map(str, range(1000))}, {})
    assert sum(log.at_once) == 1000
    assert 100 <= max(log.at_once) <= 500


async def test_a_writer_lets_go_of_what_is_too_much_while_redis_is_away_unless_it_is_closed() -> None:
    marked: list[bool] = []
    flusher: Any = SimpleNamespace(mark=lambda _, urgent=False: marked.append(urgent))
    hub: Any = SimpleNamespace(deliver=lambda *_: None)
    claimed = ClaimedLog("log", fence=1, start=1, holder="me", covers=0, born=False, last=0)
    writer = LogWriter("ses_1", claimed, floor=0, reaches=0, flusher=flusher, hub=hub)
    assert writer.begin_publishing() == 0
    assert marked == [], "there is nothing to write"
    for _ in range(MOST_EVENTS + 2):
        writer.append({"type": "X"})
    assert marked == [False] * (MOST_EVENTS + 2)
    writer._closed = True
    writer.drop_excess()
    assert len(writer.cursor.tail) == MOST_EVENTS + 2, "the backlog of those that ended counts it"
    writer._closed = False
    writer.drop_excess()
    assert len(writer.cursor.tail) == MOST_EVENTS // 2 + 1
    assert writer.cursor.has_gap
    assert writer.begin_publishing() == MOST_EVENTS + 2
    assert marked[-1], "what waits is written at once"
