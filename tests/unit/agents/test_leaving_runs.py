"""The end of a run in the runner: its cost, the events of a stop or a leaving process, and its settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest
from agents import Agent, Usage
from agents.testing import ModelStep

from server.agents.context import RunContext
from server.agents.model.providers import OneModel
from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.agents.tools import tool
from server.agents.tools.search_server import SearchServer
from server.agents.tools.web_search import WebSearch, web_search
from server.errors import Fenced
from server.prices import Price, Prices
from server.protocol.blocks import Notice
from tests.parts.searching import searching
from tests.unit.agents.outlet import NoConversations, Play, Recorder, run_row
from tests.unit.agents.teams import Bench, Ctx, ScriptedModel, assistant_message, function_call

USAGE = Usage(requests=1, input_tokens=90, output_tokens=10, total_tokens=100)
COST = {"costNano": 90 * 2_000 + 10 * 3_000, "currency": "USD"}


@dataclass
class Plain(Play):
    """A play whose runner is made as a process makes it, with these parts."""

    parts: Mapping[str, Any] = field(default_factory=dict)

    def runner(self) -> AgentRunner:
        """Return it."""
        return AgentRunner(
            OneModel(self.model, "scripted"),
            {self.service.name: self.service},
            conversations=NoConversations(),
            **self.parts,
        )


class Costing(Recorder):
    """A way out that keeps what a run cost."""

    costs: list[dict[str, Any]]

    def note_cost(self, usage: dict[str, Any]) -> None:
        """Keep it."""
        self.costs = [*getattr(self, "costs", []), usage]


def priced(script: list[Any]) -> tuple[Plain, Any, Costing]:
    """Return a run whose model has a price."""
    prices = Prices({"scripted": Price(input=Decimal(2), output=Decimal(3))})
    play = Plain(Bench().service(), ScriptedModel(script), parts={"prices": prices})
    turn, out = play.prepare()
    return play, turn, Costing(out.run_id, out.session_id, out.content, ledger=out.ledger)


async def test_a_run_is_told_with_what_it_cost() -> None:
    play, turn, out = priced([ModelStep(output=[assistant_message("Olá.")], usage=USAGE)])
    await play.go(turn, out)
    assert play.result is not None
    assert play.result.usage == {
        "model": "scripted",
        "inputTokens": 90,
        "outputTokens": 10,
        "totalTokens": 100,
        **COST,
    }
    assert out.costs == [play.result.usage]


async def test_a_run_that_another_holder_took_has_cost_the_same() -> None:
    play, turn, out = priced([ModelStep(output=[assistant_message("Olá.")], usage=USAGE)])

    def refuse(event: dict[str, Any]) -> None:
        if event["type"] == "STEP_FINISHED":
            raise Fenced

    out.on = refuse
    with pytest.raises(Fenced):
        await play.go(turn, out)
    (cost,) = out.costs
    assert cost.items() >= COST.items()


async def test_without_a_price_the_cost_is_unknown() -> None:
    step = ModelStep(output=[assistant_message("Olá.")], usage=USAGE)
    play = Plain(Bench().service(), ScriptedModel([step]))
    await play.say()
    assert play.result is not None and "costNano" not in play.result.usage


async def test_without_settings_a_model_is_asked_for_its_usage_and_again_when_it_fails_for_a_moment() -> None:
    model = ScriptedModel([[assistant_message("Olá.")]])
    await Plain(Bench().service(), model).say()
    settings = model.calls[0].model_settings
    assert settings.include_usage is True
    assert settings.retry is not None and settings.retry.max_retries == 2


class Slow:
    """A tool that shows something, hangs, and takes its time to end when it is cancelled."""

    def __init__(self) -> None:
        self.begun, self.may_end, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def service(self) -> Service:
        """Return a service of one agent that has it."""

        @tool(effect="read")
        async def work(ctx: Ctx) -> str:
            """Work for ever."""
            ctx.context.block(Notice("Begun", "Half of it.", "info"))
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                await self.may_end.wait()
                self.ended.set()
            return ""

        agent = Agent[RunContext](name="first", tools=[work])
        return Service(name="test", start="first", agents=lambda: {"first": agent})

    def play(self) -> Play:
        """Return a run that calls it."""
        return Play(self.service(), ScriptedModel([[function_call("work", {}, call_id="c1")]]))


def has_notice(out: Recorder) -> bool:
    return any(each["activityType"] == "block" for each in out.of("ACTIVITY_SNAPSHOT"))


async def test_a_stop_is_shown_before_a_tool_has_ended() -> None:
    slow = Slow()
    play = slow.play()
    turn, out = play.prepare()
    going = asyncio.create_task(play.go(turn, out))
    await slow.begun.wait()
    assert not has_notice(out)
    out.cancelled.set()
    await out.until(lambda: has_notice(out))
    assert not slow.ended.is_set()
    slow.may_end.set()
    await going
    assert play.result is not None and play.result.outcome == "cancelled"
    assert slow.ended.is_set(), "a run ends after its tools"


async def test_a_process_that_leaves_ends_the_tools_of_its_runs_and_shows_what_they_showed() -> None:
    slow = Slow()
    slow.may_end.set()
    play = slow.play()
    turn, out = play.prepare()
    going = asyncio.create_task(play.go(turn, out))
    await slow.begun.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert slow.ended.is_set()
    assert has_notice(out)


def finder() -> Service:
    """Return a service of one agent that searches the web."""

    def team() -> dict[str, Agent[RunContext]]:
        return {"first": Agent(name="first", tools=[web_search])}

    return Service(name="test", start="first", agents=team)


FOUND = {"url": "https://shop.example/", "title": "Shop", "content": "Phones."}


async def test_an_agent_searches_with_the_operators_server() -> None:
    script = [[function_call("web_search", {"query": "phones"}, call_id="c1")], [assistant_message("ok")]]
    async with searching() as engine:
        engine.body = {"results": [FOUND]}
        server = SearchServer(engine.url)
        model = ScriptedModel(script)
        play = Plain(finder(), model, parts={"search": WebSearch(server)})
        out = await play.say(language="pt")
        assert engine.asked == [{"path": "/search", "q": "phones", "format": "json", "language": "pt-PT"}]
        assert "Phones." in str(model.calls[1].input)
        (args,), (result,) = out.of("TOOL_CALL_ARGS"), out.of("TOOL_CALL_RESULT")
        assert (args["delta"], result["content"]) == ('{"query": "phones"}', '{"total": 1}')
        engine.status = 500
        model = ScriptedModel(script)
        await Plain(finder(), model, parts={"search": WebSearch(server)}).say(language="en")
        assert "search_unavailable" in str(model.calls[1].input)
        assert "The search does not answer. Go on without sources." in str(model.calls[1].input)
        await server.aclose()


async def test_a_models_own_server_searches_and_says_what_it_read() -> None:
    model = ScriptedModel([[assistant_message("Olá.")]])
    await Plain(finder(), model, parts={"search": WebSearch(by_model=True)}).say()
    assert model.calls[0].model_settings.response_include == ["web_search_call.action.sources"]
    assert [each.name for each in model.calls[0].tools] == ["web_search"]


def test_a_page_may_not_bring_a_tool_that_the_agents_know() -> None:
    runner = Play(Bench().service(), ScriptedModel([])).runner()
    names = ["look", "transfer_to_nobody", "open_door"]
    assert runner.taken_names("demo", "test", names) == {"look", "transfer_to_nobody"}


def test_a_request_for_a_run_that_is_not_traced_continues_the_trace_of_its_input() -> None:
    runner = Play(Bench().service(), ScriptedModel([])).runner()
    given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    found = runner.context_of(run_row([], trace_context=given))
    assert found is not None and str(found) == given
    assert runner.context_of(run_row([])) is None


async def test_a_tool_continues_the_trace_of_the_input_of_a_run_that_is_not_traced() -> None:
    sent: list[dict[str, str]] = []

    @tool(effect="read")
    async def look(ctx: Ctx) -> str:
        """Look."""
        sent.append(ctx.context.trace_headers())
        return ""

    agent = Agent[RunContext](name="first", tools=[look])
    service = Service(name="test", start="first", agents=lambda: {"first": agent})
    given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    for trace_context in (given, None):
        play = Play(
            service, ScriptedModel([[function_call("look", {}, call_id="c1")], [assistant_message("ok")]])
        )
        turn, out = play.prepare()
        await play.go(replace(turn, run=replace(turn.run, trace_context=trace_context)), out)
    assert sent == [{"traceparent": given}, {}]
