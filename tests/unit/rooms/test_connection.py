"""A connection writes at once while the transport takes it, keeps the order when it does not, and ends as requested."""

import asyncio

import pytest

from server import metrics
from server.bus import Entry
from server.errors import BadFrame, LoopwireError, NotFound
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.envelope import Fragment, durable
from server.rooms.connection import Connection
from server.rooms.frame_writer import text_frame
from server.rooms.outbox import MAX_FRAMES, MERGE_ABOVE
from tests.parts.wait import PATIENCE_S
from tests.unit.rooms.recording_writer import RecordingWriter, read

CLOSED = "loopwire_closed_readers_total"


def counted(name: str, **labels: str) -> float:
    """Return what a counter of this process says."""
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def connection(writer: RecordingWriter) -> Connection:
    return Connection(writer, html=False, language="pt")


def put_delta(connection: Connection, seq: int) -> None:
    data = encode_event(ev.text_content("m", "x"))
    connection.put_event(text_frame(durable(seq, data)), Entry(seq, "a.1", data))


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_of_any_size_is_framed(size: int) -> None:
    assert read(text_frame(b"x" * size)) == b"x" * size


def test_a_frame_is_written_before_the_call_returns_when_none_waits() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    talk.put(b'{"a":1}')
    put_delta(talk, 1)
    talk.put_snapshot(b'{"b":1}', "a.1", 1)
    assert [next(iter(each)) for each in writer.frames()] == ["a", "seq", "b"]


def test_waiting_frames_are_written_in_order_and_the_close_last() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    talk.put(b'{"n":0}')
    talk.put_replay(b'{"n":1}', "a.1", 1)
    talk.put(b'{"n":2}')
    writer.resume(room=1)
    assert writer.frames() == [{"n": 0}]
    talk.put(b'{"n":3}')
    talk.close(1000, "done")
    talk.put(b'{"n":4}')
    talk.close(1011, "later")
    assert writer.closed is None
    writer.resume()
    assert writer.frames() == [{"n": number} for number in range(4)]
    assert writer.closed == (1000, "done")


def test_a_frame_is_written_at_once_again_after_all_waiting_ones() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    put_delta(talk, 1)
    writer.resume()
    put_delta(talk, 2)
    assert [each["seq"] for each in writer.frames()] == [1, 2]


def test_many_deltas_that_wait_are_merged() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    before = counted("loopwire_merged_events_total")
    for seq in range(1, MAX_FRAMES * 4):
        put_delta(talk, seq)
    writer.resume()
    assert len(writer.sent) == MERGE_ABOVE
    assert counted("loopwire_merged_events_total") - before == MAX_FRAMES * 4 - 1 - MERGE_ABOVE
    assert writer.frames()[-1]["seq"] == MAX_FRAMES * 4 - 1


def test_a_slow_reader_is_closed_and_what_waits_is_dropped() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    dropped, closed = counted("loopwire_dropped_frames_total"), counted(CLOSED, reason="slow")
    for _ in range(400):
        talk.put(b"{}")
    assert talk.closing
    assert counted("loopwire_dropped_frames_total") - dropped == MAX_FRAMES + 1
    assert counted(CLOSED, reason="slow") - closed == 1
    talk.close(1000, "later")
    talk.put(b"{}")
    writer.resume()
    assert (writer.sent, writer.closed) == ([], (1013, "slow"))


@pytest.mark.parametrize(("error", "code"), [(NotFound(), 4404), (BadFrame(), 1011)])
def test_a_refusal_is_said_and_closes_with_the_code_of_its_error(error: LoopwireError, code: int) -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    talk.refuse(error)
    assert [(each["type"], each["code"]) for each in writer.frames()] == [("error", error.code)]
    assert writer.closed == (code, error.code)


def test_a_close_with_a_reason_is_counted_and_a_client_that_left_is_not() -> None:
    before = counted(CLOSED, reason="done"), counted(CLOSED, reason="")
    for reason in ("done", ""):
        connection(RecordingWriter()).close(1000, reason)
    assert (counted(CLOSED, reason="done"), counted(CLOSED, reason="")) == (before[0] + 1, before[1])


def test_a_replay_waits_whole_and_counts_as_one_frame() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    for number in range(MAX_FRAMES):
        talk.put_replay(b'{"n":%d,"x":"%s"}' % (number, b"x" * 10_000), "a.1", 1)
    assert not talk.closing
    talk.put_replay(b"{}", "a.1", 1)
    assert talk.closing


async def test_wait_for_end_returns_after_the_close_frame_is_written() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    talk.put(b'{"n":0}')
    talk.close(4401, "ticket")
    waiting = asyncio.ensure_future(talk.wait_for_end(10))
    await asyncio.sleep(0)
    assert not waiting.done()
    writer.resume()
    await waiting
    assert (writer.frames(), writer.closed) == ([{"n": 0}], (4401, "ticket"))
    assert writer.on_writable is None


async def test_wait_for_end_gives_up_after_its_time() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    talk.close(1000, "")
    await talk.wait_for_end(0.01)
    assert writer.closed is None


async def test_a_connection_closes_once_and_nobody_waits_for_a_close_that_is_sent() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    talk.close(1000, "done")
    writer.resume()  # It would assert that there is only one close.
    async with asyncio.timeout(PATIENCE_S):
        await talk.wait_for_end(10 * PATIENCE_S)
    assert writer.closed == (1000, "done")


def test_a_piece_of_text_with_a_fragment_is_merged_with_no_other() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    writer.full = True
    for seq in range(1, MERGE_ABOVE + 1):
        put_delta(talk, seq)
    data = encode_event(ev.text_content("m", "\n\ny"))
    drawn = text_frame(durable(MERGE_ABOVE + 1, data, fragment=Fragment("<p>x</p>", "#open-m", "outerHTML")))
    talk.put_event(drawn, Entry(MERGE_ABOVE + 1, "a.1", data), drawn=True)
    for seq in range(MERGE_ABOVE + 2, MERGE_ABOVE + 5):
        put_delta(talk, seq)
    writer.resume()
    whole, merged = writer.frames()[-2:]
    assert (whole["seq"], whole["content"]) == (MERGE_ABOVE + 1, "<p>x</p>")
    assert (merged["from"], merged["seq"], merged["event"]["delta"]) == (
        MERGE_ABOVE + 2,
        MERGE_ABOVE + 4,
        "xxx",
    )


def test_a_stream_gets_the_position_behind_each_frame_that_has_one() -> None:
    def framed(payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        return b"%s %d" % (epoch.encode(), seq)

    writer = RecordingWriter()
    talk = Connection(writer, html=False, language="pt", framing=framed)
    talk.put(b"{}")
    talk.put_replay(b"{}", "a.1", 3)
    writer.full = True
    talk.put_replay(b"{}", "a.2", 4)
    writer.resume()
    assert writer.sent == [b" 0", b"a.1 3", b"a.2 4"]


async def test_wait_for_end_returns_at_once_after_a_close() -> None:
    writer = RecordingWriter()
    talk = connection(writer)
    waiting = asyncio.ensure_future(talk.wait_for_end(10 * PATIENCE_S))
    await asyncio.sleep(0)
    talk.close(1000, "done")
    async with asyncio.timeout(PATIENCE_S):
        await waiting
    assert writer.on_writable is None
