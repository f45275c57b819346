"""Reasoning over the wires of a model's server: a summary that a service asks for is shown, raw thoughts never are."""

from __future__ import annotations

from typing import Any

import pytest
from agents import Agent, ModelSettings
from openai.types.shared import Reasoning as AskedReasoning

from server.agents.context import RunContext
from server.agents.model.providers import ServerModels
from server.agents.run.events.shown_reasoning import MOST_CHARACTERS
from server.agents.service import Service, ServicesError
from server.protocol.events import ours
from server.services.translator import service as translator
from tests.modelserver import Call, ModelServer, Pace, Plan, Reasoning, Scripted, Text
from tests.modelserver.request import ModelRequest
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Bench

THOUGHT = "**Looking**\n\nIt may be a phone."


def play_of(models: ServerModels, *, shows: bool | None = True) -> Play:
    """Return a play of one agent that has a tool, over the model's server."""
    bench = Bench()
    service = Service("test", "first", bench.service().agents, shows_reasoning=shows)
    return Play(service, models)


def script(server: ModelServer, *plans: Plan) -> None:
    """Let the server answer so."""
    assert isinstance(server.brain, Scripted)
    server.brain.extend(plans)


def requests_of(server: ModelServer) -> list[ModelRequest]:
    """Return what the server was asked."""
    assert isinstance(server.brain, Scripted)
    return server.brain.requests


def thoughts(out: Recorder) -> list[dict[str, Any]]:
    """Return the summaries among the messages."""
    return [each for each in out.transcript.messages if each["role"] == "reasoning"]


async def test_a_summary_streams_as_a_message_before_the_answer(
    server: ModelServer, models: ServerModels, api: str
) -> None:
    script(server, Plan([Reasoning(THOUGHT), Text("A phone.")]))
    play = play_of(models)
    out = await play.say("What is it?")
    assert play.result is not None and play.result.outcome == "success" and out.text() == "A phone."
    asked = requests_of(server)[0].body.get("reasoning")
    if api == "chat":
        assert asked is None and thoughts(out) == []
        return
    assert asked == {"summary": "auto"}
    (thought,) = thoughts(out)
    own = ours(thought)
    assert thought["content"] == THOUGHT and own["duration_ms"] >= 0 and "truncated" not in own
    assert (own["agent"], "open" in own) == ("first", False)
    roles = [each["role"] for each in out.transcript.messages]
    assert roles == ["user", "reasoning", "assistant"]
    assert len(out.of("REASONING_MESSAGE_START")) == len(out.of("REASONING_MESSAGE_END")) == 1


@pytest.mark.parametrize("api", ["responses"], indirect=True)
async def test_raw_thoughts_are_hidden_and_so_is_a_summary_of_a_service_that_shows_none(
    server: ModelServer, models: ServerModels
) -> None:
    """The server that is asked for no summary sends `reasoning_text`, as servers of open models do."""
    script(server, Plan([Reasoning(THOUGHT), Text("A phone.")]))
    models.asks_for_summaries = True
    play = play_of(models, shows=False)
    out = await play.say("What is it?")
    assert requests_of(server)[0].body.get("reasoning") is None
    assert thoughts(out) == [] and out.text() == "A phone."
    assert not [each for each in out.types() if each.startswith("REASONING")]


@pytest.mark.parametrize("api", ["responses"], indirect=True)
async def test_a_summary_is_no_history_and_each_step_of_a_run_has_its_own(
    server: ModelServer, models: ServerModels
) -> None:
    script(
        server,
        Plan([Reasoning("First."), Call("look", {"word": "x"}, "c1")]),
        Plan([Reasoning("Second."), Text("Done.")]),
        Plan([Text("Again.")]),
    )
    play = play_of(models)
    out = await play.say("Look.")
    assert [each["content"] for each in thoughts(out)] == ["First.", "Second."]
    assert [each["role"] for each in out.transcript.messages] == [
        "user", "reasoning", "assistant", "tool", "reasoning", "assistant",
    ]  # fmt: skip
    await play.say("Go on.")
    assert "First." not in str(play.history)
    assert not [each for each in requests_of(server)[2].items if each.get("type") == "reasoning"]
    assert "First." not in str(requests_of(server)[2].items)
    kept = out.checkpoints[-1].messages
    assert [each["content"] for each in kept if each["role"] == "reasoning"] == ["First."]


@pytest.mark.parametrize("api", ["responses"], indirect=True)
async def test_the_summaries_of_a_run_have_one_limit_and_say_that_there_was_more(
    server: ModelServer, models: ServerModels
) -> None:
    half = "é" * (MOST_CHARACTERS // 2 + 1)
    script(
        server,
        Plan(
            [Reasoning(half), Call("look", {"word": "x"}, "c1")],
            pace=Pace(chunking=lambda text: iter([text])),
        ),
        Plan(
            [Reasoning(half), Call("look", {"word": "y"}, "c2")],
            pace=Pace(chunking=lambda text: iter([text])),
        ),
        Plan([Reasoning("No room."), Text("Done.")]),
    )
    out = await play_of(models).say("Look.")
    shown = thoughts(out)
    assert sum(len(each["content"]) for each in shown) == MOST_CHARACTERS
    assert ["truncated" in ours(each) for each in shown] == [False, True]
    assert out.text() == "Done."


@pytest.mark.parametrize("api", ["responses"], indirect=True)
async def test_a_summary_without_an_end_ends_the_run(server: ModelServer, models: ServerModels) -> None:
    script(server, Plan([Reasoning("x" * (2 << 20))], pace=Pace(chunking=lambda text: iter([text] * 2))))
    play = play_of(models)
    out = await play.say("Think.")
    assert play.result is not None and (play.result.outcome, play.result.code) == ("error", "limit")
    assert sum(len(each["content"]) for each in thoughts(out)) <= MOST_CHARACTERS


async def test_the_settings_of_an_agent_stay_beside_the_summary(
    server: ModelServer, models: ServerModels, api: str
) -> None:
    asked = ModelSettings(temperature=0.5, reasoning=AskedReasoning(effort="low"))
    agent = Agent[RunContext](name="first", model_settings=asked)
    script(server, Plan([Text("Olá.")]))
    service = Service("test", "first", lambda: {"first": agent}, shows_reasoning=True)
    await Play(service, models).say()
    body = requests_of(server)[0].body
    assert body["temperature"] == 0.5
    if api == "responses":
        assert body["reasoning"] == {"effort": "low", "summary": "auto"}
    else:
        assert body["reasoning_effort"] == "low"


def test_a_service_that_answers_requests_shows_no_reasoning() -> None:
    """A request may have private fields, which stand in no conversation."""
    service = Service(
        "test", translator.start, translator.agents, contract=translator.contract, shows_reasoning=True
    )
    with pytest.raises(ServicesError, match="cannot show reasoning"):
        service.team()
