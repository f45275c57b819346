"""Tools that the sender's page runs: the model calls one, the run waits, and the page sends the result."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from agents import FunctionTool, Tool
from agents.tool_context import ToolContext

from server.agents.context import CallOutcome, Json, RunContext
from server.agents.run.tool_calls import ToolDeclaration
from server.protocol.codec import read_json
from server.words import readable, say

_QUESTION = "approval.page"

PAGE = ToolDeclaration(
    "idempotent", 20.0, "sliders", lambda a: a, lambda r: {"result": r}, None, waits="tool"
)
"""The declaration of all of them: the page knows their arguments and results, so nothing of these is private."""


EFFECT = replace(PAGE, consent=lambda run, tool: say(_QUESTION, run.language, name=readable(tool)))
"""The declaration of tools that change something: a person says yes before the page is asked."""


def page_tools(told: Iterable[Json]) -> list[Tool]:
    """Return the tools of a message, each `{name, description, parameters}`, as the SDK takes them."""
    return [_make_tool(each) for each in told]


def _make_tool(told: Json) -> FunctionTool:
    parameters = {"type": "object", "properties": {}, **told["parameters"]}
    made = FunctionTool(
        name=told["name"],
        description=told["description"],
        params_json_schema=parameters,
        on_invoke_tool=_give_answer,
        strict_json_schema=False,
        needs_approval=True,
    )
    made.declared = EFFECT if told.get("effect") else PAGE  # type: ignore[attr-defined]  # the SDK passes this very object to the hooks
    return made


async def _give_answer(ctx: ToolContext[RunContext], _arguments: str) -> str:
    """Return what the page sent: the call is only allowed once that is there."""
    result = str(ctx.context.answers.get(ctx.tool_call_id, ""))
    status: Any = "failed" if _is_error(result) else "done"
    ctx.context.emitter.note_call_end(ctx.tool_call_id, CallOutcome(status, result, 0))
    return result


def _is_error(result: str) -> bool:
    """Return whether a page sent an exception: an object with `error`."""
    try:
        told = read_json(result)
    except ValueError:
        return False
    return isinstance(told, dict) and "error" in told
