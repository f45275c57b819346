"""The begin of a run and its checkpoints: the agent and the counts that it goes on with, and its call ids."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from agents import Agent, Usage
from agents.testing import ModelStep

from server.agents.context import RunContext
from server.agents.run.types import RunInput
from server.agents.service import RunLimits, Service, hands_over
from server.agents.tools import tool
from server.protocol.blocks import Choice, Choices
from server.protocol.shown_state import PRIVATE
from server.store.rows import Checkpoint
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Bench, Ctx, ScriptedModel, assistant_message, function_call
from tests.unit.agents.test_take_over import brain, taken_over


def look(call_id: str, word: str = "x") -> Any:
    return function_call("look", {"word": word}, call_id=call_id)


def shown_ids(out: Recorder) -> list[str]:
    """Return the ids of the calls that were shown."""
    return [each["toolCallId"] for each in out.of("TOOL_CALL_START")]


async def left(play: Play, **changes: Any) -> tuple[RunInput, list[Checkpoint]]:
    """Run to the end; gives the input and the checkpoints, as if the process had died."""
    turn, out = play.prepare("oi", **changes)
    await play.go(turn, out)
    return turn, out.checkpoints


# Checkpoints.


async def test_a_run_that_only_speaks_has_nothing_to_keep() -> None:
    play = Play(Bench().service(), ScriptedModel([[assistant_message("Olá.")]]))
    assert (await left(play))[1] == []
    assert play.result is not None and play.result.response is None


async def test_an_answer_with_calls_is_kept_once_with_all_that_they_gave() -> None:
    calls = [assistant_message("Vejo."), look("c1", "one"), look("c2", "two")]
    _, (kept,) = await left(Play(Bench().service(), ScriptedModel([calls, [assistant_message("ok")]])))
    assert kept.run_state is not None
    assert "ONE" in kept.run_state and "TWO" in kept.run_state
    assert [each["role"] for each in kept.messages].count("tool") == 2
    assert kept.agent == "first"
    written = json.loads(kept.run_state)
    assert (set(written), written["v"]) == ({"v", "sdk", "tally", "history"}, 1), (
        "the version before reads it too"
    )


async def test_a_handoff_is_kept_with_the_agent_that_goes_on() -> None:
    script = [[function_call("transfer_to_second", {}, call_id="h1")], [assistant_message("ok")]]
    _, (kept,) = await left(Play(Bench().service(), ScriptedModel(script)))
    assert kept.agent == "second"


async def test_a_call_that_waited_for_its_checkpoint_is_kept_with_what_it_gave() -> None:
    _, kept = await left(Play(Bench().service(), brain()))
    states = [each.run_state or "" for each in kept]
    assert '\\"paid\\": 5' in states[-1]
    assert not any('\\"paid\\": 5' in each for each in states[:-1])


# What a run that is taken over goes on with.


async def test_a_state_that_nobody_can_read_leaves_its_agent() -> None:
    turn, checkpoints = await left(Play(Bench().service(), brain()))
    of_second = next(each for each in checkpoints if each.agent == "second")
    out = await taken_over(Play(Bench().service(), brain()), turn, replace(of_second, run_state=None))
    assert out.of("STEP_STARTED")[0]["stepName"] == "second"


def two_apart() -> Service:
    """Return a service of two agents who cannot hand over to each other."""
    tools = Bench().tools()
    team = {each: Agent[RunContext](name=each, tools=tools) for each in ("first", "second")}
    return Service(name="test", start="first", agents=lambda: team)


async def test_the_agent_of_the_conversation_goes_on_though_the_first_one_does_not_know_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = [[look("c1")], [assistant_message("Pronto.")]]
    turn, (kept,) = await left(Play(two_apart(), ScriptedModel(script), agent="second"))
    turn = replace(turn, session=replace(turn.session, agent="second"))
    with caplog.at_level(logging.WARNING, logger="server.agents.run.checkpoints"):
        out = await taken_over(Play(two_apart(), ScriptedModel(script[1:])), turn, kept)
    assert out.text() == "Pronto."
    assert [each.getMessage() for each in caplog.records if "checkpoint" in each.getMessage()] == []


async def test_the_tokens_of_the_attempt_before_are_the_runs_own() -> None:
    usage = Usage(requests=1, input_tokens=90, output_tokens=10, total_tokens=100)
    script = [
        ModelStep(output=[look("c1")], usage=usage),
        ModelStep(output=[assistant_message("ok")], usage=usage),
    ]
    first = Play(Bench().service(), ScriptedModel(script))
    turn, (kept,) = await left(first)
    assert first.result is not None and first.result.usage["totalTokens"] == 200
    second = Play(Bench().service(), ScriptedModel(script[1:]))
    await taken_over(second, turn, kept)
    assert second.result is not None
    assert second.result.usage == {
        "model": "scripted",
        "inputTokens": 180,
        "outputTokens": 20,
        "totalTokens": 200,
    }


SAID = [{"id": "m1", "role": "assistant", "content": "Já disse."}]
HELD = Choices(legend="Qual?", name="product", choices=(Choice("1", "Um"),)).to_content()


@pytest.mark.parametrize(
    ("messages", "state", "outcome"),
    [(SAID, {}, "success"), ([], {PRIVATE: {"_held": {"blk_1": HELD}}}, "success"), ([], {}, "error")],
    ids=["words", "a question", "nothing"],
)
async def test_messages_of_an_earlier_attempt_count_as_an_answer(
    messages: list[Any], state: dict[str, Any], outcome: str
) -> None:
    play = Play(Bench().service(), ScriptedModel([[assistant_message("")]]))
    turn, _ = play.prepare("oi")
    out = await taken_over(play, turn, Checkpoint(None, messages, state, [], "first"))
    assert play.result is not None and play.result.outcome == outcome
    blocks = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT") if each["activityType"] == "block"]
    assert blocks == ([HELD] if state else []), "a question that was held back is asked"


async def test_a_run_that_waits_and_is_taken_over_after_the_answer_reads_the_history_once() -> None:
    said = [{"role": "user", "content": "olá"}, {"role": "assistant", "content": "Sim."}]
    read: list[list[Any]] = []

    @tool(effect="once", approval="May I?")
    async def give(ctx: Ctx) -> str:
        """Give."""
        return "given"

    def service() -> Service:
        agent = Agent[RunContext](name="first", tools=[give])
        return Service(name="test", start="first", agents=lambda: {"first": agent})

    def last_words(asked: Any) -> list[Any]:
        read.append([each.get("content") for each in asked.input if "role" in each])
        return [assistant_message("Pronto.")]

    play = Play(service(), ScriptedModel([[function_call("give", {}, call_id="c1")]]), history=list(said))
    await play.say("dá-me")
    assert play.result is not None and play.result.resume is not None
    yes = {"type": "resume", "call_id": "c1", "kind": "approval", "status": "resolved"}
    goes_on = Play(
        service(),
        ScriptedModel([ModelStep.respond(last_words)]),
        history=list(play.history),
        ledger=play.ledger,
    )
    turn, out = goes_on.prepare(content=[{**yes, "payload": {"approved": True}}])
    await goes_on.go(replace(turn, checkpoint=play.result.resume), out)
    again = Play(
        service(), ScriptedModel([ModelStep.respond(last_words)]), history=list(said), ledger=play.ledger
    )
    await taken_over(again, turn, out.checkpoints[-1])
    assert read == [["olá", "Sim.", "dá-me"]] * 2


async def test_a_checkpoint_of_a_version_that_did_not_say_so_has_the_history_in_its_input() -> None:
    said = [{"role": "user", "content": "olá"}, {"role": "assistant", "content": "Sim."}]
    model = ScriptedModel([[look("c1")], [assistant_message("ok")]])
    turn, (kept,) = await left(Play(Bench().service(), model, history=list(said)))
    written = json.loads(kept.run_state or "")
    del written["history"]
    written["sdk"]["original_input"] = [*said, *written["sdk"]["original_input"]]
    model = ScriptedModel([[assistant_message("ok")]])
    again = replace(kept, run_state=json.dumps(written))
    await taken_over(Play(Bench().service(), model, history=list(said)), turn, again)
    read = [each.get("content") for each in model.calls[0].input if "role" in each]
    assert read == ["olá", "Sim.", "oi"]


# The ids of calls.


async def test_a_call_id_of_an_earlier_run_is_made_unique() -> None:
    script = [[look("call_0")], [assistant_message("um")], [look("call_0")], [assistant_message("dois")]]
    play = Play(Bench().service(), ScriptedModel(script))
    first, second = [await play.say() for _ in range(2)]
    assert shown_ids(first) == ["call_0"]
    assert shown_ids(second) != ["call_0"]


@pytest.mark.parametrize(("items", "is_kept"), [(2, True), (3, False)])
async def test_call_ids_of_a_provider_are_replaced_when_the_history_is_cut(items: int, is_kept: bool) -> None:
    history = [{"role": "user", "content": f"{n}"} for n in range(items)]
    bench = Bench(limits=RunLimits(history_items=2))
    model = ScriptedModel([[look("call_9")], [assistant_message("ok")]])
    out = await Play(bench.service(), model, history=history).say("oi")
    assert (shown_ids(out) == ["call_9"]) is is_kept
    assert [each["content"] for each in model.calls[0].input] == [f"{items - 2}", f"{items - 1}", "oi"]


# Its end.


async def test_a_run_that_is_stopped_before_it_begins_shows_nothing_and_names_the_agent_of_its_conversation() -> (
    None
):
    play = Play(Bench().service(), ScriptedModel([]), agent="second")
    turn, out = play.prepare("oi")
    out.cancelled.set()
    await play.go(turn, out)
    assert play.result is not None
    assert (play.result.outcome, play.result.agent, play.result.usage) == ("cancelled", "second", {})
    assert out.types() == []


async def test_pictures_and_the_history_are_both_read() -> None:
    history = [{"role": "user", "content": "olá"}, {"role": "assistant", "content": "Sim."}]
    model = ScriptedModel([[assistant_message("Vejo.")]])
    play = Play(Bench().service(), model, history=list(history))
    turn, out = play.prepare(
        content=[{"type": "text", "text": "Este?"}, {"type": "image", "blob_id": "blb_1"}]
    )
    await play.go(replace(turn, pictures={"blb_1": "data:image/png;base64,eA=="}), out)
    first, second, third = model.calls[0].input
    assert [first, second] == history
    assert [each.get("image_url") for each in third["content"]] == [None, "data:image/png;base64,eA=="]
    assert play.result is not None
    assert "data:image" not in json.dumps(play.result.items), "the bytes are not stored with the words"


@pytest.mark.parametrize(
    ("limits", "code"), [(RunLimits(tool_calls=1), "limit"), (RunLimits(tool_failures=2), "tool_failed")]
)
async def test_calls_of_tools_that_do_not_exist_count_as_calls_that_failed(
    limits: RunLimits, code: str
) -> None:
    script = [[function_call("made_up", {}, call_id=f"c{n}")] for n in range(2)]
    play = Play(Bench(limits=limits).service(), ScriptedModel([*script, [assistant_message("ok")]]))
    await play.say()
    assert play.result is not None and play.result.code == code


async def test_an_agent_that_is_named_as_it_is_is_handed_over_to_without_a_reason() -> None:
    second = Agent[RunContext](name="second")
    first = Agent[RunContext](name="first", handoffs=[second])
    team = {"first": first, "second": second}
    script = [[function_call("transfer_to_second", {}, call_id="h1")], [assistant_message("ok")]]
    play = Play(Service(name="test", start="first", agents=lambda: team), ScriptedModel(script))
    out = await play.say()
    (shown,) = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT")]
    assert shown == {"from": "first", "to": "second", "reason": "", "status": "done"}


async def test_a_handoff_of_an_odd_name_is_shown_as_one_and_not_as_a_call() -> None:
    def team() -> dict[str, Agent[RunContext]]:
        second = Agent[RunContext](name="second")
        way = hands_over(second)
        way.tool_name = "go_to_second"
        return {"first": Agent(name="first", handoffs=[way]), "second": second}

    script = ScriptedModel([[function_call("go_to_second", {}, call_id="h1")], [assistant_message("ok")]])
    out = await Play(Service(name="test", start="first", agents=team), script).say()
    assert shown_ids(out) == []
    assert [each["stepName"] for each in out.of("STEP_STARTED")] == ["first", "second"]
