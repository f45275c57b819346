"""The entries that are kept after they were written: as long as they may be needed, and not for ever."""

from itertools import count

import pytest

from server.bus.log.entries import Entry
from server.bus.writer.recent import RecentEntries


def entries(first: int, last: int, epoch: str = "a.1") -> list[Entry]:
    return [Entry(seq, epoch, b"%d" % seq, {"i": seq}) for seq in range(first, last + 1)]


def held(written: RecentEntries) -> list[int]:
    return [each.seq for each in written]


def test_recent_entries_take_the_written_front_of_the_tail() -> None:
    written, tail = RecentEntries(), entries(5, 9)
    written.move_from(tail, 7, 0.0)
    assert [each.seq for each in tail] == [8, 9]
    assert list(written) == entries(5, 7)
    assert [each.json for each in written] == [b"5", b"6", b"7"]
    written.move_from(tail, 7, 0.0)
    written.move_from(tail, 20, 0.1)
    assert (held(written), tail) == ([5, 6, 7, 8, 9], [])
    assert written.after(7) == entries(8, 9)
    assert written.after(9) == []
    assert written.after(2) == entries(5, 9)


@pytest.mark.parametrize(("last", "back"), [(4, 5), (6, 3), (8, 1), (9, 0), (3, 0), (20, 0)])
def test_recent_entries_give_back_their_end_only_behind_a_known_entry(last: int, back: int) -> None:
    written = RecentEntries()
    written.move_from(entries(5, 9), 9, 0.0)
    given = written.give_back(last)
    assert given == (entries(last + 1, 9) if back else [])
    assert held(written) == list(range(5, 10 - back))
    written.move_from([*given], 9, 0.1)
    assert held(written) == [5, 6, 7, 8, 9]


def test_an_entry_is_kept_for_as_long_as_it_may_be_asked_for() -> None:
    written, seqs = RecentEntries(), count(1)
    for tick in range(1000):
        now, seq = tick / 10, next(seqs)
        written.move_from(entries(seq, seq), seq, now)
        kept = held(written)
        assert kept[-1] == seq
        assert len(kept) >= min(seq, 25), "an append-only file may lag two seconds behind"
        assert len(kept) <= 30
        assert kept == list(range(kept[0], seq + 1))


def test_the_number_of_recent_entries_is_limited() -> None:
    written = RecentEntries()
    written.move_from(entries(1, 8197), 8197, 0.0)
    assert held(written) == list(range(6, 8198))


def test_recent_entries_of_a_new_log_have_other_numbers_and_another_epoch() -> None:
    written = RecentEntries()
    written.move_from(entries(1, 9), 9, 0.0)
    written.clear()
    assert held(written) == []
    assert written.give_back(9) == []
    written.move_from(entries(4, 6, "b.1"), 6, 0.1)
    assert list(written) == entries(4, 6, "b.1")
    written.move_from([], 6, 60.0)
    assert held(written) == []
    written.move_from(entries(7, 7, "b.1"), 7, 60.0)
    assert held(written) == [7]
