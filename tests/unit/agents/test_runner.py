"""The runner with a scripted model: its events, its history, its end."""

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Agent
from agents.testing import ModelStep

from server.agents.context import RunContext
from server.agents.model.answer_size import MOST_MESSAGE_BYTES
from server.agents.service import RunLimits, Service, Team, hands_over
from server.agents.tools import tool
from server.errors import Fenced
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Bench, Ctx, ScriptedModel, assistant_message, function_call


def call(tool: str, call_id: str, **arguments: object) -> object:
    return function_call(tool, arguments, call_id=call_id)


async def test_a_text_is_told_within_its_agents_step_and_kept_for_the_next_turn() -> None:
    model = ScriptedModel([[assistant_message("Olá, tudo bem?")], [assistant_message("Adeus.")]])
    play = Play(Bench().service(), model)
    out = await play.say("oi")
    assert out.types() == [
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
    ]
    assert out.text() == "Olá, tudo bem?"
    assert out.of("TEXT_MESSAGE_START")[1]["name"] == "first"
    assert play.result is not None and play.result.outcome == "success" and play.result.agent == "first"
    assert [item["role"] for item in play.result.items] == ["user", "assistant"]
    await play.say("tchau")
    assert [item.get("role") for item in model.calls[1].input] == ["user", "assistant", "user"]
    assert play.result.code is None


async def test_a_tool_shows_only_its_public_view_and_the_model_gets_json() -> None:
    model = ScriptedModel([[call("look", "c1", word="abc")], [assistant_message("ABC")]])
    play = Play(Bench().service(), model)
    out = await play.say()
    assert out.types() == [
        "STEP_STARTED",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
    ]
    assert json.loads(out.of("TOOL_CALL_ARGS")[0]["delta"]) == {"word": "abc"}
    [result] = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"upper": "ABC"}
    assert result["metadata"]["loopwire"]["status"] == "done"
    assert "s3cret" not in json.dumps(out.events)
    assert json.loads(model.calls[1].input[-1]["output"]) == {"upper": "ABC", "secret": "s3cret"}


async def test_a_handoff_is_told_as_one_and_the_next_turn_starts_at_the_new_agent() -> None:
    model = ScriptedModel(
        [
            [assistant_message("Um momento."), call("transfer_to_second", "h1")],
            [assistant_message("Sou o segundo.")],
            [assistant_message("Ainda aqui.")],
        ]
    )
    play = Play(Bench().service(), model)
    out = await play.say()
    types = out.types()
    at = types.index("STEP_FINISHED")
    assert types[at - 1 : at + 3] == ["STATE_DELTA", "STEP_FINISHED", "ACTIVITY_SNAPSHOT", "STEP_STARTED"]
    [row] = out.of("ACTIVITY_SNAPSHOT")
    assert row["content"] == {"from": "first", "to": "second", "reason": "confirmado", "status": "done"}
    assert [e["name"] for e in out.of("TEXT_MESSAGE_START")[1:]] == ["first", "second"]
    assert play.result is not None and play.result.agent == "second"
    assert play.state == {"handed": 1}
    assert len(out.checkpoints) == 1 and out.checkpoints[0].agent == "second"
    await play.say()
    assert model.calls[2].system_instructions == "You are second."


async def test_progress_blocks_and_state_of_a_tool_are_told_in_order() -> None:
    fractions = [n / 50 for n in range(51)]
    model = ScriptedModel(
        [[call("show", "c1", fractions=fractions)], [call("answer", "c2")], [assistant_message("ok")]]
    )
    play = Play(Bench().service(), model)
    out = await play.say()
    shown = [e["content"]["progress"] for e in out.of("ACTIVITY_SNAPSHOT") if "progress" in e["content"]]
    assert shown[0] == 0.0 and shown[-1] == 1.0 and len(shown) < 10
    order = out.types()
    assert order.index("TOOL_CALL_RESULT") < order.index("STATE_DELTA")
    # Answered before it was asked: it is shown once, folded.
    [block] = [e for e in out.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "block"]
    assert block["content"]["status"] == "answered" and block["content"]["answer"]["label"] == "Um"
    assert play.state == {}


async def test_a_question_is_asked_after_the_words_and_answered_in_its_place() -> None:
    asking = [[call("show", "c1", fractions=[])], [assistant_message("Which one?")]]
    play = Play(
        Bench().service(), ScriptedModel([*asking, [call("answer", "c2")], [assistant_message("ok")]])
    )
    out = await play.say()
    assert [m["role"] for m in out.transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "activity",
    ]
    assert out.transcript.messages[-1]["content"]["status"] == "open"
    assert out.types()[-2:] == ["ACTIVITY_SNAPSHOT", "STEP_FINISHED"]
    asked = out.transcript.messages[-1]["id"]
    [closing] = (await play.say()).of("ACTIVITY_DELTA")
    assert closing["messageId"] == asked and closing["patch"][0]["value"] == "answered"


async def test_a_question_that_is_closed_before_it_is_asked_is_shown_once_with_its_answer() -> None:
    both = [call("show", "c1", fractions=[])], [call("answer", "c2")], [assistant_message("ok")]
    out = await Play(Bench().service(), ScriptedModel(list(both))).say()
    [block] = [e["content"] for e in out.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "block"]
    assert (block["status"], block["answer"]["value"]) == ("answered", "1")
    assert [e for e in out.of("ACTIVITY_DELTA") if e["activityType"] == "block"] == []


async def test_a_question_that_was_held_back_survives_a_take_over_and_a_stop() -> None:
    asking = [[call("show", "c1", fractions=[])], [call("wait", "c2", name="never")]]
    bench = Bench()
    play = Play(bench.service(), ScriptedModel(asking))
    turn, out = play.prepare()
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await bench.entered.get()
    assert [e for e in out.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "block"] == []
    [kept] = out.checkpoints[-1].state["_private"]["_held"].values()
    assert kept["kind"] == "choices" and kept["status"] == "open"
    out.cancelled.set()
    await running
    [block] = [e for e in out.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "block"]
    assert block["content"]["status"] == "open" and "_held" not in str(play.state)


async def test_parallel_tools_end_each_in_its_own_time_and_five_at_once_at_most() -> None:
    bench = Bench()
    names = "abcdefg"
    model = ScriptedModel([[call("wait", f"c_{n}", name=n) for n in names], [assistant_message("ok")]])
    play = Play(bench.service(), model)
    turn, out = play.prepare()
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    assert sorted([await bench.entered.get() for _ in range(5)]) == list("abcde")
    bench.gate("b").set()
    await out.until(lambda: len(out.of("TOOL_CALL_RESULT")) == 1)
    assert out.of("TOOL_CALL_RESULT")[0]["toolCallId"] == "c_b"
    for name in names:
        bench.gate(name).set()
    await running
    assert bench.most == 5 and len(out.of("TOOL_CALL_RESULT")) == 7


async def test_failing_tools_tell_the_model_nothing_of_why_and_the_third_in_a_row_ends_the_run() -> None:
    model = ScriptedModel(
        [[call("fail", "c1")], [call("hang", "c2")], [call("refuse", "c3")], [assistant_message("never")]]
    )
    play = Play(Bench().service(), model)
    out = await play.say()
    assert play.result is not None
    assert (play.result.outcome, play.result.code) == ("error", "tool_failed")
    statuses = [e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")]
    assert statuses == ["failed", "failed", "failed"]
    assert "secret" not in json.dumps(play.result.items) and "secret" not in json.dumps(out.events)
    assert [m.get("type") for m in play.result.items[1:]].count("function_call_output") == 3
    assert out.transcript.run is not None and out.transcript.run.code == "tool_failed"


async def test_wrong_arguments_and_unknown_tools_are_shown_as_failed_and_the_model_may_repair() -> None:
    model = ScriptedModel(
        [
            [function_call("look", '{"word": ', call_id="c1"), function_call("nothing", {}, call_id="c2")],
            [call("look", "c3", word="x")],
            [assistant_message("ok")],
        ]
    )
    play = Play(Bench().service(), model)
    out = await play.say()
    assert play.result is not None and play.result.outcome == "success"
    by_call = {e["toolCallId"]: e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")}
    assert by_call == {"c1": "failed", "c2": "failed", "c3": "done"}


async def test_a_result_over_32_kb_is_cut_for_the_model() -> None:
    model = ScriptedModel([[call("big", "c1")], [assistant_message("ok")]])
    await Play(Bench().service(), model).say()
    output = model.calls[1].input[-1]["output"]
    assert len(output.encode()) < 33 * 1024 and json.loads(output)["cut"] is True


async def test_call_ids_that_repeat_are_made_unique() -> None:
    model = ScriptedModel(
        [[call("look", "call_0", word="a")], [call("look", "call_0", word="b")], [assistant_message("ok")]]
    )
    out = await Play(Bench().service(), model).say()
    ids = [e["toolCallId"] for e in out.of("TOOL_CALL_START")]
    assert len(set(ids)) == 2 and ids[0] == "call_0"


@pytest.mark.parametrize("limits", [RunLimits(model_calls=3), RunLimits(tool_calls=2)])
async def test_limits_end_the_run_with_what_there_is(limits: RunLimits) -> None:
    model = ScriptedModel([[assistant_message("a"), call("look", f"c{n}", word="x")] for n in range(9)])
    play = Play(Bench(limits=limits).service(), model)
    out = await play.say()
    assert play.result is not None and (play.result.outcome, play.result.code) == ("error", "limit")
    said = [i for i in play.result.items if i.get("role") == "assistant"]
    assert len(said) == len(out.text()) == 3
    calls = {i["call_id"] for i in play.result.items if i.get("type") == "function_call"}
    outputs = {i["call_id"] for i in play.result.items if i.get("type") == "function_call_output"}
    assert calls == outputs


async def test_a_run_calls_twenty_tools_and_no_more() -> None:
    bench = Bench()
    four = [[call("look", f"c{turn}{each}", word="x") for each in range(4)] for turn in range(6)]
    play = Play(bench.service(), ScriptedModel(four))
    await play.say()
    assert play.result is not None and (play.result.outcome, play.result.code) == ("error", "limit")
    assert len(bench.done) == 20


async def test_the_deadline_ends_the_run_with_code_limit() -> None:
    model = ScriptedModel([[assistant_message("Vou ver."), call("wait", "c1", name="never")]])
    play = Play(Bench().service(), model, deadline_s=1.5)
    out = await play.say()
    assert play.result is not None and (play.result.outcome, play.result.code) == ("error", "limit")
    assert play.result.items[1] == {"role": "assistant", "content": "Vou ver."}
    assert out.of("TOOL_CALL_RESULT")[0]["metadata"]["loopwire"]["status"] == "stopped"


async def test_a_stop_during_a_tool_keeps_text_and_finished_calls() -> None:
    bench = Bench()
    turn_one = [assistant_message("Já vou."), call("look", "c1", word="x"), call("wait", "c2", name="never")]
    play = Play(bench.service(), ScriptedModel([turn_one]))
    turn, out = play.prepare()
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await out.until(lambda: len(out.of("TOOL_CALL_RESULT")) == 1)
    out.cancelled.set()
    await running
    assert play.result is not None and play.result.outcome == "cancelled"
    items = play.result.items
    assert items[1] == {"role": "assistant", "content": "Já vou."}
    outputs = {i["call_id"]: json.loads(i["output"]) for i in items if i.get("output")}
    assert outputs["c1"]["upper"] == "X" and outputs["c2"]["error"] == "stopped"
    assert out.transcript.run is not None and out.transcript.run.outcome == {"type": "cancelled"}
    assert bench.done == ["look x"]


async def test_a_stop_before_the_start_asks_no_model() -> None:
    model = ScriptedModel([])
    play = Play(Bench().service(), model)
    turn, out = play.prepare("oi")
    out.cancelled.set()
    await play.go(turn, out)
    assert play.result is not None and play.result.items == [{"role": "user", "content": "oi"}]
    assert model.calls == [] or not list(model.calls)


@pytest.mark.parametrize(
    "place", ["TEXT_MESSAGE_CONTENT", "TOOL_CALL_START", "TOOL_CALL_RESULT", "STEP_STARTED"]
)
async def test_a_lost_lease_is_raised_and_nothing_is_told_after_it(place: str) -> None:
    model = ScriptedModel(
        [[assistant_message("Olá"), call("look", "c1", word="x")], [assistant_message("b")]]
    )
    play = Play(Bench().service(), model)
    turn, out = play.prepare()
    out.open()

    def refuse(event: dict[str, object]) -> None:
        if event["type"] == place:
            raise Fenced

    out.on = refuse
    with pytest.raises(Fenced):
        await play.runner().run(turn, out)
    assert out.events[-1]["type"] == place


async def test_an_exception_of_the_scripted_model_is_internal_and_told_to_nobody() -> None:
    model = ScriptedModel([ModelStep.raise_error(RuntimeError("db://secret"))])
    play = Play(Bench().service(), model)
    out = await play.say()
    assert play.result is not None and (play.result.outcome, play.result.code) == ("error", "internal")
    assert "secret" not in json.dumps(out.events) + json.dumps(play.result.items)


async def test_a_handoff_whose_condition_does_not_hold_is_refused_and_the_model_told() -> None:
    model = ScriptedModel([[call("transfer_to_first", "h1")], [assistant_message("Fico.")]])
    play = Play(Bench().service(), model, agent="second")
    out = await play.say()
    assert play.result is not None and (play.result.outcome, play.result.agent) == ("success", "second")
    assert out.types()[:2] == ["STEP_STARTED", "TEXT_MESSAGE_START"]
    assert not any("first" in str(e) for e in out.of("STEP_STARTED"))
    assert model.calls[1].input[-1]["type"] == "function_call_output"


async def test_of_two_handoffs_at_once_the_first_wins_and_none_is_shown_as_a_tool() -> None:
    model = ScriptedModel(
        [
            [
                call("transfer_to_second", "h1"),
                call("transfer_to_second", "h2"),
                call("look", "c1", word="x"),
            ],
            [assistant_message("ok")],
        ]
    )
    play = Play(Bench().service(), model)
    out = await play.say()
    assert play.result is not None and play.result.outcome == "success"
    assert [e["toolCallId"] for e in out.of("TOOL_CALL_START")] == ["c1"]
    assert len(out.of("STEP_STARTED")) == 2


async def test_a_failure_to_publish_a_tool_result_does_not_end_the_run() -> None:
    model = ScriptedModel([[call("look", "c1", word="x")], [assistant_message("ok")]])
    play = Play(Bench().service(), model)
    turn, out = play.prepare()

    def refuse(event: dict[str, object]) -> None:
        if event["type"] == "TOOL_CALL_RESULT":
            raise OSError("the log is away")

    out.on = refuse
    await play.go(turn, out)
    assert play.result is not None and play.result.outcome == "success"


async def test_a_run_left_at_a_checkpoint_causes_no_error_at_garbage_collection() -> None:
    model = ScriptedModel([[call("look", "c1", word="x")], [assistant_message("ok")]])
    play = Play(Bench().service(), model)
    turn, out = play.prepare()
    troubles: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context["message"]))

    def refuse(_: object) -> None:
        raise Fenced("another one has it")

    out.on_checkpoint = refuse
    with pytest.raises(Fenced):
        await play.go(turn, out)
    for _ in range(3):
        gc.collect()
        await asyncio.sleep(0)
    assert troubles == []


@pytest.mark.conformance
async def test_an_error_of_the_model_at_the_moment_in_which_the_run_is_left_is_not_logged_as_forgotten() -> (
    None
):
    class Fails(ScriptedModel):
        asked, fails = asyncio.Event(), asyncio.Event()

        async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
            self.asked.set()
            await self.fails.wait()
            raise ConnectionError("the model is gone")
            yield

    model = Fails([])
    play = Play(Bench().service(), model)
    troubles: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context["message"]))
    going = asyncio.create_task(play.go(*play.prepare()))
    await model.asked.wait()
    model.fails.set()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    for _ in range(3):
        gc.collect()
        await asyncio.sleep(0)
    assert troubles == []


async def test_an_agent_that_no_longer_exists_gives_way_to_the_services_first() -> None:
    play = Play(Bench().service(), ScriptedModel([[assistant_message("ok")]]), agent="gone")
    out = await play.say()
    assert out.of("STEP_STARTED")[0]["stepName"] == "first"


async def test_a_once_call_and_a_handoff_in_one_answer_happen_in_this_order() -> None:
    bench = Bench()
    model = ScriptedModel(
        [
            [call("pay", "c1", amount=5, key=None), call("transfer_to_second", "h1")],
            [assistant_message("Pago.")],
        ]
    )
    play = Play(bench.service(), model)
    out = await play.say()
    assert play.result is not None and (play.result.outcome, play.result.agent) == ("success", "second")
    types = out.types()
    assert types.index("TOOL_CALL_RESULT") < types.index("STEP_FINISHED")
    assert bench.done == ["pay 5"] and play.state["paid"] == 5
    names = [item.get("name") for item in play.result.items if item.get("type") == "function_call"]
    assert names == ["pay", "transfer_to_second"]


async def test_agents_used_as_tools_count_against_the_same_limits() -> None:
    inner = Agent[RunContext](name="inner", instructions="Inner.")
    bench = Bench(limits=RunLimits(model_calls=3))
    bench.tools = lambda: [inner.as_tool("ask_inner", "Ask.")]  # type: ignore[method-assign]
    steps = [
        [call("ask_inner", "c1", input="a")],
        [assistant_message("de dentro")],
        [assistant_message("ok")],
    ]
    play = Play(bench.service(), ScriptedModel(steps))
    out = await play.say()
    assert play.result is not None and play.result.outcome == "success"
    assert out.text() == "ok"
    assert [e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")] == ["done"]


async def test_an_answer_of_an_agent_used_as_a_tool_that_is_too_long_reaches_no_other_agent() -> None:
    inner = Agent[RunContext](name="inner", instructions="Inner.")
    bench = Bench()
    bench.tools = lambda: [inner.as_tool("ask_inner", "Ask.")]  # type: ignore[method-assign]
    too_long = assistant_message("x" * (MOST_MESSAGE_BYTES + 1))
    steps = [[call("ask_inner", "c1", input="a")], [too_long], [assistant_message("ok")]]
    play = Play(bench.service(), ScriptedModel(steps))
    await play.say()
    assert play.result is not None
    outputs = [item["output"] for item in play.result.items if item.get("type") == "function_call_output"]
    assert play.result.outcome == "success" and len(outputs) == 1
    assert outputs[0].startswith("An error occurred")


@pytest.mark.parametrize("said", ["", " \n"])
async def test_an_answer_without_any_words_is_an_error_that_says_so(said: str) -> None:
    play = Play(Bench().service(), ScriptedModel([[call("look", "c1", word="x")], [assistant_message(said)]]))
    out = await play.say()
    assert play.result is not None
    assert (play.result.outcome, play.result.code) == ("error", "empty_answer")
    assert [e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")] == ["done"]


async def test_a_block_or_words_before_a_call_are_an_answer() -> None:
    shown = ScriptedModel([[call("show", "c1", fractions=[])], [assistant_message("")]])
    spoken = ScriptedModel([[assistant_message("Já vi."), call("look", "c1", word="x")], []])
    for model in (shown, spoken):
        play = Play(Bench().service(), model)
        await play.say()
        assert play.result is not None and play.result.outcome == "success"


async def test_the_reason_of_a_handoff_is_that_of_the_call_that_hands_over() -> None:
    """Another call of the same answer has an argument of the same name, and ends with the agent's name."""

    @tool(effect="read")
    async def ask_second(ctx: Ctx, reason: str) -> str:
        """Ask."""
        return reason

    bench = Bench()
    bench.tools = lambda: [ask_second]  # type: ignore[method-assign]
    answer = [call("ask_second", "c1", reason="não é esta"), call("transfer_to_second", "h1")]
    out = await Play(bench.service(), ScriptedModel([answer, [assistant_message("ok")]])).say()
    (shown,) = [e["content"] for e in out.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "handoff"]
    assert shown["reason"] == "confirmado"


async def test_of_two_ways_to_one_agent_the_reason_is_that_of_the_way_that_was_taken() -> None:
    def team() -> Team:
        second = Agent[RunContext](name="second", instructions="Second.")
        ways = [hands_over(second, reason=each) for each in ("primeira", "segunda")]
        ways[1].tool_name = "transfer_by_the_other_way"
        return {"first": Agent(name="first", instructions="First.", handoffs=[*ways]), "second": second}

    script = ScriptedModel([[call("transfer_by_the_other_way", "h1")], [assistant_message("ok")]])
    out = await Play(Service(name="test", start="first", agents=team), script).say()
    (shown,) = [e["content"] for e in out.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "handoff"]
    assert shown["reason"] == "segunda"


async def test_a_label_that_is_a_key_of_the_words_is_told_as_its_sentence() -> None:
    script = ScriptedModel([[call("show", "c1", fractions=[0.5])], [assistant_message("ok")]])
    out = await Play(Bench().service(), script).say()
    (told,) = [e["content"] for e in out.of("ACTIVITY_SNAPSHOT") if "progress" in e["content"]]
    assert told["label"] == "A guardar no catálogo de artigos"
