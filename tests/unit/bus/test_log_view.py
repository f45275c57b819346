"""The rule of the positions from which a reader may continue, without a server."""

from __future__ import annotations

import pytest

from server.bus.hub.feed import Feed, Verdict
from server.bus.log.entries import Entry, Position, entries_of_run, parse_epoch
from server.bus.log.view import LogView
from server.protocol.codec import encode_event


def view(first, last, *, fence=1, base=0, covers=0, asked=0, under=0, fences=None):
    under_each = fences or [fence] * (last + 1 - first)
    entries = [Entry(seq, f"log.{each}", b"{}") for seq, each in enumerate(under_each, first)]
    return LogView("log", last, fence, base, covers, asked, under, entries)


def seqs(entries):
    return None if entries is None else [each.seq for each in entries]


@pytest.mark.parametrize(
    ("after", "expected"), [(0, None), (3, None), (4, [5, 6]), (5, [6]), (6, []), (7, [])]
)
def test_a_log_that_was_trimmed_says_how_far_it_reaches(after, expected):
    assert seqs(view(5, 6).after(after)) == expected


def test_a_log_begun_in_the_middle_of_a_run_stands_for_the_whole_run_but_resumes_nobody():
    begun = view(8, 9, base=7, covers=3)
    assert [seqs(begun.after(each)) for each in (2, 3, 6, 7, 8)] == [None, [8, 9], [8, 9], [8, 9], [9]]
    assert begun.follow("log.1", 3) is None
    assert seqs(begun.follow("log.1", 7)) == [8, 9]


def test_a_reader_that_saw_more_than_its_fence_wrote_does_not_continue():
    fences = [1, 1, 1, 2, 2, 2, 2, 3, 3]
    for asked, under in enumerate([0, *fences]):
        for read in (view(asked + 1, 9, fence=3, asked=asked, under=under, fences=fences[asked:]),
                     view(1, 9, fence=3, fences=fences)):  # fmt: skip
            believed = [read.follow(f"log.{each}", asked) is not None for each in (1, 2, 3)]
            assert believed == [each >= under for each in (1, 2, 3)], asked
    runs = view(1, 9, fence=3, fences=fences)
    assert [runs.follow("log.3", each) for each in (9, 10)] == [[], None]
    assert runs.follow("log.4", 9) is None
    assert runs.follow("old.3", 9) is None


def test_of_an_event_of_which_nobody_knows_who_wrote_it_only_the_present_fence_is_believed():
    runs = view(7, 9, fence=3, asked=4, under=1)
    assert [runs.follow(f"log.{each}", 6) is not None for each in (1, 2, 3)] == [False, False, True]


@pytest.mark.parametrize(
    "text", ["", ".", "1", "log.", ".1", "log.x", "log.-1", "log.1 ", "log.²", "log." + "9" * 5000]
)
def test_a_malformed_epoch_is_parsed_as_none(text):
    assert parse_epoch(text) is None


def test_the_events_of_a_run_are_those_from_its_start_to_the_next_one():
    def event(seq, kind, **more):
        return Entry(seq, "log.1", encode_event({"type": kind, **more}))

    log = [
        event(1, "ITEM"),
        event(2, "RUN_STARTED", runId="run_1"),
        event(3, "ITEM"),
        event(4, "RUN_STARTED", runId="run_2"),
        event(5, "ITEM"),
    ]
    assert [seqs(entries_of_run(each, log)) for each in ("run_1", "run_2", "run_3")] == [[2, 3], [4, 5], []]


def test_an_event_is_decoded_once_for_all_its_readers():
    entry = Entry(1, "log.1", b'{"type":"ITEM"}')
    assert entry.event == {"type": "ITEM"}
    assert entry.event is entry.event


def at(epoch, last):
    feed = Feed("ses_1")
    feed.set_position(epoch, last)
    return feed


def entries(epoch, first, last):
    return [Entry(seq, epoch, b"{}") for seq in range(first, last + 1)]


@pytest.mark.parametrize(
    ("epoch", "first", "last", "start", "expected"),
    [
        ("log.2", 5, 6, 0, Verdict.FITS),
        ("log.2", 3, 5, 0, Verdict.FITS),
        ("log.2", 3, 4, 0, Verdict.OLD),
        ("log.2", 6, 7, 0, Verdict.HOLE),
        ("log.3", 5, 6, 5, Verdict.FITS),
        ("log.3", 5, 6, 4, Verdict.HOLE),
        ("log.3", 3, 6, 3, Verdict.HOLE),
        ("log.1", 5, 6, 1, Verdict.OLD),
        ("new.2", 5, 6, 5, Verdict.HOLE),
    ],
)
def test_a_batch_fits_is_old_or_shows_a_hole(epoch, first, last, start, expected):
    assert at("log.2", 4).verdict(entries(epoch, first, last), start) is expected


def test_a_feed_without_a_position_takes_nothing_on_trust():
    feed = Feed("ses_1")
    assert feed.verdict(entries("log.1", 1, 1), 1) is Verdict.HOLE
    feed.catch_up(None)
    assert feed.read_from() == 0, "the whole log is read as soon as there is one"


def test_a_log_is_given_up_when_it_is_missing_twice_in_a_row():
    feed = at("log.1", 4)
    for position in (None, Position("log.1", 4), None):
        assert not feed.compare(position)
    assert feed.read_from() == 4
    assert feed.compare(None)
    assert (feed.read_from(), feed.is_stale) == (0, True)
