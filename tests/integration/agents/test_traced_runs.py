"""The trace of a run, as a collector receives it: it tells of trouble, and holds no private content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from agents import (
    Agent,
    Usage,
    agent_span,
    function_tool,
    set_trace_processors,
    set_tracing_disabled,
    trace,
)
from agents.testing import ModelStep

from server.agents.context import RunContext
from server.agents.model.providers import OneModel
from server.agents.run.runner import AgentRunner
from server.agents.run.trace_spans import current, trace_run
from server.agents.service import Service
from server.agents.tools import tool
from server.errors import Fenced
from server.settings import Settings
from server.tracing import SILENT, Tracer, tracer
from tests.parts.collector import Collector, collecting
from tests.unit.agents.outlet import NoConversations, Play
from tests.unit.agents.teams import Bench, Ctx, ScriptedModel, assistant_message, function_call
from tests.unit.agents.test_request_run import PRICE, WHY, contract
from tests.unit.agents.test_request_run import service as answering

LEVEL, MESSAGE = "langfuse.observation.level", "langfuse.observation.status_message"


class Traced(Play):
    """A play whose runner is traced."""

    traces: Tracer

    def runner(self) -> AgentRunner:
        """Return it."""
        inner = super().runner()
        services = {self.service.name: self.service}
        return AgentRunner(inner.provider, services, conversations=NoConversations(), tracer=self.traces)


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Yield a collector; the SDK makes no spans after it."""
    with collecting() as serving:
        yield serving
    set_trace_processors([])
    set_tracing_disabled(True)


@asynccontextmanager
async def traced(
    collector: Collector, script: list[Any], service: Service | None = None
) -> AsyncIterator[Traced]:
    """Give a play whose trace, with its content, the collector has at the end of the block."""
    settings = Settings(otlp_endpoint=f"{collector.url}/", secret_text="x" * 32, trace_content=True)
    play = Traced(service or Bench().service(), OneModel(ScriptedModel(script), "scripted-1"))
    play.traces = tracer(settings)
    yield play
    await play.traces.aclose()


def marks(collector: Collector, name: str) -> tuple[Any, Any]:
    """Return the level of the one observation of this name, and why."""
    found = collector.one(name).attributes
    return found.get(LEVEL), found.get(MESSAGE)


async def test_a_run_that_failed_is_marked_with_its_code(collector: Collector) -> None:
    async with traced(collector, [RuntimeError("db://secret")]) as play:
        await play.say()
    assert marks(collector, "test") == ("ERROR", "internal")
    assert collector.one("test").attributes["loopwire.code"] == "internal"
    assert marks(collector, "scripted-1") == ("ERROR", "RuntimeError")
    assert current() is SILENT, "what comes after a run is no part of it"


async def test_a_run_that_was_stopped_is_a_warning(collector: Collector) -> None:
    bench = Bench()
    async with traced(
        collector, [[function_call("wait", {"name": "g"}, call_id="c1")]], bench.service()
    ) as play:
        turn, out = play.prepare()
        going = asyncio.ensure_future(play.go(turn, out))
        await bench.entered.get()
        out.cancelled.set()
        await going
    assert marks(collector, "test") == ("WARNING", "cancelled")
    assert "loopwire.code" not in collector.one("test").attributes


class Hanging(ScriptedModel):
    """A model that never answers."""

    asked = asyncio.Event()

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Say nothing."""
        self.asked.set()
        await asyncio.Event().wait()
        yield


async def test_a_model_call_that_was_stopped_is_a_warning(collector: Collector) -> None:
    async with traced(collector, []) as play:
        model = Hanging([])
        model.asked = asyncio.Event()
        play.model = OneModel(model, "scripted-1")
        turn, out = play.prepare()
        going = asyncio.ensure_future(play.go(turn, out))
        await model.asked.wait()
        out.cancelled.set()
        await going
    assert marks(collector, "scripted-1") == ("WARNING", "stopped")


async def test_a_run_that_another_holder_took_is_a_warning(collector: Collector) -> None:
    async with traced(collector, [[assistant_message("Olá.")]]) as play:
        turn, out = play.prepare()
        out.open()

        def refuse(event: dict[str, Any]) -> None:
            raise Fenced

        out.on = refuse
        with pytest.raises(Fenced):
            await play.runner().run(turn, out)
    assert marks(collector, "test") == ("WARNING", "Fenced")


async def test_a_foreign_tool_that_failed_is_marked(collector: Collector) -> None:
    @function_tool
    async def refund(order: str) -> str:
        """Give money back."""
        raise ValueError("db://secret")

    agent = Agent[RunContext](name="first", tools=[refund])
    service = Service(name="test", start="first", agents=lambda: {"first": agent})
    script = [[function_call("refund", {"order": "1"}, call_id="c1")], [assistant_message("ok")]]
    async with traced(collector, script, service) as play:
        await play.say()
    assert marks(collector, "refund") == ("ERROR", "failed")
    assert marks(collector, "first") == (None, None)
    assert b"db://secret" not in b"".join(collector.bodies)


async def test_a_trace_has_the_tokens_of_a_model_call_and_its_first_output_time(collector: Collector) -> None:
    usage = Usage(requests=1, input_tokens=90, output_tokens=10, total_tokens=100)
    async with traced(collector, [ModelStep(output=[assistant_message("Olá.")], usage=usage)]) as play:
        await play.say("oi")
    call = collector.one("scripted-1").attributes
    assert call["langfuse.observation.usage_details"] == '{"input": 90, "output": 10, "total": 100}'
    assert "langfuse.observation.completion_start_time" in call
    root = collector.one("test").attributes
    assert root["loopwire.usage.totalTokens"] == 100
    assert "loopwire.usage.model" not in root
    assert (root["langfuse.observation.input"], root["langfuse.observation.output"]) == ("oi", '["Olá."]')


async def test_a_trace_has_no_content_of_a_request_with_private_fields(collector: Collector) -> None:
    for private in (frozenset({"token"}), frozenset[str]()):
        service = answering(contract(private=private))
        async with traced(collector, [[PRICE], [WHY]], service) as play:
            turn, out = play.prepare(
                content=[{"type": "input", "data": {"article": "canary-word"}, "text": "phone"}]
            )
            await play.go(turn, out)
        calls = [each.attributes for each in collector.spans() if each.name == "scripted-1"]
        assert len(calls) == 2
        shown = [
            name
            for call in calls
            for name in call
            if name in ("langfuse.observation.input", "langfuse.observation.output")
        ]
        assert len(shown) == (0 if private else 4)
        collector.requests.clear()
        collector.bodies.clear()


async def test_a_span_that_is_still_open_at_the_end_of_its_run_is_told(collector: Collector) -> None:
    async with traced(collector, []) as play:
        play.runner()
        turn, _ = play.prepare()
        with trace_run(play.traces, turn), trace("open"):
            left = agent_span("left")
            left.start()
    assert collector.one("left").parent == collector.one("test").id


async def test_a_run_whose_input_has_no_trace_gives_its_own_on(collector: Collector) -> None:
    sent: list[dict[str, str]] = []

    @tool(effect="read")
    async def look(ctx: Ctx) -> str:
        """Look."""
        sent.append(ctx.context.trace_headers())
        return ""

    agent = Agent[RunContext](name="first", tools=[look])
    service = Service(name="test", start="first", agents=lambda: {"first": agent})
    script = [[function_call("look", {}, call_id="c1")], [assistant_message("ok")]]
    async with traced(collector, script, service) as play:
        await play.say()
    seen = collector.one("look")
    assert sent == [{"traceparent": f"00-{seen.trace}-{seen.id}-01"}]
