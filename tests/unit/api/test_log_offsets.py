"""The offsets and cursors of a session's log as Durable Streams wants them: sorted, opaque, never going back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.api.durable_streams.cursors import INTERVAL_S, next_cursor
from server.api.durable_streams.framings import EventFraming, ItemFraming
from server.api.durable_streams.long_poll import FirstFrames
from server.api.durable_streams.offsets import LogPosition
from server.errors import BadFrame
from server.protocol.envelope import batch, durable
from server.rooms.connection import Connection

NOW_S = 1_750_000_000.0
positions = st.builds(
    LogPosition,
    st.integers(0, 10**10 - 1),
    st.integers(0, 10**15),
    st.text("0123456789abcdef", min_size=1, max_size=12),
)


@given(positions, positions)
def test_offsets_sort_as_texts_as_positions_do(one: LogPosition, other: LogPosition) -> None:
    assert (one.offset < other.offset) == (one < other)
    assert (one.offset == other.offset) == (one == other)


@given(positions)
def test_an_offset_is_one_word_of_an_address_and_is_read_again(position: LogPosition) -> None:
    assert re.fullmatch(r"[0-9a-z_]{1,100}", position.offset)
    assert LogPosition.parse(position.offset) == position
    assert LogPosition.of(position.epoch, position.seq) == position


def test_an_offset_of_a_dead_holder_sorts_before_the_next_holders_offsets() -> None:
    shown_only, written = LogPosition.of("a1.3", 50), LogPosition.of("a1.4", 48)
    assert shown_only.offset < written.offset
    assert written.reaches(shown_only)
    assert not shown_only.reaches(written)
    assert LogPosition.of("0.4", 48).reaches(written)


def test_a_reader_that_has_all_stored_events_goes_on_in_the_present_log() -> None:
    stored = LogPosition.of("0.4", 50)
    here = stored.of_log("a1.7")
    assert (here.epoch, here.seq) == ("a1.7", 50)
    assert (here.fence, here.offset > stored.offset) == (4, True)
    assert not here.reaches(LogPosition.of("a1.5", 51))


@pytest.mark.parametrize(
    "offset",
    ["", "0", "-2", "NOW", "1_2_3", "0000000001_0000000000000003_", "a,b", "0000000001_0000000000000003_A1"],
)
def test_a_malformed_offset_is_refused(offset: str) -> None:
    with pytest.raises(BadFrame):
        LogPosition.parse(offset)


@given(st.floats(NOW_S, NOW_S * 2), st.one_of(st.none(), st.integers(0, 10**14)))
def test_a_cursor_is_greater_than_the_clients_and_the_interval_otherwise(
    now_s: float, known: int | None
) -> None:
    cursor = next_cursor(None if known is None else str(known), now_s)
    current = next_cursor(None, now_s)
    if known is None or known < int(current):
        assert cursor == current
    else:
        assert int(cursor) > known
    assert int(next_cursor(None, now_s + INTERVAL_S)) > int(current)


@pytest.mark.parametrize("given_cursor", ["", "x", "-1", "9" * 16, "1.5"])
def test_a_cursor_of_no_server_is_as_none(given_cursor: str) -> None:
    assert next_cursor(given_cursor, NOW_S) == next_cursor(None, NOW_S)


FRAMES = [durable(each, b'{"type":"X"}') for each in (4, 5)]


def test_events_are_items_with_the_place_after_them_and_other_frames_are_neither() -> None:
    start = LogPosition.of("a1.3", 3)
    frame = EventFraming(start, "7")
    assert frame(b'{"type":"welcome"}') == b":\n\n"
    told = frame(batch(FRAMES), "a1.3", 5).decode()
    after = LogPosition.of("a1.3", 5).offset
    assert told == (
        f"event: data\ndata:[{FRAMES[0].decode()},{FRAMES[1].decode()}]\n\n"
        f'event: control\ndata:{{"streamNextOffset":"{after}","streamCursor":"7","upToDate":true}}\n\n'
    )
    assert frame(b'{"type":"queue","items":[]}') == b":\n\n"
    assert frame(FRAMES[0], "a1.3", 3) == b":\n\n", "the reader has it"


def test_a_reader_that_missed_nothing_is_told_where_it_is_once() -> None:
    start = LogPosition.of("a1.3", 3)
    frame = EventFraming(start, "7")
    told = frame(b'{"type":"queue","items":[]}')
    assert told.startswith(b"event: control\n")
    assert start.offset.encode() in told
    assert frame(b'{"type":"queue","items":[]}') == b":\n\n"


def test_a_long_poll_is_where_its_items_end_though_more_happened_while_it_was_sent_away() -> None:
    start = LogPosition.of("a1.3", 3)
    writer = FirstFrames(start)
    connection = Connection(writer, html=False, language="en", framing=ItemFraming(start))
    connection.put(b'{"type":"queue","items":[]}')
    assert (writer.items, writer.position, writer.awake.is_set()) == ([], start, False)
    connection.put_replay(batch(FRAMES), "a1.3", 5)
    connection.close(1012, "drain")
    connection.put_replay(durable(6, b"{}"), "a1.4", 6)
    assert writer.items == [b",".join(FRAMES)]
    assert writer.position == LogPosition.of("a1.3", 5)
    assert writer.close_code == 1012
