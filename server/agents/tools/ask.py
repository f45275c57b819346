"""Questions that an agent puts to a person as a form; the run waits for the answers."""

from typing import Any

from server.agents.context import RunContext
from server.agents.tools import ToolContext, ToolFailure, tool
from server.protocol.forms import BadForm, fields_of


@tool(effect="read", waits="form", icon="question")
async def ask_user(ctx: ToolContext[RunContext], message: str, questions: dict[str, Any]) -> Any:
    """Ask the person several things at once, in a form. Returns what they answered, by property.

    Use it when you need two or more values, or one of a few choices; for one open question just ask.

    Args:
        message: One sentence that says what the form is for.
        questions: A JSON Schema of one flat object. Properties are of type string (with enum, format date or email,
            minLength, maxLength; a date with formatMinimum, formatMaximum, as in 2026-01-31), number or integer (with
            minimum, maximum) or boolean, with title and description.
            `required` names those that must be answered. Nothing else is possible.
    """
    answers = ctx.context.answers
    if ctx.tool_call_id in answers:
        return answers[ctx.tool_call_id]
    try:
        fields_of(questions)
    except BadForm as odd:
        raise ToolFailure(str(odd), code="bad_form") from odd
    raise ToolFailure("A form needs a message that says what it is for.", code="bad_form")
