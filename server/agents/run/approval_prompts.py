"""The prompts of calls that need a person: sentence, block, schema of the answer, and the text of a refusal."""

import json
from collections.abc import Mapping
from typing import Any

from server.agents.context import Json, RunContext
from server.agents.run.tool_calls import ToolDeclaration
from server.protocol.blocks import Approval, Ask, Block, Choice, Field, Pair
from server.protocol.forms import BadForm, fields_of
from server.words import readable, say

APPROVAL_SCHEMA: Json = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}
TOOL_SCHEMA: Json = {"type": "string"}

MOST_PAIRS = 12

_NO = {
    "declined": "The person said no. Do not try it again; go on without it.",
    "cancelled": "This was not answered. Go on without it.",
    "expired": "Nobody answered in time. Go on without it.",
    "not_answered": "This was not answered: something else was said instead. It has not happened.",
}


def approval_prompt(run: RunContext, name: str, view: ToolDeclaration, arguments: Json) -> str | None:
    """Return the sentence that a person is asked before this call; None when it needs no approval."""
    if view.waits == "tool":
        return name
    if not view.ours:  # The tool comes from the SDK, and only the SDK knows that it needs approval.
        return default_question(run, name)
    if view.waits == "form":
        return _form_message(arguments)
    wish = view.approval
    if isinstance(wish, str):
        return say(wish, run.language) or None
    try:
        said = None if wish is None else wish(run, arguments)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        # The arguments are the model's and may lack what the sentence is made of: the tool itself refuses them.
        return default_question(run, name)
    return default_question(run, name) if said is None and name in run.rules.approvals else said or None


def default_question(run: RunContext, name: str) -> str:
    """Return the question before a call of a tool that has no sentence of its own."""
    return _sentence(run, f"approval.tool.{name}") or say("approval.ask", run.language, name=readable(name))


def _sentence(run: RunContext, key: str) -> str:
    """Return the sentence of a key; empty where the words have none."""
    found = say(key, run.language)
    return "" if found == key else found


def _form_message(arguments: Json) -> str | None:
    """Return the message of a form that can be drawn; a bad one is not shown: the model gets the reason."""
    try:
        fields_of(arguments.get("questions"))
    except BadForm:
        return None
    return str(arguments.get("message") or "") or None


def schema_of(view: ToolDeclaration, arguments: Json) -> Json:
    """Return the JSON Schema of an answer."""
    if view.waits == "form":
        form: Json = arguments["questions"]
        return form
    return TOOL_SCHEMA if view.waits == "tool" else APPROVAL_SCHEMA


def block_of(
    run: RunContext,
    interrupt_id: str,
    name: str,
    view: ToolDeclaration,
    arguments: Json,
    message: str,
    until: int,
) -> Block | None:
    """Return the block that asks; None for a tool of the page, which answers without a person."""
    if view.waits == "tool":
        return None
    if view.waits == "form":
        fields = tuple(_field(each) for each in fields_of(arguments["questions"]))
        return Ask(interrupt_id=interrupt_id, message=message, expires_at=until, fields=fields)
    pairs = _pairs(run, view, arguments)
    return Approval(interrupt_id=interrupt_id, message=message, expires_at=until, tool=name, pairs=pairs)


def _field(told: Json) -> Field:
    choices = tuple(Choice(**each) for each in told.get("choices", ()))
    return Field(**{**told, "choices": choices})


def _pairs(run: RunContext, view: ToolDeclaration, arguments: Json) -> tuple[Pair, ...]:
    """Return the facts beside the question, else the public arguments, as people read them."""
    try:
        public: Mapping[str, Any] = view.args(arguments) if view.args else {}
        public = view.pairs(run, arguments) if view.pairs else public
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return ()
    shown = []
    for key, value in list(public.items())[:MOST_PAIRS]:
        text = " · ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        shown.append(Pair(_sentence(run, f"field.{key}") or key, text))
    return tuple(shown)


def refusal(code: str, reason: str = "") -> str:
    """Return the text for the model about a call that was refused or not answered."""
    told = {"error": code, "message": _NO[code]}
    return json.dumps({**told, "reason": reason} if reason else told, ensure_ascii=False)
