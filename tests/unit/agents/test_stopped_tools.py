"""A run that is stopped in the middle of a tool: its effects until then are published, since they are stored."""

import asyncio
import json

import pytest

from server.agents.context import RunContext
from server.agents.run.tool_calls import Effect
from server.agents.service import Service
from server.agents.tools import ToolContext, tool
from server.protocol.blocks import Choice, Choices, Notice
from server.protocol.shown_state import PRIVATE
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Agent, ScriptedModel, function_call


def halfway(begun: asyncio.Event) -> Service:
    """Return a service whose only tool changes state, shows a notice and a question, and then never ends."""

    @tool(effect="read")
    async def begin(ctx: ToolContext[RunContext]) -> str:
        """Begin and never end."""
        ctx.context.set_state(begun=True)
        ctx.context.block(Notice("Begun", "Half of it.", "info"))
        ctx.context.private["asked"] = ctx.context.block(
            Choices(legend="Which?", name="product", choices=(Choice("1", "One"),))
        )
        begun.set()
        await asyncio.Event().wait()
        return "never"

    return Service(
        name="test",
        start="first",
        agents=lambda: {"first": Agent(name="first", instructions="You are first.", tools=[begin])},
    )


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "deadline"])
async def test_effects_of_an_interrupted_tool_are_stored_and_published(stopped: bool) -> None:
    begun = asyncio.Event()
    play = Play(halfway(begun), ScriptedModel([[function_call("begin", {}, call_id="c1")]]))
    play.deadline_s = 20 if stopped else 0.5
    turn, out = play.prepare()
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await begun.wait()
    if stopped:
        out.cancelled.set()
    await running
    kept = {key: value for key, value in play.state.items() if key != PRIVATE}
    assert kept == out.transcript.state == {"begun": True}
    blocks = [each for each in out.transcript.messages if each.get("activityType") == "block"]
    assert [each["content"]["kind"] for each in blocks] == ["notice", "choices"]
    assert blocks[-1]["id"] == play.state[PRIVATE]["asked"]


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "deadline"])
@pytest.mark.parametrize(
    ("effect", "shown", "noted"),
    [("once", "unknown", ["unknown"]), ("idempotent", "stopped", []), ("read", "stopped", [])],
)
async def test_only_a_call_that_may_have_happened_is_unknown_when_it_is_cut(
    stopped: bool, effect: Effect, shown: str, noted: list[str]
) -> None:
    begun = asyncio.Event()

    @tool(effect=effect)
    async def pay(ctx: ToolContext[RunContext]) -> str:
        """Pay, and wait for the bank for ever."""
        begun.set()
        await asyncio.Event().wait()
        return "paid"

    agent = Agent(name="first", instructions="You are first.", tools=[pay])
    service = Service(name="test", start="first", agents=lambda: {"first": agent})
    play = Play(service, ScriptedModel([[function_call("pay", {}, call_id="c1")]]))
    play.deadline_s = 20 if stopped else 0.5
    turn, out = play.prepare()
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await begun.wait()
    if stopped:
        out.cancelled.set()
    await running
    [result] = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"status": shown}
    assert result["metadata"]["loopwire"]["status"] == shown
    assert [each.state for each in play.ledger.rows.values()] == noted
