"""The log lines of calls: which run, which agent, how long and how it ended, at DEBUG alone."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from server import log as logs
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


async def test_above_debug_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert await played(caplog, logging.INFO) == []
