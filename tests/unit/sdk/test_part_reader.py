"""The parts that a reader of a run gets: each word once, from events, from a snapshot, or late."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwire.conversation import Conversation
from loopwire.part_reader import PartReader
from loopwire.parts import Block, Handoff, Part, Reasoning, Retracted, Text, Tool
from loopwire.transcript import Transcript
from server.protocol import events as ev
from tests.unit.protocol.test_transcript import THREAD
from tests.unit.protocol.test_transcript import fold as fold_at_server

Json = dict[str, Any]

RUN = "run_1"
ANSWER: list[Json] = [
    ev.run_started(THREAD, RUN),
    ev.text_start("usr_1", "user"),
    ev.text_content("usr_1", "iPhone"),
    ev.text_end("usr_1"),
    ev.tool_start("cal_1", "find"),
    ev.tool_args("cal_1", '{"q":1}'),
    ev.tool_end("cal_1"),
    ev.activity("prg_cal_1", "tool_progress", {"tool_call_id": "cal_1", "progress": 0.5, "label": "x"}),
    ev.tool_result("res_1", "cal_1", '{"n":2}', duration_ms=4),
    ev.activity("hnd_1", "handoff", {"from": "a", "to": "b", "reason": "r", "status": "done"}),
    ev.text_start("msg_1", "assistant", name="b"),
    ev.text_content("msg_1", "Which "),
    ev.text_content("msg_1", "one?"),
    ev.text_end("msg_1"),
    ev.activity("blk_1", "block", {"kind": "choices", "name": "p", "choices": [], "status": "open"}),
    ev.run_finished(THREAD, RUN),
]


class Reader:
    """A reader of one run of a conversation."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.watcher = self.conversation.watch()
        self.reading = PartReader()
        self.parts: list[Part] = []

    def hear(self, events: list[Json]) -> None:
        for event in events:
            self.conversation.take({"seq": 0, "event": event})

    def join(self, events: list[Json]) -> None:
        """Get a snapshot of what these events come to."""
        snapshot = fold_at_server(events).snapshot_events(THREAD)
        self.conversation.take({"type": "snapshot", "seq": 0, "epoch": "a.1", "events": snapshot})

    def look(self) -> list[Part]:
        new = self.reading.read(self.watcher.take(), self.conversation.transcript, [RUN])
        self.parts += new
        return new

    def words(self) -> str:
        return "".join(each.delta for each in self.parts if isinstance(each, Text))


def test_a_summary_of_reasoning_grows_and_is_withdrawn_as_a_text_is() -> None:
    thought = [
        ev.reasoning_start("thk_1", agent="b"),
        ev.reasoning_content("thk_1", "It may "),
        ev.reasoning_content("thk_1", "be."),
        ev.reasoning_end("thk_1", duration_ms=9),
    ]
    reader = Reader()
    for event in [*ANSWER[:4], *thought]:
        reader.hear([event])
        reader.look()
    assert reader.parts == [Reasoning("It may ", "thk_1", "b"), Reasoning("be.", "thk_1", "b")]
    assert reader.words() == ""
    late = Reader()
    late.join([*ANSWER[:4], *thought])
    assert late.look() == [Reasoning("It may be.", "thk_1", "b")]
    reader.hear([ev.messages_snapshot([], scope="run", attempt=2)])
    assert reader.look() == [Retracted("thk_1")]


def test_each_part_comes_as_it_happens() -> None:
    reader = Reader()
    for event in ANSWER:
        reader.hear([event])
        reader.look()
    block = {"kind": "choices", "name": "p", "choices": [], "status": "open"}
    assert reader.parts == [
        Tool("cal_1", "find", "running", '{"q":1}'),
        Tool("cal_1", "find", "running", '{"q":1}', progress=0.5, label="x"),
        Tool("cal_1", "find", "done", '{"q":1}', '{"n":2}', 0.5, "x", 4),
        Handoff("b", "a", "r", "done"),
        Text("Which ", "msg_1", "b"),
        Text("one?", "msg_1", "b"),
        Block("blk_1", "choices", block, "open"),
    ]


def test_a_late_reader_gets_all_words_at_once_and_the_last_of_the_rest() -> None:
    reader = Reader()
    reader.hear(ANSWER)
    assert [type(each) for each in reader.look()] == [Tool, Handoff, Text, Block]
    assert reader.words() == "Which one?"
    assert reader.look() == []


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_reader_gets_each_word_once_from_events_and_snapshots(data: st.DataObject) -> None:
    """Events one by one, or snapshots in place of some of them, read after any of them."""
    reader, place = Reader(), 0
    while place < len(ANSWER):
        step = data.draw(st.integers(1, len(ANSWER) - place))
        if data.draw(st.booleans()):
            reader.hear(ANSWER[place : place + step])
        else:
            reader.join(ANSWER[: place + step])
        place += step
        if data.draw(st.booleans()):
            reader.look()
    reader.look()
    assert reader.words() == "Which one?"
    assert [each for each in reader.parts if isinstance(each, Handoff)] == [Handoff("b", "a", "r", "done")]
    assert [each.status for each in reader.parts if isinstance(each, Tool)][-1] == "done"
    assert not [each for each in reader.parts if isinstance(each, Retracted)]
    ended = reader.conversation.end_of(RUN)
    assert ended is not None and ended.result.text == "Which one?"


def test_parts_dropped_by_a_take_over_are_retracted_and_read_anew() -> None:
    reader = Reader()
    reader.hear(ANSWER[:12])
    reader.look()
    reader.hear([ev.messages_snapshot([], scope="run", attempt=2)])
    assert {each.id for each in reader.look() if isinstance(each, Retracted)} == {"msg_1", "cal_1", "hnd_1"}
    reader.hear([ev.text_start("msg_2", "assistant"), ev.text_content("msg_2", "Which?")])
    assert reader.look() == [Text("Which?", "msg_2")]


def test_parts_missing_in_a_shorter_snapshot_are_not_retracted() -> None:
    reader = Reader()
    reader.hear(ANSWER)
    reader.look()
    reader.conversation.take(
        {
            "type": "snapshot",
            "seq": 0,
            "epoch": "a.1",
            "events": fold_at_server(ANSWER).snapshot_events(THREAD, limit=1),
            "before": "1",
        }
    )
    assert reader.look() == []


def test_runs_of_others_are_not_told() -> None:
    reading, transcript = PartReader(), Transcript()
    for event in ANSWER:
        transcript.apply(event)
    ids = [each["id"] for each in transcript.messages]
    assert reading.read(ids, transcript, ["run_9"]) == []
    assert [type(each) for each in reading.read(ids, transcript, None)] == [Tool, Handoff, Text, Block]
