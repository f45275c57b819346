"""The call for a person: the conversation waits in the inbox of the app's operators, if the app has any."""

from typing import Any

from server.agents.context import RunContext
from server.agents.tools import ToolContext, tool


def _is_called(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser whether the team was called."""
    return {"called": result["called"]}


@tool(effect="idempotent", result=_is_called, icon="person")
async def call_person(ctx: ToolContext[RunContext]) -> dict[str, Any]:
    """Tell the team that the person wants to speak to a human. Call it once when they ask for one.

    With `called` true the conversation waits for a human, who writes in it once one is there: say that, and that nobody
    knows when. With `called` false no human can be reached here: say that.
    """
    run = ctx.context
    return {"called": await run.conversations.call_person(run.session_id)}
