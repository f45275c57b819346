"""Content that is too large for a reload: state is refused, arguments are replaced by their size."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from agents import Agent
from agents.tool_context import ToolContext

from server.agents.context import MOST_BYTES, RunContext
from server.agents.run.sdk import model_tap
from server.agents.service import Service
from server.agents.tools import tool
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
