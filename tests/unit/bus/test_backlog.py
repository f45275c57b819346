"""The buffer for a Redis that is away: its bounds in number and bytes, and the order in which it drops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.bus.log.entries import Entry
from server.bus.writer.backlog import (
    MOST_BYTES,
    MOST_ENDED,
    MOST_ENDED_BYTES,
    SizeWatch,
    WriterBacklog,
)


class Ended:
    """A closed writer."""

    def __init__(self) -> None:
        self.given_up = 0

    def fence_off(self) -> None:
        """Count it."""
        self.given_up += 1


def entry(seq: int, size: int = 2) -> Entry:
    return Entry(seq, "log.1", b"x" * size, {"type": "X"})


def test_the_backlog_drops_the_oldest_ended_run_above_its_number() -> None:
    backlog, writers = WriterBacklog(), [Ended() for _ in range(MOST_ENDED + 2)]
    for each in writers[:MOST_ENDED]:
        backlog.add(each, [entry(1)])
    assert (len(backlog), sum(each.given_up for each in writers)) == (MOST_ENDED, 0)
    for each in writers[MOST_ENDED:]:
        backlog.add(each, [entry(1)])
    assert len(backlog) == MOST_ENDED
    assert [each.given_up for each in writers] == [1, 1] + [0] * MOST_ENDED


def test_the_backlog_drops_the_oldest_above_its_bytes_and_an_oversized_run_at_once() -> None:
    backlog, first, second, third = WriterBacklog(), Ended(), Ended(), Ended()
    backlog.add(first, [entry(1, MOST_ENDED_BYTES - 10), entry(2, 5)])
    backlog.add(second, [entry(1, 5)])
    assert (len(backlog), first.given_up) == (2, 0)
    backlog.add(third, [entry(1, 1)])
    assert (len(backlog), first.given_up, second.given_up, third.given_up) == (2, 1, 0, 0)
    backlog.add(first, [entry(1, MOST_ENDED_BYTES + 1)])
    assert len(backlog) == 0, "it is the newest, and the others are older"
    assert (first.given_up, second.given_up, third.given_up) == (2, 1, 1)


def test_the_backlog_counts_a_writer_once_and_a_dropped_one_not_at_all() -> None:
    backlog, ended, other = WriterBacklog(), Ended(), Ended()
    for _ in range(3):
        backlog.add(ended, [entry(1, MOST_ENDED_BYTES)])
    assert (len(backlog), ended.given_up) == (1, 0)
    for _ in range(2):
        backlog.drop(ended)
    backlog.add(other, [entry(1, MOST_ENDED_BYTES)])
    assert (len(backlog), ended.given_up, other.given_up) == (1, 0, 0)


def test_the_backlog_keeps_json_alone_and_logs_once_that_it_is_full(
    caplog: pytest.LogCaptureFixture,
) -> None:
    backlog, entries = WriterBacklog(), [entry(1, MOST_ENDED_BYTES)]
    backlog.add(Ended(), entries)
    assert entries[0].known is None
    for _ in range(3):
        backlog.add(Ended(), [entry(1, MOST_ENDED_BYTES)])
    assert [each.name for each in caplog.records] == ["server.bus.writer.backlog"]
    (left,) = backlog
    backlog.drop(left)
    for _ in range(2):
        backlog.add(Ended(), [entry(1, MOST_ENDED_BYTES)])
    assert len(caplog.records) == 2, "it was empty, and is full anew"


def test_limits_of_the_backlog_are_those_of_the_operations_page() -> None:
    told = (Path(__file__).parents[3] / "docs/operations.md").read_text()
    found = re.search(r"when ([\d,]+) ended answers or (\d+) MiB wait in a process", told)
    assert found is not None
    assert int(found[1].replace(",", "")) == MOST_ENDED
    assert int(found[2]) << 20 == MOST_ENDED_BYTES


@pytest.mark.parametrize(("count", "left"), [(4096, 4096), (4097, 2049)])
def test_an_unwritten_tail_keeps_its_younger_half_above_its_number(count: int, left: int) -> None:
    tail = [entry(seq) for seq in range(1, count + 1)]
    assert SizeWatch().drop_excess(tail) is (left < count)
    assert [each.seq for each in tail] == list(range(count - left + 1, count + 1))
    assert all(each.known is None for each in tail)


def test_an_unwritten_tail_keeps_its_younger_half_above_its_bytes() -> None:
    assert MOST_BYTES == 1024 * 1024
    tail = [entry(seq, MOST_BYTES // 4) for seq in range(1, 5)]
    watch = SizeWatch()
    assert not watch.drop_excess(tail)
    tail.append(entry(5, 1))
    assert watch.drop_excess(tail)
    assert [each.seq for each in tail] == [3, 4, 5]
    alone = [entry(1, MOST_BYTES + 1)]
    assert not SizeWatch().drop_excess(alone)
    assert len(alone) == 1
    pair = [entry(1, 1), entry(2, MOST_BYTES + 1)]
    assert SizeWatch().drop_excess(pair)
    assert [each.seq for each in pair] == [2]


def test_written_entries_no_longer_count_toward_the_size_of_the_tail() -> None:
    tail, watch = [entry(seq, MOST_BYTES // 4) for seq in range(1, 5)], SizeWatch()
    assert not watch.drop_excess(tail)
    del tail[:2]
    tail += [entry(seq, MOST_BYTES // 4) for seq in (5, 6)]
    assert not watch.drop_excess(tail)
    assert len(tail) == 4
    assert not watch.drop_excess([])
    tail += [entry(7, 1)]
    assert watch.drop_excess(tail)
    assert [each.seq for each in tail] == [5, 6, 7]
