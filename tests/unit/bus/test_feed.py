"""A feed takes a batch, holds it, or drops it as old, by its position."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.bus.hub.feed import MOST_HELD, Feed, Verdict
from server.bus.log.entries import Entry, Position, epoch_of
from server.bus.log.log import NOWHERE
from server.bus.log.view import LogView
from tests.unit.bus.test_hub import Seen

MINE = epoch_of("log", 7)


def batch(*seqs: int, fence: int = 7, incarnation: str = "log") -> list[Entry]:
    return [Entry(seq, epoch_of(incarnation, fence), b"{}") for seq in seqs]


def at(last: int) -> tuple[Feed, Seen]:
    seen = Seen()
    feed = Feed("ses_1")
    feed.watchers.add(seen)
    feed.set_position(MINE, last)
    return feed, seen


@pytest.mark.parametrize(
    ("given", "start", "verdict"),
    [
        (batch(5), 0, Verdict.FITS),
        (batch(3, 4, 5), 0, Verdict.FITS),
        (batch(3, 4), 0, Verdict.OLD),
        (batch(6), 0, Verdict.HOLE),
        (batch(5, fence=6), 5, Verdict.OLD),
        (batch(5, fence=8), 5, Verdict.FITS),
        (batch(5, fence=8), 0, Verdict.HOLE),
        (batch(5, fence=8), 4, Verdict.HOLE),
        (batch(6, fence=8), 5, Verdict.HOLE),
        (batch(5, 6, fence=8), 5, Verdict.FITS),
        (batch(4, 5, fence=8), 4, Verdict.HOLE),
        (batch(5, incarnation="other"), 5, Verdict.HOLE),
        (batch(5, fence=6, incarnation="other"), 5, Verdict.HOLE),
        ([Entry(5, "no epoch", b"{}")], 5, Verdict.HOLE),
    ],
)
def test_a_batch_is_judged_by_its_numbers_and_its_fence(
    given: list[Entry], start: int, verdict: Verdict
) -> None:
    feed, _ = at(4)
    assert feed.verdict(given, start) is verdict


@pytest.mark.parametrize(
    "know", [lambda feed: None, lambda feed: feed.lose(), lambda feed: feed.catch_up(None)]
)
def test_a_feed_without_a_position_accepts_no_batch(know: Callable[[Feed], None]) -> None:
    feed = Feed("ses_1")
    assert feed.read_from() == NOWHERE
    know(feed)
    for seq in (1, 5):
        assert feed.verdict(batch(seq), seq) is Verdict.HOLE
        assert not feed.follows(batch(seq)[0])


def test_a_feed_delivers_the_unseen_part_of_a_batch_alone() -> None:
    feed, seen = at(4)
    assert not feed.receive(batch(3, 4, 5, 6), 0)
    assert not feed.receive(batch(5, 6), 0)
    assert not feed.receive(batch(7, fence=8), 7)
    assert seen.seqs == [5, 6, 7]
    assert not feed.compare(Position(epoch_of("log", 8), 7)), "it stands where the log ends"
    assert feed.compare(Position(epoch_of("log", 8), 8))
    assert feed.receive(batch(9, fence=8), 0), "what is before it has to be read"
    assert feed.is_reading


def test_batches_received_while_the_log_is_read_wait_up_to_a_number() -> None:
    feed, seen = at(4)
    feed.begin_reading()
    for seq in range(5, 5 + MOST_HELD + 2):
        assert not feed.receive(batch(seq), 0)
    assert seen.seqs == []
    assert not feed.let_in()
    assert seen.seqs == list(range(5, 5 + MOST_HELD))
    feed.end_reading()
    assert not feed.is_reading


def test_a_second_hole_is_told_and_what_is_behind_it_still_waits() -> None:
    feed, seen = at(4)
    feed.begin_reading()
    for seqs in ([5], [4, 5], [7], [8]):
        feed.receive(batch(*seqs), 0)
    feed.begin_reading()
    assert feed.let_in()
    assert seen.seqs == [5]
    feed.set_position(MINE, 7)
    assert not feed.let_in()
    assert seen.seqs == [5, 8]


def test_each_hole_is_told_once_however_often_the_log_does_not_close_it() -> None:
    feed, seen = at(4)
    assert not feed.let_in(), "nothing waits"
    feed.begin_reading()
    for seqs in ([5], [7], [9]):
        feed.receive(batch(*seqs), 0)
    assert [feed.let_in() for _ in range(3)] == [True, True, False]
    assert seen.seqs == [5]


def test_waiting_batches_are_judged_by_the_begin_of_their_fence() -> None:
    feed, seen = at(4)
    feed.begin_reading()
    feed.receive(batch(5, fence=8), 5)
    assert not feed.let_in()
    feed.end_reading()
    assert feed.receive(batch(7, fence=9), 7)
    feed.set_position(epoch_of("log", 8), 6)
    assert not feed.let_in()
    assert seen.seqs == [5, 7]


def test_the_number_of_waiting_entries_of_a_feed_is_limited() -> None:
    feed, seen = at(4)
    feed.begin_reading()
    for seq in range(5, 3005):
        feed.receive(batch(seq), 0)
    feed.let_in()
    assert 1000 <= len(seen.seqs) <= 2000


@pytest.mark.parametrize(
    ("entry", "follows"),
    [(batch(5), True), (batch(4), False), (batch(6), False), (batch(5, fence=8), False)],
)
def test_the_next_entry_is_the_one_after_the_position_in_its_epoch(entry: list[Entry], follows: bool) -> None:
    feed, _ = at(4)
    assert feed.follows(entry[0]) is follows
    feed.close()
    assert not feed.follows(entry[0]), "there is no position any more"
    assert feed.verdict(entry, 5) is Verdict.HOLE


def test_a_position_of_no_epoch_of_ours_is_continued_by_nothing() -> None:
    feed, _ = at(4)
    feed.set_position("no epoch", 4)
    assert feed.verdict(batch(5), 5) is Verdict.HOLE


def view(first: int, last: int, *, covers: int = 0) -> LogView:
    return LogView("log", last, 7, covers, covers, first - 1, 7, batch(*range(first, last + 1)))


class Renewed(Seen):
    """A watcher that counts how often it was sent to a snapshot."""

    def __init__(self) -> None:
        super().__init__()
        self.resyncs = 0

    def resync(self) -> None:
        self.resyncs += 1


@pytest.mark.parametrize(
    ("know", "resyncs", "after"),
    [
        (lambda feed: feed.close(), 0, 0),
        (lambda feed: feed.lose(), 1, 0),
        (lambda feed: feed.set_position(MINE, 4), 0, 4),
    ],
)
def test_without_a_log_only_a_lost_position_costs_a_snapshot(
    know: Callable[[Feed], None], resyncs: int, after: int
) -> None:
    feed, seen = Feed("ses_1"), Renewed()
    feed.watchers.add(seen)
    know(feed)
    feed.catch_up(None)
    assert (seen.resyncs, feed.read_from()) == (resyncs, after)


def test_a_log_that_appears_is_given_from_its_first_entry_whatever_was_known_of_an_older_one() -> None:
    feed, seen = at(4)
    feed.close()
    feed.catch_up(None)
    feed.catch_up(view(1, 3))
    assert seen.seqs == [1, 2, 3]
    assert feed.receive(batch(5), 0), "the fourth is missing"


def test_a_position_is_behind_a_log_of_another_epoch_or_a_later_end_and_an_unknown_one_is() -> None:
    feed, _ = at(4)
    behind = [feed.compare(Position(epoch_of("log", fence), 3)) for fence in (7, 8)]
    assert behind == [False, True]
    feed.close()
    assert feed.compare(Position(MINE, 4)), "it is not known any more"
    feed.catch_up(None)
    assert feed.compare(Position(MINE, 4)), "there was no log"
    for _ in range(3):
        assert not feed.compare(None), "there is none still"


def test_a_log_that_cannot_be_read_costs_a_position_nothing_and_a_new_feed_gets_all_of_it() -> None:
    feed, _ = at(4)
    feed.note_unreadable()
    assert (feed.read_from(), feed.is_stale) == (4, True)
    new = Feed("ses_2")
    new.note_unreadable()
    assert (new.read_from(), new.is_stale) == (0, True)


@pytest.mark.parametrize(
    ("know", "after"),
    [
        (lambda feed: feed.close(), NOWHERE),
        (lambda feed: feed.set_position(MINE, 9), 9),
        (lambda feed: feed.lose(), 0),
    ],
)
def test_the_log_is_read_from_where_it_is_not_known(know: Callable[[Feed], None], after: int) -> None:
    feed, _ = at(4)
    know(feed)
    assert feed.read_from() == after


@pytest.mark.parametrize(
    ("incarnation", "last", "know", "seen"),
    [
        ("log", 4, lambda feed: None, True),
        ("log", 5, lambda feed: None, False),
        ("log", 3, lambda feed: None, False),
        ("other", 4, lambda feed: None, False),
        ("log", 4, lambda feed: feed.lose(), False),
        ("log", 4, lambda feed: feed.close(), False),
        ("log", 4, lambda feed: feed.note_unreadable(), False),
    ],
)
def test_a_feed_has_seen_a_log_that_ends_at_its_position(
    incarnation: str, last: int, know: Callable[[Feed], None], seen: bool
) -> None:
    feed, _ = at(4)
    know(feed)
    assert feed.ends_at(incarnation, last) is seen


def test_a_log_that_is_gone_twice_in_a_row_is_given_up() -> None:
    feed, _ = at(4)
    for position in (None, Position(MINE, 4), None):
        assert not feed.compare(position)
    assert (feed.read_from(), feed.is_stale) == (4, False)
    assert feed.compare(None)
    assert (feed.read_from(), feed.is_stale) == (0, True), "its position is lost"
    feed.set_position(MINE, 4)
    assert not feed.is_stale
    assert not feed.compare(None), "it is counted anew"
    assert feed.read_from() == 4


def test_a_feed_is_open_with_either_channel_and_trusts_only_the_whole_time() -> None:
    feed, _ = at(4)
    assert not feed.subscription.is_open
    feed.subscription.note_control()
    assert (feed.subscription.is_open, feed.subscription.hears_log, feed.missed_nothing) == (
        True,
        False,
        False,
    )
    feed.subscription.doubt()
    feed.subscription.note_all()
    feed.subscription.note_control()
    assert (feed.subscription.is_open, feed.subscription.hears_log, feed.missed_nothing) == (True, True, True)
    feed.subscription.doubt()
    assert (feed.subscription.hears_log, feed.missed_nothing) == (True, False)
    feed.subscription.note_all()
    assert feed.missed_nothing
    feed.lose()
    assert not feed.missed_nothing, "nobody knows where it stands"
    feed.subscription.leave_log()
    feed.subscription.doubt()
    assert (feed.subscription.is_open, feed.subscription.hears_log, feed.missed_nothing) == (
        True,
        False,
        False,
    )
    feed.close()
    assert (feed.subscription.is_open, feed.read_from()) == (False, NOWHERE)


def test_a_new_feed_is_stale_once_it_could_not_be_read() -> None:
    feed = Feed("ses_1")
    assert not feed.is_stale
    feed.note_unreadable()
    assert feed.is_stale
