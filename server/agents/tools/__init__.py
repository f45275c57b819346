"""The `@tool` decorator: an async function with a declared effect becomes a tool of the SDK.

A tool says what repeating it would mean (`read`, `idempotent`, `once`), how long it may take, and what a
browser may see of its arguments and result (nothing, unless it says so). A failing body never ends the run:
the model gets one neutral sentence, the traceback stays in the log.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack

from agents import FunctionTool, RunContextWrapper, Tool, WebSearchTool, function_tool
from agents.tool_context import ToolContext

from server.agents.context import RunContext
from server.agents.run.approval_prompts import approval_prompt
from server.agents.run.tool_calls import Approval, ToolDeclaration, ToolFailure, invoking
from server.mcp_servers import Effect

__all__ = ["Approval", "Effect", "ToolContext", "ToolDeclaration", "ToolFailure", "declaration_of", "tool"]

ToolBody = Callable[..., Awaitable[Any]]


class ToolOptions(TypedDict, total=False):
    """The optional arguments of `@tool`; each is a field of `ToolDeclaration`, with its default."""

    args: Callable[[dict[str, Any]], dict[str, Any]] | None
    result: Callable[[Any], dict[str, Any]] | None
    business_key: Callable[[RunContext, dict[str, Any]], str | None] | None
    keyed: bool
    approval: Approval
    pairs: Callable[[RunContext, dict[str, Any]], dict[str, str]] | None
    waits: Literal["form"] | None
    icon: str
    scopes: tuple[str, ...]


def tool(
    *, effect: Effect, timeout_s: float = 20.0, **options: Unpack[ToolOptions]
) -> Callable[[ToolBody], FunctionTool]:
    """Make a tool of `async def name(ctx: ToolContext[RunContext], …) -> JSON-able`.

    `args` and `result` are the public views: they receive the parsed arguments and the returned value, and
    what they return is all a browser gets. `business_key` names a `once` call by what it does, so that the
    same deed under another call id is recognised; with `keyed` the other side gets that key and gives the same
    result for it again, so that a call whose end is unknown is simply made again. `approval` is what a person is
    asked first: a key of the words, or a function of context and arguments that gives the sentence, None where none
    is needed; `pairs` are the facts beside it. `waits` is for tools whose result is what a person answers. `scopes` are
    what the tool reaches beside its conversation, as `catalog:read` (`registry.SCOPE` has their form). Name, docstring
    and annotations are what the model reads.
    """

    def make(body: ToolBody) -> FunctionTool:
        if not inspect.iscoroutinefunction(body):
            raise TypeError("a tool is an async function: a thread cannot be stopped")
        view = ToolDeclaration(effect, timeout_s, **options)
        made = function_tool(
            invoking(body, view),
            needs_approval=effect == "once" or needs_person(body.__name__, view),
            failure_error_function=_bad_arguments,
            strict_mode=view.waits is None,
        )
        made.declared = view  # type: ignore[attr-defined]  # the SDK passes this very object to the hooks
        return made

    return make


def needs_person(name: str, view: ToolDeclaration) -> Callable[[Any, dict[str, Any], str], Awaitable[bool]]:
    """Ask at each call: what an app asks for differs from app to app."""

    async def needs_approval(
        ctx: RunContextWrapper[RunContext], arguments: dict[str, Any], _call_id: str
    ) -> bool:
        return approval_prompt(ctx.context, name, view, arguments) is not None

    return needs_approval


FOREIGN = ToolDeclaration("read", 20.0, "search", None, None, None, ours=False, scopes=("foreign",))
"""The declaration of tools that were not made here: an agent used as a tool, a tool of another server."""

SEARCHING = replace(FOREIGN, scopes=("web",))
"""The declaration of the search of the model's own server."""


def declaration_of(tool: Tool | None) -> ToolDeclaration:
    """Return the declaration of a tool; for a foreign tool: read, and nothing public."""
    view = getattr(tool, "declared", None)
    if isinstance(view, ToolDeclaration):
        return view
    return SEARCHING if isinstance(tool, WebSearchTool) else FOREIGN


def _bad_arguments(context: Any, error: Exception) -> str:
    """Return the model's text for a call whose arguments did not fit: no other error leaves `invoking`."""
    return '{"error":"bad_arguments","message":"The arguments do not fit the tool. Correct and try again."}'
