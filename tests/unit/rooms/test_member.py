"""A socket's place in the log: waiting entries are sent once, in order, or not at all."""

import json
from typing import Any

from server.bus import Entry
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.envelope import Fragment
from server.rooms.connection import Connection
from server.rooms.frames import EventFrames
from server.rooms.member import Member
from server.rooms.outbox import MAX_BYTES, MERGE_ABOVE
from server.rooms.pending_entries import MOST_PENDING, PendingEntries
from tests.unit.rooms.recording_writer import RecordingWriter, read


def entry(seq: int, epoch: str = "a.1") -> Entry:
    return Entry(seq, epoch, encode_event(ev.step_started(str(seq))))


def sent_frames(member: Member, writer: RecordingWriter) -> list[tuple[int, str | None]]:
    member.connection.close(1000, "")
    whole: list[dict[str, Any]] = [each for frame in writer.frames() for each in frame.get("batch", [frame])]
    return [(each["seq"], each.get("epoch")) for each in whole]


def test_waiting_entries_are_sent_once_and_the_epoch_at_each_change() -> None:
    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt"))
    for seq, epoch in ((4, "a.1"), (5, "a.1"), (6, "a.2"), (7, "a.2")):
        member.wait(entry(seq, epoch))
    assert member.waits
    member.set_position(5, "a.1")
    assert member.resume()
    assert not member.waits
    member.tell(EventFrames(entry(8, "a.2")))
    assert sent_frames(member, writer) == [(6, "a.2"), (7, None), (8, None)]
    assert writer.closed == (1000, "")


def test_a_slow_reader_is_told_a_new_epoch_however_much_is_merged() -> None:
    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt"))
    member.set_position(0, "a.1")
    writer.full = True
    last = 2 * MERGE_ABOVE
    for seq in range(1, last + 1):
        text = encode_event(ev.text_content("msg_1", "x"))
        member.tell(EventFrames(Entry(seq, "a.1" if seq < last - 1 else "a.2", text)))
    writer.resume()
    named = [each for each in sent_frames(member, writer) if each[1]]
    assert named == [(last, "a.2")], "the two of the new epoch are one frame"


def test_a_hole_or_too_much_waiting_asks_for_a_snapshot() -> None:
    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt"))
    member.set_position(5, "a.1")
    member.wait(entry(7))
    assert not member.resume()
    member.pause()
    for seq in range(6, 6 + MOST_PENDING + 1):
        member.wait(entry(seq))
    assert not member.resume()
    member.pause()
    assert member.resume()
    assert sent_frames(member, writer) == []


def test_each_kind_of_frame_is_made_once() -> None:
    drawn: list[str] = []

    def draw(language: str) -> Fragment | None:
        drawn.append(language)
        return Fragment(f"<p>{language}</p>", "#x", "outerHTML") if language == "pt" else None

    frames = EventFrames(entry(1), draw)
    plain = frames.frame(html=None, with_epoch=False)
    assert frames.frame(html=None, with_epoch=False) is plain
    assert frames.frame(html="en", with_epoch=False) is plain
    portuguese = frames.frame(html="pt", with_epoch=True)
    assert frames.frame(html="pt", with_epoch=True) is portuguese
    assert json.loads(read(portuguese))["content"] == "<p>pt</p>"
    assert json.loads(read(portuguese))["epoch"] == "a.1"
    assert drawn == ["en", "pt"]


def test_large_events_that_wait_are_bounded_by_their_bytes() -> None:
    member = Member(Connection(RecordingWriter(), html=False, language="pt"))
    for seq in range(1, MAX_BYTES // 65536 + 2):
        member.wait(Entry(seq, "a.1", b"x" * 65536))
    assert member.lost
    assert not member.resume()


def test_pending_entries_above_the_limit_are_dropped() -> None:
    pending = PendingEntries()
    assert pending.add([Entry(1, "a.1", b"x" * MAX_BYTES)])
    assert pending
    assert not pending.add([Entry(2, "a.1", b"x")])
    assert not pending
    assert not pending.add([entry(seq) for seq in range(MOST_PENDING + 1)])
    assert pending.add([entry(seq) for seq in range(MOST_PENDING)])
    assert [each.seq for each in pending.pop_all()] == list(range(MOST_PENDING))
    assert pending.pop_all() == []


def test_4096_entries_may_wait_and_what_was_taken_takes_no_room() -> None:
    pending = PendingEntries()
    large = [Entry(1, "a.1", b"x" * 1_048_576)]
    assert pending.add([entry(seq) for seq in range(4096)])
    assert not pending.add([entry(4096)])
    for _ in range(2):
        assert pending.add(large)
        assert pending.size == 1_048_576
        assert pending.pop_all() == large
    assert pending.add(large)
    pending.clear()
    assert (pending.size, pending.pop_all()) == (0, [])
    assert pending.add(large)


def test_a_stream_gets_the_position_behind_what_it_missed() -> None:
    def framed(payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        return b"%s %d" % (epoch.encode(), seq)

    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt", framing=framed))
    member.set_position(3, "a.1")
    member.replay([entry(4), entry(5, "a.2")])
    member.tell(EventFrames(entry(6, "a.2")))
    assert writer.sent == [b"a.2 5", b"a.2 6"]
