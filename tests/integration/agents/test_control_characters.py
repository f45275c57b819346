"""A model and a tool that write for a terminal: no control character is published, stored or given to the model."""

from __future__ import annotations

import json
import re
from typing import Any

from agents import Agent

from server.agents.context import RunContext
from server.agents.model.providers import ServerModels
from server.agents.service import Service
from server.agents.tools import ToolContext, tool
from server.protocol.blocks import Notice
from tests.modelserver import Call, ModelServer, Plan, Scripted, Text
from tests.unit.agents.outlet import Play

ODD = "\x1b[31m\x07\x00\x9b\x7f"
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|\\u00(?:0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|\\[bfr]", re.IGNORECASE
)
"""As it is, and as JSON escapes it."""


def shown_service() -> Service:
    """Return one agent whose tool shows in every way it can."""

    @tool(effect="read", args=lambda a: a, result=lambda r: r)
    async def show(ctx: ToolContext[RunContext], word: str) -> dict[str, str]:
        """Show something."""
        ctx.context.progress(0.5, f"label{ODD}", step=f"step{ODD}")
        ctx.context.block(Notice(f"title{ODD}", f"text{ODD}"))
        ctx.context.set_state(item=f"item{ODD}", given=word)
        return {"found": f"result{ODD}"}

    def team() -> dict[str, Any]:
        return {"first": Agent(name="first", instructions="You are first.", tools=[show])}

    return Service(name="test", start="first", agents=team)


async def test_control_characters_of_a_model_or_a_tool_are_neither_sent_nor_stored(
    server: ModelServer, models: ServerModels
) -> None:
    assert isinstance(server.brain, Scripted)
    pieces = ["Ver", "\x1b", "[1", "mde", "\r", "\n", "\r", "", "\na\x07\x9b", "\x00", "b\r", "c"]
    server.brain.extend([Plan([Call("show", {"word": f"given{ODD}\r\n"})]), Plan([Text(pieces=pieces)])])
    play = Play(shown_service(), models)
    out = await play.say("oi")
    assert play.result is not None and play.result.outcome == "success"
    assert out.text() == "Ver[1mde\n\nab\nc"
    (said,) = [each for each in out.transcript.messages if each.get("content") == out.text()]
    assert said["role"] == "assistant"
    assert play.result.items[-1] == {"role": "assistant", "content": out.text()}
    assert play.result.state == {"item": "item[31m", "given": "given[31m\n"}
    events = json.dumps(out.events, ensure_ascii=False)
    for each in ("label[31m", "step[31m", "title[31m", "text[31m", "result[31m"):
        assert each in events
    whole = [
        out.events,
        out.transcript.messages,
        out.transcript.state,
        play.result.items[-1],
        play.result.state,
    ]
    assert CONTROL.findall(json.dumps(whole, ensure_ascii=False).replace("\\\\n", "")) == []
