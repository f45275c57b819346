"""The log lines of calls: which run, which agent, how long and how it ended, at DEBUG alone."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from openai.types.responses import Response, ResponseCompletedEvent

from server import log as logs
from server.agents.run import call_log, trace_spans
from server.agents.run.trace_spans import ModelCall
from server.errors import ModelBusy
from server.tracing import SILENT
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Bench, ScriptedModel, assistant_message, function_call

LOGGER = "server.agents.run.call_log"


async def played(caplog: pytest.LogCaptureFixture, level: int) -> list[tuple[str, dict[str, Any]]]:
    """Play a run with a call of a tool; gives the lines of its calls."""
    model = ScriptedModel(
        [[function_call("look", {"word": "secret"}, call_id="c1")], [assistant_message("Pronto.")]]
    )
    with caplog.at_level(level, logger=LOGGER):
        await Play(Bench().service(), model).say()
    return [(each.getMessage(), each.fields) for each in caplog.records if each.name == LOGGER]  # type: ignore[attr-defined]


async def test_each_call_of_a_model_and_a_tool_is_one_line_without_a_word_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lines = await played(caplog, logging.DEBUG)
    assert [line for line, _ in lines] == ["model call ended", "tool call ended", "model call ended"]
    ended = lines[1][1]
    assert (ended.pop("ms") >= 0, ended) == (
        True,
        {"service": "test", "agent": "first", "tool": "look", "call_id": "c1", "outcome": "done"},
    )
    asked = lines[0][1]
    assert (asked["service"], asked["agent"], asked["model"]) == ("test", "first", "scripted")
    assert isinstance(asked["ms"], int)
    assert "secret" not in str(lines)
    assert (logs.session_id.get(), logs.run_id.get()) == (None, None), "nothing is left for the next run"


async def test_calls_are_not_logged_above_debug(caplog: pytest.LogCaptureFixture) -> None:
    assert await played(caplog, logging.INFO) == []


async def test_a_call_of_a_tool_that_does_not_exist_has_no_name_and_one_that_was_stopped_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench()
    script = [
        [function_call("made_up", {}, call_id="c1")],
        [function_call("wait", {"name": "g"}, call_id="c2")],
    ]
    play = Play(bench.service(), ScriptedModel(script))
    with caplog.at_level(logging.DEBUG, logger=LOGGER):
        turn, out = play.prepare()
        going = asyncio.ensure_future(play.go(turn, out))
        await bench.entered.get()
        out.cancelled.set()
        await going
    tools = [each.fields for each in caplog.records if each.getMessage() == "tool call ended"]  # type: ignore[attr-defined]
    assert [(each["tool"], each["call_id"], each["outcome"], each["agent"]) for each in tools] == [
        ("unknown", "c1", "failed", "first"),
        ("wait", "c2", "stopped", "first"),
    ]
    assert [each.name for each in caplog.records if "made_up" in str(each.__dict__)] == []


def lines_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """Return what is logged of the calls of a model."""
    return [each.fields for each in caplog.records if each.getMessage() == "model call ended"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "done"),
        (ModelBusy(), "model_busy"),
        (ValueError(), "ValueError"),
        (asyncio.CancelledError(), "stopped"),
    ],
)
async def test_a_call_of_a_model_is_logged_with_its_end_and_its_time(
    error: BaseException | None,
    outcome: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(call_log, "time", clock)
    monkeypatch.setattr(trace_spans, "time", clock)
    turn, _ = Play(Bench().service(), ScriptedModel([])).prepare()
    with (
        caplog.at_level(logging.DEBUG, logger=LOGGER),
        call_log.log_calls(turn),
        suppress(Exception, asyncio.CancelledError),
        ModelCall(SILENT, "m", "ana"),
    ):
        clock.now += 1.5
        if error is not None:
            raise error
    (line,) = lines_of(caplog)
    assert line == {"service": "test", "agent": "ana", "model": "m", "ms": 1500, "outcome": outcome}


@pytest.mark.parametrize("known", [True, False])
async def test_a_model_call_is_logged_with_the_tokens_that_its_server_counted(
    known: bool, caplog: pytest.LogCaptureFixture
) -> None:
    usage: Any = SimpleNamespace(
        input_tokens=90 if known else None,
        output_tokens=10 if known else None,
        total_tokens=100 if known else None,
        input_tokens_details=SimpleNamespace(cached_tokens=40 if known else None),
        output_tokens_details=SimpleNamespace(reasoning_tokens=3) if known else None,
    )
    response = Response.model_construct(output=[], usage=usage)
    answer = ResponseCompletedEvent.model_construct(type="response.completed", response=response)
    turn, _ = Play(Bench().service(), ScriptedModel([])).prepare()
    with (
        caplog.at_level(logging.DEBUG, logger=LOGGER),
        call_log.log_calls(turn),
        ModelCall(SILENT, "m", "ana") as call,
    ):
        call.note_event(answer)
    (line,) = lines_of(caplog)
    tokens = {name: count for name, count in line.items() if name.endswith("tokens")}
    counted = (90, 40, 10, 3) if known else (0, 0, 0, 0)
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
    assert tokens == dict(zip(names, counted, strict=True))


async def test_a_call_of_a_tool_is_logged_with_its_time(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(call_log, "time", clock)
    turn, _ = Play(Bench().service(), ScriptedModel([])).prepare()
    with caplog.at_level(logging.DEBUG, logger=LOGGER), call_log.log_calls(turn):
        call_log.note_tool_start("c1", "look", "ana")
        clock.now += 1.5
        call_log.log_tool_end("c1", "done")
        call_log.log_tool_end("c1", "done")
        call_log.log_tool_end("c2", "done")
    (line,) = [each.fields for each in caplog.records]  # type: ignore[attr-defined]
    assert line == {
        "service": "test",
        "agent": "ana",
        "tool": "look",
        "call_id": "c1",
        "ms": 1500,
        "outcome": "done",
    }
    call_log.note_tool_start("c3", "look", "ana")
    call_log.log_tool_end("c3", "done")
    assert len(caplog.records) == 1, "outside of a run nothing is logged"
