"""A cursor against a model of it: entries are shown in order, once, after their barriers; unwritten ones are kept."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from server.bus.log.entries import Entry
from server.bus.log.log import ClaimedLog
from server.bus.writer.cursor import FLUSH_BYTES, LogCursor, LogEnd
from tests.parts.sampled import examples


def claimed(last: int, *, born: bool = False) -> ClaimedLog:
    """Return a log that was claimed with so many events in it."""
    return ClaimedLog(incarnation="inc", fence=3, start=last + 1, holder="me", covers=0, born=born, last=last)


def event(number: int, size: int = 0) -> dict[str, Any]:
    return {"type": "ITEM", "i": number, "text": "x" * size}


class Cursor(RuleBasedStateMachine):
    """Redis is a number: how far the log reaches."""

    @initialize(last=st.integers(0, 5))
    def begin(self, last: int) -> None:
        self.cursor = LogCursor(claimed(last), floor=0, reaches=0)
        self.now = 0.0
        self.next = last
        self.shown: list[int] = []
        self.first = last + 1
        self.barriers: set[int] = set()

    def see(self, entries: list[Entry]) -> None:
        """Record what is shown here."""
        self.shown += [each.seq for each in entries]

    @rule()
    def append(self) -> None:
        self.next += 1
        self.see(self.cursor.append(event(self.next)))

    @rule()
    def commit(self) -> None:
        self.next += 1
        self.cursor.append_barrier(event(self.next))
        self.barriers.add(self.next)

    @rule(part=st.integers(1, 6), seconds=st.floats(0, 1))
    @precondition(lambda self: self.cursor.tail)
    def write(self, part: int, seconds: float) -> None:
        """Redis takes some of what is next."""
        self.now += seconds
        lines, _ = self.cursor.lines()
        assert lines
        last = self.cursor.acked + min(part, len(lines))
        self.see(self.cursor.confirm(last, self.now))
        self.barriers = {each for each in self.barriers if each > last}

    @rule()
    @precondition(lambda self: self.barriers)
    def lose_patience(self) -> None:
        """Redis is down for a second: what waits is shown all the same."""
        self.see(self.cursor.release(self.cursor.seq))
        self.barriers = set()

    @rule(back=st.integers(1, 8))
    def lose_the_newest(self, back: int) -> None:
        """Redis comes back without its newest events."""
        last = self.cursor.acked - back
        if last < 0 or self.cursor.compare(last) is not LogEnd.BEHIND:
            return
        assert self.cursor.rewind(last) == back
        assert self.cursor.acked == last

    @rule(ahead=st.integers(0, 3))
    def hear_of_a_later_end(self, ahead: int) -> None:
        """An answer was lost: the log reaches further than we know, but never beyond what was said."""
        last = self.cursor.acked + ahead
        if last > self.cursor.seq:
            assert self.cursor.compare(last) is LogEnd.ELSEWHERE
        else:
            assert self.cursor.compare(last) is LogEnd.AHEAD

    @invariant()
    def what_is_shown_is_in_order_and_once(self) -> None:
        assert self.shown == list(range(self.first, self.first + len(self.shown)))
        assert self.cursor.delivered == self.first - 1 + len(self.shown)

    @invariant()
    def nothing_is_shown_from_a_barrier_on(self) -> None:
        limit = min(self.barriers, default=self.cursor.seq + 1)
        assert self.cursor.delivered == limit - 1

    @invariant()
    def what_is_not_written_is_kept(self) -> None:
        assert [each.seq for each in self.cursor.tail] == list(
            range(self.cursor.acked + 1, self.cursor.seq + 1)
        )
        assert not self.cursor.has_gap

    @invariant()
    def memory_gives_what_was_shown_or_nothing(self) -> None:
        for after in range(self.first - 1, self.cursor.delivered + 1):
            held = self.cursor.memory(after)
            assert held is None or [each.seq for each in held] == list(
                range(after + 1, self.cursor.delivered + 1)
            )


Cursor.TestCase.settings = settings(max_examples=examples(200), stateful_step_count=40, deadline=None)
TestCursor = Cursor.TestCase


def test_a_flush_is_limited_in_events_and_bytes_and_takes_at_least_one_event() -> None:
    cursor = LogCursor(claimed(0), floor=0, reaches=0)
    for number in range(100):
        cursor.append(event(number))
    lines, more = cursor.lines()
    assert more
    assert 16 <= len(lines) <= 64
    cursor.confirm(100 - len(lines), 0.0)
    assert cursor.lines()[1] is False
    cursor = LogCursor(claimed(0), floor=0, reaches=0)
    cursor.append(event(1, 2 * FLUSH_BYTES))
    cursor.append(event(2, 10))
    lines, more = cursor.lines()
    assert (len(lines), more) == (1, True)
    cursor.confirm(1, 0.0)
    lines, more = cursor.lines()
    assert (len(lines), more) == (1, False)


def test_a_new_log_begins_with_the_snapshot_and_after_all_that_was_said() -> None:
    cursor = LogCursor(claimed(4), floor=4, reaches=4)
    for number in range(3):
        cursor.append(event(number))
    cursor.begin_again("other", [event(10), event(11)])
    assert (cursor.epoch, cursor.start, cursor.covers, cursor.birth) == ("other.3", 8, 4, True)
    assert (cursor.seq, cursor.acked, cursor.delivered) == (9, 7, 9)
    assert [each.seq for each in cursor.tail] == [8, 9]
    assert list(cursor.recent) == []


def test_events_after_a_snapshot_are_shown_at_once_though_a_barrier_was_open() -> None:
    cursor = LogCursor(claimed(4), floor=4, reaches=4)
    cursor.append_barrier(event(1))
    cursor.append(event(2))
    cursor.begin_again("other", [event(10)])
    assert [each.seq for each in cursor.append(event(11))] == [8]
    cursor.append_barrier(event(12))
    assert cursor.append(event(13)) == []
    assert [each.seq for each in cursor.confirm(10, 0.0)] == [9, 10]


def test_a_new_log_of_which_nothing_is_kept_begins_at_the_last_event() -> None:
    cursor = LogCursor(claimed(4), floor=4, reaches=4)
    cursor.append(event(1))
    cursor.confirm(5, 0.0)
    cursor.recent.clear()
    cursor.begin_again("other", None)
    assert (cursor.seq, cursor.acked, cursor.delivered, cursor.start, cursor.covers) == (5, 5, 5, 6, 5)
    assert cursor.tail == []


def test_a_new_log_without_a_snapshot_has_what_is_kept() -> None:
    cursor = LogCursor(claimed(4), floor=4, reaches=4)
    cursor.append(event(1))
    cursor.confirm(5, 0.0)
    cursor.append_barrier(event(2))
    cursor.begin_again("other", None)
    assert [(each.seq, each.epoch) for each in cursor.tail] == [(5, "other.3"), (6, "other.3")]
    assert (cursor.acked, cursor.covers, cursor.delivered) == (4, 4, 5)
    assert [(each.seq, each.epoch) for each in cursor.confirm(6, 1.0)] == [(6, "other.3")]
    assert [each.seq for each in cursor.append(event(3))] == [7]
    assert next(iter(cursor.recent)).seq == 5


def test_a_log_in_which_nothing_was_said_begins_where_all_is_told() -> None:
    cursor = LogCursor(claimed(0, born=True), floor=4, reaches=5)
    cursor.begin_again("other", None)
    assert (cursor.seq, cursor.acked, cursor.delivered, cursor.start, cursor.covers) == (5, 5, 5, 6, 4)
    assert not cursor.has_appended


def test_a_cursor_writes_nothing_after_a_gap_of_dropped_entries() -> None:
    cursor = LogCursor(claimed(0), floor=0, reaches=0)
    for number in range(4):
        cursor.append(event(number))
    del cursor.tail[:2]
    assert cursor.has_gap
    assert cursor.lines() == ([], False)
