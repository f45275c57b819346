"""Content that is too large for a reload: state is refused, arguments are replaced by their size."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from agents import Agent
from agents.tool_context import ToolContext

from server.agents.context import RunContext
from server.agents.model.answer_size import (
    MOST_DEPTH,
    MOST_MESSAGE_BYTES,
    MOST_MESSAGES,
    MOST_WIRE_BYTES,
    MOST_WRITTEN_BYTES,
    AnswerSize,
    WireSize,
    is_too_deep,
    size_of,
)
from server.agents.run.sdk import model_tap
from server.agents.service import Service
from server.agents.tools import tool
from server.errors import Limit
from server.protocol.shown_state import MOST_BYTES
from tests.parts.sampled import one_of
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import ScriptedModel, assistant_message, function_call


def hoarding(effect: Any) -> Service:
    """Return a service whose one tool keeps what it is given in the state."""

    @tool(effect=effect, args=lambda a: a, result=lambda r: r)
    async def keep(ctx: ToolContext[RunContext], text: str, times: int) -> dict[str, Any]:
        """Keep a text."""
        ctx.context.set_state(kept=text * times)
        return {"kept": times}

    team = {"only": Agent[RunContext](name="only", instructions="Keep.", tools=[keep])}
    return Service(name="test", start="only", agents=lambda: team)


@pytest.mark.parametrize(
    ("effect", "error"), [("idempotent", "state_too_large"), ("once", "unknown_outcome")]
)
async def test_a_tool_that_keeps_too_much_in_the_state_fails_and_is_logged(
    effect: str, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(
        [
            [function_call("keep", {"text": "é", "times": MOST_BYTES // 2}, call_id="c1")],
            [function_call("keep", {"text": "é", "times": 2}, call_id="c2")],
            [assistant_message("Pronto.")],
        ]
    )
    play = Play(hoarding(effect), model)
    with caplog.at_level(logging.ERROR):
        out = await play.say()
    assert play.result is not None and play.result.outcome == "success"
    first, second = out.of("TOOL_CALL_RESULT")
    assert [each["metadata"]["loopwire"]["status"] for each in (first, second)] == [
        "unknown" if effect == "once" else "failed",
        "done",
    ]
    assert [each["delta"] for each in out.of("STATE_DELTA")] == [
        [{"op": "add", "path": "/kept", "value": "éé"}]
    ]
    outputs = [each["output"] for each in play.result.items if each.get("type") == "function_call_output"]
    assert json.loads(outputs[0])["error"] == error
    assert f"the most is {MOST_BYTES}" in caplog.text


async def test_arguments_that_are_too_large_are_told_by_their_size() -> None:
    long = "é" * (MOST_BYTES // 2)
    model = ScriptedModel(
        [[function_call("keep", {"text": long, "times": 0}, call_id="c1")], [assistant_message("Pronto.")]]
    )
    out = await Play(hoarding("read"), model).say()
    (told,) = out.of("TOOL_CALL_ARGS")
    assert json.loads(told["delta"]) == {
        "bytes": len(json.dumps({"text": long, "times": 0}, ensure_ascii=False).encode())
    }
    (result,) = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"kept": 0}
    assert len(json.dumps(out.events)) < MOST_BYTES


@pytest.mark.parametrize(("length", "waits"), [(100, False), (5_000, True)])
async def test_a_model_that_sends_much_at_once_waits_for_room_in_the_log(
    length: int, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []

    async def wait_for_room(out: Recorder) -> None:
        waited.append(len(out.text()))

    monkeypatch.setattr(Recorder, "wait_for_room", wait_for_room)
    monkeypatch.setattr(model_tap, "_ROOM_EVERY", 10_000)
    team = {"only": Agent[RunContext](name="only", instructions="Speak.")}
    service = Service(name="test", start="only", agents=lambda: team)
    out = await Play(service, ScriptedModel([[assistant_message("x" * length)]])).say()
    assert out.text() == "x" * length
    assert len(waited) == 1 + waits, "once before the call, and once behind the text"


def test_a_message_is_cut_at_its_last_whole_character_and_one_at_its_size_is_not() -> None:
    size = AnswerSize()
    whole = "x" * (MOST_MESSAGE_BYTES - 3)
    assert size.fitting(0, whole) == whole
    assert size.fitting(0, "é") == "é"
    assert size.fitting(0, "xé") == "x"
    other = AnswerSize()
    assert other.fitting(0, whole) == whole
    assert other.fitting(1, "abcd") == "abcd", "each message has its own size"
    other.note_complete(0)
    assert other.fitting(0, whole) == whole, "what follows at the place of a message is another one"
    assert other.written == 2 * len(whole) + 4
    last = AnswerSize()
    last.fitting(0, whole)
    assert last.fitting(0, "\ud83dx") == ""


def test_an_answer_has_sixty_four_messages_and_a_size() -> None:
    size = AnswerSize()
    for index in range(MOST_MESSAGES):
        size.fitting(index, "x")
        size.fitting(index, "x")
    with pytest.raises(Limit):
        size.fitting(MOST_MESSAGES, "x")
    ended = AnswerSize()
    for _ in range(MOST_MESSAGES):
        ended.fitting(0, "x")
        ended.note_complete(0)
    with pytest.raises(Limit):
        ended.fitting(0, "x")
    assert (MOST_MESSAGES, MOST_WRITTEN_BYTES, MOST_MESSAGE_BYTES) == (64, 1_048_576, 262_144)
    full = AnswerSize()
    full.add(MOST_WRITTEN_BYTES)
    with pytest.raises(Limit):
        full.add(1)


def test_kept_wire_bytes_are_limited() -> None:
    wire = WireSize()
    wire.keep(MOST_WIRE_BYTES - 1)
    wire.keep(1)
    with pytest.raises(Limit):
        wire.keep(1)


def test_a_text_is_measured_in_utf_8() -> None:
    assert [size_of(each) for each in ("", "abc", "é", "\ud83d", "🙂")] == [0, 3, 2, 3, 4]


def nested(depth: int) -> str:
    """Return an object that is this deep."""
    return '{"text": ' + "[" * (depth - 1) + "]" * (depth - 1) + ', "times": 1}'


@pytest.mark.parametrize("effect", ["read", "once"])
async def test_a_call_whose_arguments_are_nested_too_deep_is_refused_and_the_run_goes_on(
    effect: Any, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(
        [[function_call("keep", nested(100_000), call_id="c1")], [assistant_message("Pronto.")]]
    )
    play = Play(hoarding(effect), model)
    out = await play.say()
    assert play.result is not None and play.result.outcome == "success"
    (output,) = [
        each["output"] for each in model.calls[1].input if each.get("type") == "function_call_output"
    ]
    assert json.loads(output)["error"] == "bad_arguments"
    assert [each["metadata"]["loopwire"]["status"] for each in out.of("TOOL_CALL_RESULT")] == ["failed"]
    assert [each for each in caplog.records if each.exc_info] == []
    assert "[[[" not in json.dumps(play.result.items), "no later request carries it"


def test_arguments_are_a_hundred_deep_at_most_whatever_their_texts_say() -> None:
    assert MOST_DEPTH == 100
    assert not is_too_deep(nested(MOST_DEPTH))
    assert is_too_deep(nested(MOST_DEPTH + 1))
    assert is_too_deep('{"a":' * 101 + "1" + "}" * 101)
    assert not is_too_deep(json.dumps({"text": "[{" * 200, "quoted": '"[' * 200, "many": [[]] * 200}))
    assert not is_too_deep("]" * 300 + "[" * 200)
    assert is_too_deep("[" * 101 + '"a')


@pytest.mark.parametrize("end", one_of(3, ["", "\\", "[", '"', '"]']))
def test_quotes_in_arguments_cost_no_more_than_other_text(end: str) -> None:
    """A search from each of them to the end would take hours for so many."""
    for unit in ('\\"', "\\\\", '\\"['):
        assert not is_too_deep('["' + unit * 1_000_000 + end)
