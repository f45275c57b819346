"""A model that never stops: its answer ends as `limit`, what was shown of it is stored, and nothing more is read."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from server.agents.model.answer_size import MOST_MESSAGE_BYTES, MOST_MESSAGES, MOST_WIRE_BYTES
from server.agents.model.providers import ServerModels
from server.agents.service import RunLimits
from tests.modelserver import Call, ModelServer, Pace, Plan, Reasoning, Scripted, Text
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Bench

PIECE = "é" * 1024


def forever() -> Iterator[str]:
    """Text without an end."""
    while True:
        yield PIECE


def pieces(text: str) -> Iterator[str]:
    """Return a long text in pieces."""
    return (text[at : at + 1024] for at in range(0, len(text), 1024))


async def ask_model(server: ModelServer, models: ServerModels, plan: Plan, **limits: Any) -> tuple[Play, Any]:
    """Ask a model that answers like this."""
    assert isinstance(server.brain, Scripted)
    server.brain.extend([plan])
    play = Play(Bench(limits=RunLimits(**limits)).service(), models)
    out = await play.say("oi")
    return play, out


def code(play: Play) -> str | None:
    """Return why it ended."""
    assert play.result is not None
    return play.result.code


async def test_a_message_without_an_end_is_cut_at_its_most_bytes_and_stored_as_shown(
    server: ModelServer, models: ServerModels
) -> None:
    play, out = await ask_model(server, models, Plan([Text(pieces=forever)]))
    assert code(play) == "limit"
    assert MOST_MESSAGE_BYTES - 4 < len(out.text().encode()) <= MOST_MESSAGE_BYTES
    assert play.result is not None
    assert play.result.items[-1] == {"role": "assistant", "content": out.text()}
    (shown,) = [each for each in out.transcript.messages if each["role"] == "assistant"]
    assert shown["content"] == out.text()
    assert len(json.dumps(out.transcript.snapshot_events("ses_1"), ensure_ascii=False).encode()) < 300_000
    assert play.result.usage["estimatedTokens"] >= MOST_MESSAGE_BYTES // 8
    await server.until(lambda: server.gone == 1)


async def test_an_answer_is_measured_against_the_tokens_of_its_run_while_it_streams(
    server: ModelServer, models: ServerModels
) -> None:
    play, out = await ask_model(server, models, Plan([Text(pieces=forever)]), tokens=5_000)
    assert code(play) == "limit"
    assert 20_000 <= len(out.text().encode()) < 100_000


@pytest.mark.parametrize(
    "output",
    [
        Call("look", '{"word": "' + "x" * MOST_MESSAGE_BYTES * 8 + '"}'),
        Call("look", '{"word": "' + "x" * MOST_MESSAGE_BYTES + '"}'),
        Reasoning("x" * MOST_MESSAGE_BYTES * 8),
    ],
    ids=["arguments without an end", "arguments that are too long", "reasoning"],
)
async def test_arguments_and_reasoning_beyond_the_limit_end_the_run(
    server: ModelServer, models: ServerModels, output: Any
) -> None:
    bench_plan = Plan([output], pace=Pace(chunking=pieces))
    play, out = await ask_model(server, models, bench_plan)
    assert code(play) == "limit"
    assert play.result is not None and len(json.dumps(play.result.items)) < 10_000
    assert out.of("TOOL_CALL_START") == []


async def test_an_answer_has_only_so_many_messages(
    server: ModelServer, models: ServerModels, api: str
) -> None:
    play, out = await ask_model(server, models, Plan([Text("Olá. ")] * (MOST_MESSAGES * 2)))
    shown = [each for each in out.transcript.messages if each["role"] == "assistant"]
    if api == "chat":  # Has one message in an answer.
        assert code(play) is None and len(shown) == 1
    else:
        assert code(play) == "limit" and len(shown) == MOST_MESSAGES


@pytest.mark.parametrize("models", ["fast"], indirect=True)
async def test_an_event_without_an_end_is_not_read_to_it(server: ModelServer, models: ServerModels) -> None:
    play, out = await ask_model(server, models, Plan([Text(pieces=["x" * (MOST_WIRE_BYTES + 1)])]))
    assert code(play) == "limit"
    assert out.text() == "" and len(server.requests) == 1
