"""The tap on a model's stream: what counts as read and said, and how much may come before there is room."""

from __future__ import annotations

from typing import Any

import httpx2
import openai
import pytest
from agents import Agent, Usage
from agents.testing import ModelStep

from server.agents.context import RunContext
from server.agents.model.answer_size import MOST_MESSAGE_BYTES
from server.agents.run.sdk.model_tap import length_of, reason_given
from server.agents.run.types import Stop
from server.agents.service import RunLimits, Service
from tests.contract.agents.streams import answer_of_bytes, frames, models, turn_text
from tests.modelserver import Pace, Plan, Text
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Bench, ScriptedModel, assistant_message, function_call


@pytest.mark.parametrize(
    ("value", "length"),
    [
        ("olá", 3),
        ({"a": "ab", "b": ["c", {"d": "de"}], "n": 7, "none": None}, 5),
        ([{"image_url": "data:image/png;base64,eA=="}, "x"], 1),
        (b"bytes", 0),
        (None, 0),
    ],
)
def test_the_length_of_what_is_read_is_that_of_its_texts_without_files(value: Any, length: int) -> None:
    assert length_of(value) == length


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"reason": "why"}', "why"),
        ("", ""),
        ("{", ""),
        ("[]", ""),
        ("[" * 30_000, ""),
        ('{"reason": 7}', ""),
        ("{}", ""),
    ],
)
def test_the_reason_of_a_handoff_is_what_the_model_wrote(arguments: str, reason: str) -> None:
    call: Any = function_call("transfer_to_second", arguments, call_id="h1")
    assert reason_given(call) == reason
    assert reason_given(None) == ""


async def test_an_answer_in_many_pieces_waits_for_room_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []

    async def wait_for_room(out: Recorder) -> None:
        waited.append(len(out.text()))

    monkeypatch.setattr(Recorder, "wait_for_room", wait_for_room)
    pieces = frames("responses", Plan([Text("x" * 150)], pace=Pace(chunking=list)))
    found = await turn_text(models("responses", answer_of_bytes([*pieces]))["fast"])
    assert found.text == "x" * 150
    assert 4 <= len(waited) <= 10


async def test_an_attempt_that_failed_before_its_answer_is_no_call() -> None:
    lost = openai.APIConnectionError(request=httpx2.Request("POST", "http://model.test/"))
    model = ScriptedModel([ModelStep.raise_error(lost), [assistant_message("Olá.")]])
    play = Play(Bench(limits=RunLimits(model_calls=1)).service(), model)
    out = await play.say()
    assert play.result is not None and (play.result.outcome, play.result.code) == ("success", None)
    assert out.text() == "Olá."


async def test_the_tokens_of_an_agent_that_is_a_tool_are_the_runs() -> None:
    usage = Usage(requests=1, input_tokens=90, output_tokens=10, total_tokens=100)
    inner = Agent[RunContext](name="inner")
    outer = Agent[RunContext](name="first", tools=[inner.as_tool("ask_inner", "Ask.")])
    script = [
        ModelStep(output=[each], usage=usage)
        for each in (
            function_call("ask_inner", {"input": "a"}, call_id="c1"),
            assistant_message("inside"),
            assistant_message("ok"),
        )
    ]
    play = Play(Service(name="test", start="first", agents=lambda: {"first": outer}), ScriptedModel(script))
    out = await play.say()
    assert play.result is not None and play.result.usage["totalTokens"] == 300
    assert out.text() == "ok"


@pytest.mark.parametrize(("size", "code"), [(MOST_MESSAGE_BYTES, None), (MOST_MESSAGE_BYTES + 1, "limit")])
async def test_arguments_that_come_in_one_piece_have_their_size(size: int, code: str | None) -> None:
    arguments = '{"word": "' + "x" * (size - len('{"word": ""}')) + '"}'
    assert len(arguments) == size
    calls = [function_call("look", arguments, call_id="c1")]
    bench = Bench()
    play = Play(bench.service(), ScriptedModel([calls, [assistant_message("ok")]]))
    await play.say()
    assert play.result is not None and play.result.code == code
    assert len(bench.done) == (0 if code else 1)


async def test_a_stop_that_was_set_before_is_waited_for_by_nobody() -> None:
    early, late = Stop(), Stop()
    early.set()
    assert early.is_set() and not late.is_set()
    assert early.waiter().done() and early.waiter() is early.waiter()
    waiter = late.waiter()
    assert not waiter.done()
    late.set()
    late.set()
    assert waiter.done() and late.is_set()
