"""The parts of a conversation: what a reader gets of each kind of message, and what can be answered."""

from __future__ import annotations

from typing import Any

import pytest

from loopwire import Ask, Block, Choice, Handoff, Part, Picture, Retracted, Text, Tool
from loopwire.part_reader import PartReader, arguments_of, asks_of, text_of
from loopwire.parts import parts_of
from loopwire.transcript import Transcript

Json = dict[str, Any]


def message(id: str, role: str = "assistant", **more: Any) -> Json:
    """Return a message of a run."""
    own = more.pop("own", {})
    return {"id": id, "role": role, "metadata": {"loopwire": {"run_id": "run_1", **own}}, **more}


def call(id: str, name: str = "find", arguments: str = "{}", **more: Any) -> Json:
    """Return a message that calls a tool."""
    function = {"name": name, "arguments": arguments}
    return message(id, toolCalls=[{"id": id, "type": "function", "function": function}], **more)


def result(id: str, call_id: str, content: str = "{}", **own: Any) -> Json:
    """Return the result of a call."""
    return message(id, "tool", toolCallId=call_id, content=content, own=own)


def activity(id: str, type: str, /, **content: Any) -> Json:
    """Return an activity."""
    return message(id, "activity", activityType=type, content=content)


class Reader:
    """A reader of all messages."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.reader = PartReader()

    def read(self, *messages: Json) -> list[Part]:
        """Put these in the place of all messages, and return what is new."""
        changed = self.transcript.apply({"type": "MESSAGES_SNAPSHOT", "messages": list(messages)})
        return self.reader.read(changed, self.transcript, None)


@pytest.mark.parametrize(
    ("messages", "parts"),
    [
        ([message("m", content="Hi")], [Text("Hi", "m")]),
        ([message("m", content="Hi", name="a")], [Text("Hi", "m", "a")]),
        (
            [message("m", content="Hi", name="Ana", own={"operator": True})],
            [Text("Hi", "m", "Ana", operator=True)],
        ),
        ([message("m", content="")], []),
        ([message("m", content=None)], []),
        ([message("m")], []),
        ([message("m", "user", content="Hi")], []),
        ([call("c", own={"open": True})], []),
        ([call("c", arguments='{"a":1}')], [Tool("c", "find", "running", '{"a":1}')]),
        ([call("c", own={"waits": {}})], [Tool("c", "find", "waiting", "{}")]),
        ([call("c"), result("r", "c")], [Tool("c", "find", "done", "{}", "{}")]),
        (
            [call("c"), result("r", "c", "No.", status="failed", duration_ms=7)],
            [Tool("c", "find", "failed", "{}", "No.", duration_ms=7)],
        ),
        ([result("r", "c")], []),
        ([message("m", content="Hi"), result("r", "m")], [Text("Hi", "m")]),
        ([activity("h", "handoff", to="b")], [Handoff("b")]),
        ([activity("h", "handoff")], [Handoff("")]),
        ([activity("b", "block", kind="card")], [Block("b", "card", {"kind": "card"})]),
        ([activity("b", "note", status="open")], [Block("b", "note", {"status": "open"}, "open")]),
        ([activity("b", "block", kind="approval", interrupt_id="int_1")], []),
        ([activity("p", "tool_progress", tool_call_id="c")], []),
        ([activity("p", "tool_progress")], []),
    ],
)
def test_a_message_is_told_as_what_it_is(messages: list[Json], parts: list[Part]) -> None:
    reader = Reader()
    assert reader.read(*messages) == parts
    assert reader.read(*messages) == []


def test_each_call_has_its_own_result_and_progress() -> None:
    reader = Reader()
    told = reader.read(
        call("c1", "find"),
        result("r1", "c1", "1", status="stopped"),
        call("c2", "book"),
        result("r2", "c2", "2"),
        call("c3", "sell"),
        activity("p1", "tool_progress", tool_call_id="c1", progress=0.1, label="a"),
        activity("p3", "tool_progress", tool_call_id="c3", progress=0.3, label="c"),
        activity("p0", "tool_progress", tool_call_id="c0", progress=0.9, label="z"),
    )
    assert told == [
        Tool("c1", "find", "stopped", "{}", "1", 0.1, "a"),
        Tool("c2", "book", "done", "{}", "2"),
        Tool("c3", "sell", "running", "{}", None, 0.3, "c"),
    ]


def test_blocks_are_told_again_when_they_change() -> None:
    reader = Reader()
    blocks = [activity("b1", "block", kind="card", a=1), activity("b2", "block", kind="card", a=1)]
    assert [each.id for each in reader.read(*blocks) if isinstance(each, Block)] == ["b1", "b2"]
    changed = activity("b1", "block", kind="card", a=2)
    assert reader.read(changed, blocks[1]) == [Block("b1", "card", {"kind": "card", "a": 2})]


def test_words_that_others_took_the_place_of_are_taken_back() -> None:
    reader = Reader()
    assert reader.read(message("m", content="Hello")) == [Text("Hello", "m")]
    assert reader.read(message("m", content="Hello there")) == [Text(" there", "m")]
    assert reader.read(message("m", content="Goodbye")) == [Retracted("m"), Text("Goodbye", "m")]
    assert reader.read(message("m", content="")) == [Retracted("m")]
    assert reader.read(message("n", content="Hi"), call("c")) == [
        Retracted("m"),
        Text("Hi", "n"),
        Tool("c", "find", "running", "{}"),
    ]
    assert reader.read() == [Retracted("n"), Retracted("c")]
    assert reader.read() == []


def test_a_question_has_all_that_is_known_of_it() -> None:
    transcript = Transcript()
    block = activity("b", "block", kind="approval", interrupt_id="i")
    transcript.apply(
        {"type": "MESSAGES_SNAPSHOT", "messages": [call("c", "sell", '{"a":1}'), block, message("m")]}
    )
    own = {"kind": "approval", "block_id": "b"}
    whole = {
        "id": "i",
        "message": "Sell?",
        "toolCallId": "c",
        "responseSchema": {"type": "object"},
        "expiresAt": "2026-01-31T12:00:00Z",
        "metadata": {"loopwire": own},
    }
    assert asks_of("run_1", [whole, {"id": "j"}, {"id": "k", "toolCallId": "m"}], transcript) == (
        Ask(
            "i",
            "run_1",
            "approval",
            "Sell?",
            {"type": "object"},
            "c",
            "2026-01-31T12:00:00Z",
            "sell",
            '{"a":1}',
            {"kind": "approval", "interrupt_id": "i"},
        ),
        Ask("j", "run_1", "", "", {}),
        Ask("k", "run_1", "", "", {}, "m"),
    )


def test_the_words_of_agents_are_told_with_a_blank_line_between_two() -> None:
    said = [message("a", content="One"), message("b", content=""), message("c"), message("d", content="Two")]
    others = [message("u", "user", content="Hi"), call("e", content="No"), result("r", "e", "No")]
    assert text_of([*said, *others]) == "One\n\nTwo"
    assert text_of(others) == ""


def test_arguments_of_a_call_are_read() -> None:
    assert arguments_of(call("c", arguments='{"a": 1}')) == {"a": 1}
    assert arguments_of(call("c", arguments="")) == {}
    with pytest.raises(ValueError, match="char 0"):
        arguments_of(call("c", arguments="a"))


def test_the_choices_of_a_block_are_its_choices_and_its_actions() -> None:
    content = {
        "name": "colour",
        "choices": [
            {"value": 1, "label": "Red"},
            {"value": 2, "label": "Blue", "name": "shade", "note": "new"},
        ],
        "actions": [{"value": None, "label": "None", "name": ""}],
    }
    block = Block("b", "choices", content)
    assert block.choices == (
        Choice(1, "Red", "colour"),
        Choice(2, "Blue", "shade", "new"),
        Choice(None, "None", "colour"),
    )
    part = {"type": "answer", "block_id": "b"}
    assert block.answer(block.choices[1]) == {**part, "name": "shade", "value": 2, "label": "Blue"}
    assert block.answer(block.choices[0], "R.") == {**part, "name": "colour", "value": 1, "label": "R."}
    assert block.answer(12) == {**part, "name": "colour", "value": 12, "label": "12"}
    assert block.answer(12, "12 months") == {**part, "name": "colour", "value": 12, "label": "12 months"}
    assert Block("b", "card", {}).choices == ()
    assert Block("b", "card", {}).answer("x") == {**part, "name": "", "value": "x", "label": "x"}


def test_a_content_may_be_words_pictures_and_parts() -> None:
    picture = Picture("b", "/b", "image/png", 1, 2, 3)
    text, image, own = {"type": "text", "text": "Hi"}, {"type": "image", "blob_id": "b"}, {"type": "answer"}
    assert parts_of("Hi") == [text]
    assert parts_of(picture) == [image]
    made = parts_of(["Hi", picture, own])
    assert made == [text, image, own]
    assert made[2] is not own
    assert parts_of([]) == []


def test_a_result_stands_behind_its_call_and_without_one_at_the_end() -> None:
    transcript = Transcript()
    messages = [call("c"), message("m", content="Hi")]
    transcript.apply({"type": "MESSAGES_SNAPSHOT", "messages": messages})
    for id, call_id in (("r1", "c"), ("r2", "c"), ("r3", "none"), ("r2", "c")):
        told = {"type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call_id, "content": id}
        assert transcript.apply(told) == [id]
    assert [each["id"] for each in transcript.messages] == ["c", "r1", "r2", "m", "r3"]
