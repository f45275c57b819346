"""The questions of the item as the tools showed them: which were asked and answered, and which one is open."""

from typing import Any

from server.text_reading.conversation_items import ConversationItems
from server.text_reading.input_items import Output
from server.text_reading.tool_names import CHANGE, CREATE, PROTOCOL, REOPEN, VALIDATE

PRICE = "asking_price"
Element = dict[str, Any]


def shown_questions(view: ConversationItems) -> Output | None:
    """Return the questions, as long as they are about the item that exists now."""
    shown, made = view.last(PROTOCOL), view.last(CREATE, REOPEN)
    return None if shown is None or (made is not None and made.at > shown.at) else shown


def asked_elements(view: ConversationItems) -> list[Element]:
    shown = shown_questions(view)
    elements: list[Element] = shown.result.get("elements", []) if shown else []
    return [each for each in elements if "::Input::" in str(each.get("class"))]


def open_question(view: ConversationItems) -> Element | None:
    """Return the question that waits: the next one, or the one whose answer was refused."""
    for output in reversed(view.outputs):
        if output.name == VALIDATE and output.result.get("valid") is False:
            wanted = output.result.get("asked", output.arguments.get("element_id"))
            elements = (*asked_elements(view), {"element_id": PRICE, "label": "€"})
            found = next((each for each in elements if each["element_id"] == wanted), None)
            if found is not None:
                return found
        elif output.name in (VALIDATE, PROTOCOL) or (output.name == CHANGE and output.result.get("ok")):
            following = output.result.get("next")
            return following if isinstance(following, dict) else None
    return None


def answers_so_far(view: ConversationItems, before: Output | None = None) -> dict[str, str]:
    """Return the answers so far, in the order of answering; or all that were given before this call."""
    shown = shown_questions(view)
    found: dict[str, str] = dict(shown.result.get("answered", {})) if shown else {}
    for output in view.since(shown):
        if before is not None and output.at >= before.at:
            return found
        if output.name == VALIDATE and output.result.get("valid") and not output.result.get("later"):
            found[str(output.arguments.get("element_id"))] = str(output.result.get("shown", ""))
        for again in () if before is not None else output.result.get("asked_again", ()):
            found.pop(str(again["element_id"]), None)
    return found
