"""The outbox of a socket: order is kept, slow readers get merged deltas, and there is an end to patience."""

import json
from importlib.util import find_spec, module_from_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import metrics
from server.bus import Entry
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.envelope import durable
from server.protocol.event_kinds import EVENTS
from server.protocol.transcript import Transcript
from server.rooms.frame_writer import text_frame
from server.rooms.outbox import MAX_BYTES, MAX_FRAMES, MERGE_ABOVE, Outbox, Slow
from tests.unit.rooms.recording_writer import read


def put(outbox: Outbox, seq: int, event: ev.Event, epoch: str | None = None) -> None:
    data = encode_event(event)
    outbox.put_event(text_frame(durable(seq, data, epoch=epoch)), Entry(seq, epoch or "a.1", data), epoch)


def taken(outbox: Outbox) -> list[bytes]:
    return list(iter(outbox.pop, None))


def drained(outbox: Outbox) -> list[dict[str, Any]]:
    frames = []
    while (data := outbox.pop()) is not None:
        frames.append(json.loads(read(data)))
    return frames


def test_the_outbox_returns_frames_in_the_order_of_put() -> None:
    outbox = Outbox()
    outbox.put(text_frame(b'{"type":"ack"}'))
    put(outbox, 1, ev.text_start("m", "assistant"), "a.1")
    put(outbox, 2, ev.text_content("m", "x"))
    assert [each.get("seq") for each in drained(outbox)] == [None, 1, 2]
    assert outbox.pop() is None


def test_only_adjacent_deltas_are_merged_and_only_when_many_wait() -> None:
    outbox = Outbox()
    for seq in range(1, MERGE_ABOVE + 1):
        put(outbox, seq, ev.text_content("m", "x"))
    put(outbox, 65, ev.text_content("m", "y"))
    put(outbox, 66, ev.text_content("m", "ç"))
    put(outbox, 67, ev.text_content("other", "z"))
    put(outbox, 68, ev.text_end("m"))
    put(outbox, 69, ev.text_content("other", "z"), "a.2")
    put(outbox, 71, ev.text_content("other", "after a hole"))
    frames = drained(outbox)
    assert len(frames) == MERGE_ABOVE + 4
    assert "from" not in frames[MERGE_ABOVE - 2]
    merged = frames[MERGE_ABOVE - 1]
    assert (merged["from"], merged["seq"], merged["event"]["delta"]) == (64, 66, "xyç")
    assert [(each["seq"], each.get("epoch")) for each in frames[MERGE_ABOVE:]] == [
        (67, None),
        (68, None),
        (69, "a.2"),
        (71, None),
    ]


def test_a_merged_frame_keeps_the_epoch_it_began_with() -> None:
    outbox = Outbox()
    for seq in range(1, MERGE_ABOVE + 1):
        put(outbox, seq, ev.text_content("m", "x"), "a.1" if seq == MERGE_ABOVE else None)
    put(outbox, 65, ev.text_content("m", "y"))
    assert drained(outbox)[-1] == {
        "seq": 65,
        "event": ev.text_content("m", "xy"),
        "epoch": "a.1",
        "from": 64,
    }


def reasoning(delta: str, message_id: str = "m") -> ev.Event:
    return {
        "type": "REASONING_MESSAGE_CONTENT",
        "messageId": message_id,
        "delta": delta,
        "metadata": {"n": 1},
    }


def test_another_type_that_the_table_merges_stays_what_it_is_and_joins_no_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(EVENTS, "REASONING_MESSAGE_CONTENT", EVENTS["TEXT_MESSAGE_CONTENT"])
    spec = find_spec("server.rooms.outbox")
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(fresh := module_from_spec(spec))  # It reads the table when it is loaded.
    outbox = fresh.Outbox()
    for seq in range(1, MERGE_ABOVE + 1):
        put(outbox, seq, reasoning("x"))
    put(outbox, 65, reasoning("y"))
    put(outbox, 66, ev.text_content("m", "a"))
    put(outbox, 67, ev.text_content("m", "b"))
    put(outbox, 68, reasoning("z"))
    put(outbox, 69, reasoning("w", "other"))
    assert [(each.get("from"), each["event"]) for each in drained(outbox)[MERGE_ABOVE - 1 :]] == [
        (64, reasoning("xy")),
        (66, ev.text_content("m", "ab")),
        (None, reasoning("z")),
        (None, reasoning("w", "other")),
    ]


def test_a_reader_with_too_many_waiting_frames_is_too_slow() -> None:
    outbox = Outbox()
    for seq in range(1, MAX_FRAMES + 1):
        put(outbox, seq, ev.step_started("a"))
    with pytest.raises(Slow):
        put(outbox, MAX_FRAMES + 1, ev.step_started("a"))


def test_a_reader_with_too_many_waiting_bytes_is_too_slow_except_for_a_snapshot() -> None:
    outbox = Outbox()
    outbox.put_snapshot(b"x" * (MAX_BYTES + 1))
    outbox.put(b"x")
    assert len(outbox.pop() or b"") == MAX_BYTES + 1
    with pytest.raises(Slow):
        outbox.put(b"x" * (MAX_BYTES + 1))
    with pytest.raises(Slow):
        for seq in range(1, 100_000):
            put(outbox, seq, ev.text_content("m", "ç" * 100))
    assert len(outbox) < MAX_FRAMES


def test_a_reader_that_keeps_up_is_never_too_slow_however_much_it_was_sent() -> None:
    outbox, put_in = Outbox(), 0
    while put_in < 3 * MAX_BYTES:
        outbox.put(b"x" * 100_000)
        for seq in range(1, 2 * MERGE_ABOVE):  # The last ones are merged.
            put(outbox, seq, ev.text_content("m", "ç" * 1000))
        put_in += sum(len(data) for data in iter(outbox.pop, None))
    outbox.put(b"x" * MAX_BYTES)
    with pytest.raises(Slow):
        outbox.put(b"x")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=3)), max_size=200))
def test_merged_deltas_fold_to_the_same_text(deltas: list[tuple[str, str]]) -> None:
    events = [ev.run_started("s", "r"), ev.text_start("a", "assistant"), ev.text_start("b", "assistant")]
    events += [ev.text_content(name, text) for name, text in deltas]
    outbox, whole, seen = Outbox(), Transcript(), Transcript()
    for seq, event in enumerate(events, 1):
        put(outbox, seq, event)
        whole.apply(event)
    last = 0
    for frame in drained(outbox):
        assert frame.get("from", frame["seq"]) == last + 1
        last = frame["seq"]
        seen.apply(frame["event"])
    assert last == len(events)
    assert seen == whole


def test_a_reader_may_be_256_frames_or_a_mebibyte_behind() -> None:
    outbox = Outbox()
    for _ in range(256):
        outbox.put(b"x")
    with pytest.raises(Slow):
        outbox.put(b"x")
    assert (len(outbox), outbox.size) == (256, 256)
    outbox = Outbox()
    outbox.put_snapshot(b"x")
    outbox.put(b"x" * 1_048_576)
    with pytest.raises(Slow):
        outbox.put(b"x")
    assert outbox.size == 1_048_576


def test_the_65th_delta_is_merged_and_takes_the_room_of_its_text() -> None:
    outbox = Outbox()
    for seq in range(1, 65):
        put(outbox, seq, ev.text_content("m", "x"))
    before = outbox.size
    put(outbox, 65, ev.text_content("m", "çã"))
    assert (len(outbox), outbox.size - before) == (64, len('"çã"'.encode()))
    left = 1_048_576 - outbox.size
    put(outbox, 66, ev.text_content("m", "x" * (left - 2)))
    assert outbox.size == 1_048_576
    with pytest.raises(Slow):
        put(outbox, 67, ev.text_content("m", ""))
    assert [each["seq"] for each in drained(outbox)] == [*range(1, 64), 66]
    assert outbox.size == 0


def test_a_snapshot_replaces_the_one_that_waits_and_the_events_behind_it_but_no_control_frame() -> None:
    outbox, before = Outbox(), metrics.DROPPED_FRAMES.collect()[0].samples[0].value
    put(outbox, 1, ev.step_started("a"))
    outbox.put(b"ack")
    outbox.put_snapshot(b"snapshot of 2")
    outbox.put_replay(b"replay of 3")
    outbox.put(b"queue")
    put(outbox, 4, ev.text_content("m", "x"))
    outbox.put_event(b"5, drawn", Entry(5, "a.1", encode_event(ev.text_content("m", "x"))), None, drawn=True)
    outbox.put_snapshot(b"snapshot of 6")
    outbox.put_event(b"7", Entry(7, "a.1", encode_event(ev.step_started("a"))), None)
    assert metrics.DROPPED_FRAMES.collect()[0].samples[0].value - before == 4
    size, (first, *others) = outbox.size, taken(outbox)
    assert others == [b"ack", b"snapshot of 6", b"queue", b"7"]
    assert size == len(first) + len(b"ack" + b"queue" + b"7")


class Model:
    """A reader as the clients are: an event is the next one, a snapshot is all there is."""

    def __init__(self) -> None:
        self.seq = 0
        self.heard: list[int] = []

    def take(self, data: bytes) -> None:
        frame = json.loads(read(data))
        if frame.get("type") == "snapshot":
            self.seq = frame["seq"]
        elif frame.get("type") == "ack":
            self.heard.append(frame["id"])
        for each in frame.get("batch", [frame] if "event" in frame else []):
            assert each["seq"] == self.seq + 1, "neither lost nor doubled"
            self.seq = each["seq"]


@given(st.lists(st.sampled_from(["event", "snapshot", "replay", "control", "take"]), max_size=120))
def test_a_reader_ends_with_what_is_there_whatever_was_replaced(steps: list[str]) -> None:
    outbox, reader, there, said = Outbox(), Model(), 0, 0
    for step in steps:
        if step == "event":
            put(outbox, there := there + 1, ev.step_started("a"))
        elif step == "snapshot":
            outbox.put_snapshot(text_frame(b'{"type":"snapshot","seq":%d}' % (there := there + 3)))
        elif step == "replay":
            outbox.put_replay(text_frame(b'{"batch":[{"seq":%d},{"seq":%d}]}' % (there + 1, there + 2)))
            there += 2
        elif step == "control":
            outbox.put(text_frame(b'{"type":"ack","id":%d}' % (said := said + 1)))
        elif data := outbox.pop():
            reader.take(data)
    for data in taken(outbox):
        reader.take(data)
    assert (reader.seq, reader.heard, outbox.size) == (there, list(range(1, said + 1)), 0)


def test_a_reader_that_reads_nothing_holds_one_snapshot_however_many_it_is_sent() -> None:
    outbox = Outbox()
    for seq in range(100 * MAX_FRAMES):
        outbox.put_snapshot(b"%d" % seq)
        outbox.put_replay(b"x")
    assert taken(outbox) == [b"%d" % seq, b"x"]
