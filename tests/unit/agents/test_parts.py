"""The small parts of the runner: progress, services, settings of models, codes, and what stays private."""

import asyncio
import gc
import importlib
import json
import os
import subprocess
import sys
import weakref
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, function_tool
from agents.retry import ModelRetryNormalizedError, RetryPolicyContext
from pydantic import BaseModel, SecretStr

from server.agents.context import RunContext
from server.agents.model.providers import OneModel, ServerModels, model_settings, provider
from server.agents.run.events.progress import INTERVAL_S, ProgressReporters
from server.agents.run.tool_calls import as_json
from server.agents.service import Service, Team, find_services, hands_over
from server.agents.tools import declaration_of, tool
from server.errors import CannotStart, Unavailable
from server.protocol.codec import decode_event, encode_event
from server.protocol.shown_state import public_state
from server.settings import Settings
from tests.parts.wait import PATIENCE_S
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Bench, Ctx, ScriptedModel, assistant_message, function_call


async def test_a_tool_reads_what_the_caller_gave_the_session() -> None:
    @tool(effect="read")
    async def read_order(ctx: Ctx) -> str:
        """Read the order."""
        return str(ctx.context.session_context["session_extra_data"]["core_id"])

    agent = Agent[RunContext](name="first", tools=[read_order])
    service = Service(name="test", start="first", agents=lambda: {"first": agent})
    model = ScriptedModel([[function_call("read_order", {}, call_id="c1")], [assistant_message("Lida.")]])
    await Play(service, model, context={"session_extra_data": {"core_id": "core-7"}}).say("olá")
    assert "core-7" in str(model.calls[1].input)


async def test_progress_leaves_ten_times_a_second_and_the_newest_is_not_lost() -> None:
    told: list[tuple[float, float]] = []
    loop = asyncio.get_running_loop()
    newest = asyncio.Event()

    def tell(event: dict[str, Any]) -> None:
        told.append((loop.time(), event["content"]["progress"]))
        if event["content"]["progress"] == 1.0:
            newest.set()

    began = loop.time()
    tellers = ProgressReporters(
        tell, lambda: began
    )  # However long the five hundred take here, no time passes.
    for n in range(1, 501):
        tellers.tell("c1", n / 500, "a", None)
    async with asyncio.timeout(PATIENCE_S):
        await newest.wait()
    assert [progress for _, progress in told] == [0.002, 1.0]
    assert told[1][0] - told[0][0] >= INTERVAL_S * 0.9


async def test_progress_that_waits_is_told_before_the_end_of_its_call_and_not_after_the_run() -> None:
    told: list[dict[str, Any]] = []
    tellers = ProgressReporters(told.append)
    tellers.tell("c1", 0.1, "a", None)
    tellers.tell("c1", 0.9, "a", "b")
    tellers.end_call("c1")
    assert [e["content"]["progress"] for e in told] == [0.1, 0.9]
    tellers.tell("c2", 0.1, "a", None)
    tellers.tell("c2", 0.2, "a", None)
    tellers.close()
    tellers.end_call("c2")
    assert len(told) == 3


async def test_progress_is_paced_by_what_left_last_and_a_call_that_begins_anew_is_not_late() -> None:
    assert INTERVAL_S == 0.1
    told: list[float] = []
    left = asyncio.Event()
    now = 1000.0

    def tell(event: dict[str, Any]) -> None:
        told.append(event["content"]["progress"])
        left.set()

    async def next_one() -> None:
        left.clear()
        async with asyncio.timeout(PATIENCE_S):
            await left.wait()

    tellers = ProgressReporters(tell, lambda: now)
    tellers.tell("c1", 0.1, "a", None)
    tellers.tell("c1", 0.2, "a", None)
    now += 0.1
    await next_one()
    now += 0.05
    tellers.tell("c1", 0.3, "a", None)
    assert told == [0.1, 0.2], "it is too early for the third"
    await next_one()
    assert told == [0.1, 0.2, 0.3]
    tellers.end_call("c1")
    tellers.tell("c1", 0.4, "a", None)
    assert told == [0.1, 0.2, 0.3, 0.4]
    tellers.tell("c1", 0.5, "a", None)
    tellers.tell("c2", 0.6, "a", None)
    tellers.tell("c2", 0.7, "a", None)
    tellers.end_call("c1")
    tellers.close()
    ended = weakref.ref(tellers)
    gc.disable()
    try:
        del tellers
        assert ended() is None, "no timer is left"
    finally:
        gc.enable()


def test_services_are_found_by_being_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "found_services"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "_words.py").write_text("service = 'not one'")
    text = "from server.agents.service import Service\nservice = Service(name='sell', start='a', agents=dict)"
    (folder / "one.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert list(find_services(importlib.import_module("found_services"))) == ["sell"]


ONE = "from server.agents.service import Service\nservice = Service(name='sell', start='a', agents=dict)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Module refused_services.two has no service"),
        ("service = 'not one'", "Module refused_services.two has no service"),
        (ONE, "Modules refused_services.one and refused_services.two have services of one name, 'sell'."),
    ],
    ids=["none", "not one", "the same name"],
)
def test_a_module_without_a_service_and_a_second_one_of_a_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, sentence: str
) -> None:
    folder = tmp_path / "refused_services"
    folder.mkdir()
    for name, content in {"__init__": "", "one": ONE, "two": text}.items():
        (folder / f"{name}.py").write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        with pytest.raises(CannotStart) as refused:
            find_services(importlib.import_module("refused_services"))
    finally:
        for name in [each for each in sys.modules if each.startswith("refused_services")]:
            del sys.modules[name]
    assert str(refused.value).startswith(sentence)


def test_a_service_that_starts_with_nobody_of_its_team_is_refused_at_the_start() -> None:
    with pytest.raises(
        CannotStart, match="its start 'third' is no agent of its team; there are first, second"
    ):
        Play(replace(Bench().service(), start="third"), ScriptedModel([])).runner()


class Prices(dict[str, int]):
    """The resource of a test's service."""


async def test_a_tool_works_with_what_its_service_names_and_with_nothing_else() -> None:
    @tool(effect="read")
    async def price(ctx: Ctx) -> int:
        """Look it up."""
        with pytest.raises(KeyError):
            ctx.context.resource(dict)
        return ctx.context.resource(Prices)["phone"]

    bench = Bench()
    bench.tools = lambda: [price]  # type: ignore[method-assign]
    script = ScriptedModel([[function_call("price", {}, call_id="c")], [assistant_message("a")]])
    resources: dict[type, Any] = {Prices: Prices(phone=89), dict: {}}
    play = Play(replace(bench.service(), deps=(Prices,)), script, resources=resources)
    out = await play.say()
    assert play.result is not None
    assert [json.loads(each["output"]) for each in play.result.items if "output" in each] == [89], out.events


def test_a_service_that_needs_what_the_server_does_not_have_is_refused_at_the_start() -> None:
    with pytest.raises(CannotStart, match="needs Prices, which the server does not have"):
        Play(replace(Bench().service(), deps=(Prices,)), ScriptedModel([])).runner()


def test_private_data_is_stored_but_in_no_public_state() -> None:
    assert public_state({"a": 1, "_private": {"token": "x"}}) == {"a": 1}


async def test_private_data_can_not_be_told_by_set_state() -> None:
    @tool(effect="read")
    async def leak(ctx: Ctx) -> str:
        """Try."""
        ctx.context.set_state(_private={"a": 1})
        return "ok"

    bench = Bench()
    bench.tools = lambda: [leak]  # type: ignore[method-assign]
    play = Play(
        bench.service(), ScriptedModel([[function_call("leak", {}, call_id="c")], [assistant_message("a")]])
    )
    out = await play.say()
    assert out.of("TOOL_CALL_RESULT")[0]["metadata"]["loopwire"]["status"] == "failed"
    assert play.state == {}


async def test_a_tool_that_lacks_a_part_of_ours_says_so_and_is_no_bug_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @tool(effect="read")
    async def look(ctx: Ctx) -> str:
        """Try."""
        raise Unavailable

    bench = Bench()
    bench.tools = lambda: [look]  # type: ignore[method-assign]
    script = ScriptedModel([[function_call("look", {}, call_id="c")], [assistant_message("a")]])
    out = await Play(bench.service(), script).say()
    assert out.of("TOOL_CALL_RESULT")[0]["metadata"]["loopwire"]["status"] == "failed"
    assert [each.levelname for each in caplog.records if "look" in each.getMessage()] == ["WARNING"]
    assert not any(each.exc_info for each in caplog.records)


async def test_half_a_character_in_a_call_and_in_what_it_gives_stops_nothing() -> None:
    @tool(effect="once", args=lambda given: given, result=lambda value: value)
    async def echo(ctx: Ctx, word: str) -> dict[str, str]:
        """Try."""
        return {"word": word}

    bench = Bench()
    bench.tools = lambda: [echo]  # type: ignore[method-assign]
    script = ScriptedModel(
        [[function_call("echo", {"word": "a\ud83d"}, call_id="c")], [assistant_message("a")]]
    )
    play = Play(bench.service(), script)
    out = await play.say()
    assert play.result is not None and play.result.outcome == "success"
    assert out.of("TOOL_CALL_RESULT")[0]["metadata"]["loopwire"]["status"] == "done"
    shown = [decode_event(encode_event(each)) for each in out.events]
    assert [json.loads(each["delta"]) for each in shown if each["type"] == "TOOL_CALL_ARGS"] == [
        {"word": "a\ufffd"}
    ]
    assert json.dumps(script.calls[-1], ensure_ascii=False, default=str).encode(), (
        "the next request can be sent"
    )


def test_a_tool_must_be_async_and_take_the_context() -> None:
    with pytest.raises(TypeError):

        @tool(effect="read")
        def slow(ctx: Ctx) -> str:  # type: ignore[misc]
            """A thread cannot be stopped."""
            return ""

    with pytest.raises(TypeError):

        @tool(effect="read")
        async def alone() -> str:
            """No context."""
            return ""


async def test_a_foreign_tool_that_needs_a_person_interrupts_the_run_and_is_never_allowed_by_us() -> None:
    done: list[str] = []

    @function_tool(needs_approval=True)
    async def refund(ctx: Ctx) -> str:
        """Give money back."""
        done.append("refund")
        return "ok"

    bench = Bench()
    bench.tools = lambda: [refund]  # type: ignore[method-assign]
    model = ScriptedModel([[assistant_message("Posso?"), function_call("refund", {}, call_id="c9")]])
    play = Play(bench.service(), model)
    turn, out = play.prepare()
    await play.go(turn, out)
    assert declaration_of(refund).effect == "read"
    assert play.result is not None and play.result.outcome == "interrupt"
    assert [(each.call_id, each.kind) for each in play.result.interrupts] == [("c9", "approval")]
    again = replace(turn, checkpoint=out.checkpoints[-1])
    await play.go(again, play.prepare()[1])
    assert play.result.outcome == "interrupt" and done == []


async def test_the_sentence_of_an_interrupt_is_plain_where_it_is_stored() -> None:
    @tool(effect="write", approval=lambda run, arguments: f"Pay\x1b[31m {arguments['to']}?")
    async def pay(ctx: Ctx, to: str) -> str:
        """Pay somebody."""
        return "ok"

    bench = Bench()
    bench.tools = lambda: [pay]  # type: ignore[method-assign]
    play = Play(bench.service(), ScriptedModel([[function_call("pay", {"to": "Ana\x07\r\n"}, call_id="c9")]]))
    out = await play.say("oi")
    assert play.result is not None
    assert [each.message for each in play.result.interrupts] == ["Pay[31m Ana\n?"]
    assert "\\u001b" not in json.dumps(out.of("RUN_FINISHED"))


def test_the_provider_is_the_demo_without_a_key_and_a_server_with_one() -> None:
    demo = ScriptedModel([])
    plain = provider(Settings(), demo)
    assert isinstance(plain, OneModel) and plain.demo and plain.get_model(None) is demo
    for api, kind in (("chat", "FastChatModel"), ("responses", "FastResponsesModel")):
        made = provider(
            Settings(OPENAI_API_KEY=SecretStr("k"), LOOPWIRE_MODEL="m", LOOPWIRE_MODEL_API=api), demo
        )
        assert isinstance(made, ServerModels) and not made.demo
        assert type(made.get_model(None)).__name__ == kind
        assert made.get_model(None) is made.get_model("m")


@pytest.mark.parametrize(
    ("error", "repeated"),
    [
        (ModelRetryNormalizedError(status_code=429), True),
        (ModelRetryNormalizedError(status_code=429, error_code="insufficient_quota"), False),
        (ModelRetryNormalizedError(status_code=429, retry_after=60.0), False),
        (ModelRetryNormalizedError(status_code=400), False),
        (ModelRetryNormalizedError(status_code=500), True),
        (ModelRetryNormalizedError(is_network_error=True), True),
        (ModelRetryNormalizedError(is_network_error=True, is_timeout=True), False),
    ],
)
def test_a_model_request_is_retried_only_after_a_transient_failure(
    error: ModelRetryNormalizedError, repeated: bool
) -> None:
    retry = model_settings().retry
    assert retry is not None and retry.policy is not None
    context = RetryPolicyContext(error=Exception(), attempt=1, max_retries=2, stream=True, normalized=error)
    assert retry.policy(context).retry is repeated


def test_sdk_traces_and_data_logs_stay_off_whatever_the_environment_says() -> None:
    code = (
        "import server.services\n"
        "from agents import _debug, gen_trace_id\n"
        "from agents.tracing import get_trace_provider\n"
        "assert _debug.DONT_LOG_MODEL_DATA and _debug.DONT_LOG_TOOL_DATA\n"
        "assert get_trace_provider()._multi_processor._processors == ()\n"
    )
    env = {
        **os.environ,
        "OPENAI_API_KEY": "sk-x",
        "OPENAI_AGENTS_DONT_LOG_MODEL_DATA": "0",
        "OPENAI_AGENTS_DONT_LOG_TOOL_DATA": "0",
    }
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_service_without_a_status_has_none() -> None:
    service = Service(name="x", start="a", agents=dict)
    assert service.status({"a": 1}) == (None, "")


@dataclass(frozen=True)
class Priced:
    """A result of a tool."""

    euros: int
    on: date


def test_a_result_of_a_tool_becomes_plain_json() -> None:
    class Named(BaseModel):
        on: date

    assert as_json(Named(on=date(2026, 1, 2))) == {"on": "2026-01-02"}
    assert as_json(Priced(3, date(2026, 1, 2))) == {"euros": 3, "on": "2026-01-02"}
    assert as_json(Priced) is Priced
    assert as_json(["a", 1]) == ["a", 1]


def two_agents(*tools: Any, name: str = "one") -> Service:
    """Return a service of two agents, each with a tool of its own."""

    def team() -> Team:
        last = Agent[RunContext](name="last", tools=list(tools[1:]))
        first = Agent[RunContext](name=name, tools=list(tools[:1]), handoffs=[hands_over(last)])
        return {first.name: first, last.name: last}

    return Service("shop", name, team)


def named(name: str) -> Any:
    """A tool of this name."""

    async def body(ctx: Ctx, word: str) -> str:
        """Say a word."""
        return word

    body.__name__ = name
    return tool(effect="once", timeout_s=3.0, approval="approval.ask")(body)


def test_the_tools_of_a_team_are_registered_with_all_that_they_declare() -> None:
    look, other = named("look"), named("other")
    tools = two_agents(look, look, other).tools()
    assert list(tools) == ["look", "other"] and tools["look"].agents == ("one", "last")
    told = tools["look"]
    assert (told.description, told.effect, told.timeout_s, told.approval) == (
        "Say a word.",
        "once",
        3.0,
        "approval.ask",
    )
    assert told.schema["required"] == ["word"]


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        (["look", "look"], "two tools are called 'look'"),
        (["other", "look", "look"], "two tools are called 'look'"),
        (["transfer_to_last"], "'transfer_to_last' has the name of a handoff"),
        (["other", "transfer_to_one"], "'transfer_to_one' has the name of a handoff"),
    ],
)
def test_a_name_that_means_two_things_ends_the_start_with_a_sentence(tools: list[str], sentence: str) -> None:
    with pytest.raises(CannotStart, match=sentence):
        two_agents(*map(named, tools)).team()
