"""Tools that work at once: what each showed leaves with its own result, and the state is right in any order."""

import asyncio
from typing import Any

import pytest
from agents import Agent

from server.agents.context import RunContext
from server.agents.service import Service
from server.agents.tools import ToolContext, tool
from server.protocol.blocks import Notice
from server.protocol.shown_state import PRIVATE
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import ScriptedModel, assistant_message, function_call


class Pair:
    """A slow tool that shows something and then waits, and a quick one that ends meanwhile."""

    def __init__(self, *, fails: bool) -> None:
        self.shown, self.ended = asyncio.Event(), asyncio.Event()
        self._fails = fails

    def service(self) -> Service:
        @tool(effect="idempotent")
        async def slow(ctx: ToolContext[RunContext], key: str) -> str:
            """Show something, and end last."""
            ctx.context.set_state(**{key: "slow"})
            ctx.context.block(Notice("Slow", "Half of it.", "info"))
            self.shown.set()
            await self.ended.wait()
            if self._fails:
                raise RuntimeError("broken")
            return "slow"

        @tool(effect="idempotent")
        async def quick(ctx: ToolContext[RunContext], key: str, value: str | None) -> str:
            """Show something else, and end first."""
            await self.shown.wait()
            ctx.context.set_state(**{key: value})
            return "quick"

        agent = Agent[RunContext](name="first", instructions="Work.", tools=[slow, quick])
        return Service(name="test", start="first", agents=lambda: {"first": agent})

    async def run(self, key: str, value: str | None) -> tuple[Play, Recorder]:
        """Both at once; the slow one ends when the quick one's result is told."""
        calls = [
            function_call("slow", {"key": "a"}, call_id="c_slow"),
            function_call("quick", {"key": key, "value": value}, call_id="c_quick"),
        ]
        play = Play(self.service(), ScriptedModel([calls, [assistant_message("ok")]]))
        turn, out = play.prepare()
        running = asyncio.get_running_loop().create_task(play.go(turn, out))
        await out.until(lambda: len(out.of("TOOL_CALL_RESULT")) == 1)
        self.ended.set()
        await running
        return play, out


def results_in_order(out: Recorder) -> list[Any]:
    """Return the results, what was shown and what changed, in order."""
    found: list[Any] = []
    for event in out.events:
        match event["type"]:
            case "TOOL_CALL_RESULT":
                found.append(event["toolCallId"])
            case "STATE_DELTA":
                found.append([each["path"] for each in event["delta"]])
            case "ACTIVITY_SNAPSHOT":
                found.append(event["activityType"])
    return found


@pytest.mark.parametrize("fails", [False, True], ids=["done", "failed"])
async def test_effects_of_a_parallel_call_are_published_with_its_own_result(fails: bool) -> None:
    play, out = await Pair(fails=fails).run("b", "quick")
    assert results_in_order(out) == ["c_quick", ["/b"], "c_slow", ["/a"], "block"]
    assert out.transcript.state == play.state == {"a": "slow", "b": "quick"}


@pytest.mark.parametrize("value", ["quick", None], ids=["changed", "removed"])
async def test_a_key_that_two_calls_change_is_told_as_it_is_stored(value: str | None) -> None:
    play, out = await Pair(fails=False).run("a", value)
    kept = {key: each for key, each in play.state.items() if key != PRIVATE}
    assert out.transcript.state == kept == ({} if value is None else {"a": value})
