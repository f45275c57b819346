"""The demo model's use of the tools of the person's page: it calls one that a message names, and states its result."""

from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import say
from server.demo.reading.matching import tokens
from server.text_reading.schema_values import arguments_for, names_tool


def wish(view: ConversationView, text: str) -> list[Act] | None:
    """Return a call of the page's tool that the message names, once a turn."""
    for name, spec in view.page_tools.items():
        if names_tool(tokens(text), name) and not any(each.name == name for each in view.fresh):
            return [Call(name, arguments_for(text, spec))]
    return None


def tell_answer(view: ConversationView, output: Output) -> list[Act]:
    """Return what the page answered."""
    failed = output.result.get("error")
    return say(view, "page_failed") if failed else say(view, "page_told", text=output.text[:500])
