"""The demo model's answer to a wish to change an answer: this one, or one of all that were given."""

from server.demo.conversation_view import Act, Call, ConversationView
from server.demo.lines import say
from server.demo.reading import intents
from server.text_reading.shown_questions import PRICE, Element, answers_so_far, asked_elements, open_question
from server.text_reading.tool_names import PROTOCOL
from server.text_reading.wishes.ways_back import is_same_price, names_own

ANY = "any"


def answered_elements(view: ConversationView) -> list[Element]:
    """Return the questions that were answered."""
    return [each for each in asked_elements(view) if each["element_id"] in answers_so_far(view)]


def show_remarked(view: ConversationView, remark: list[Act], change: str = "") -> list[Act]:
    """Answer a remark at the open question, or at the answer to change: show that first, once a turn."""
    if shown := [each.result for each in view.fresh if each.name == PROTOCOL]:
        waits = change and "understood" in (shown[-1].get("next") or {})
        remark = say(view, "invalid", reason=shown[-1]["reason"]) if "reason" in shown[-1] else remark
        return say(view, "confirm") if waits else remark
    return [Call(PROTOCOL, {"change": change} if change else {})]


def show_unchanged(view: ConversationView, text: str) -> list[Act] | None:
    """Show the finished item, where the message only names its reference or says its price once more."""
    reference = str(view.instruction("Draft").get("reference", ""))
    if is_same_price(text, answers_so_far(view).get(PRICE, "")) and intents.inside(text, "amount"):
        return show_remarked(view, say(view, "left"))
    return (
        show_remarked(view, say(view, "item_kept", reference=reference))
        if names_own(text, reference)
        else None
    )


def open_again(view: ConversationView, changed: Element) -> list[Act]:
    """Ask an answered question again."""
    now = answers_so_far(view).get(changed["element_id"], "")
    remark = say(view, "answer_change" if now else "question_again", label=changed["label"], shown=now)
    return show_remarked(view, [*remark], changed["element_id"])


def ask_price(view: ConversationView) -> list[Act]:
    """Ask for the price, beside what such items sell for; where none is kept, say so."""
    kept, text = answers_so_far(view).get(PRICE, ""), view.message.text
    if intents.asks(text) and intents.inside(text, "where") and any(map(str.isdigit, kept)):
        return say(view, "price_is", "done_more", shown=kept)
    is_asked = (open_question(view) or {}).get("element_id") == PRICE
    told = "no_price_now" * (not is_asked or any("price_range" in each.result for each in view.fresh))
    return show_remarked(view, say(view, told, "ask_price" * is_asked), PRICE)


def reopened_element(view: ConversationView, known: list[Element]) -> Element | None:
    """Return the answered question that was asked again: by name in the last text, or shown before this message."""
    last = view.said_texts[-1] if view.said_texts else ""
    quoted = [each for each in known if f"«{each['label']}»," in last or f"“{each['label']}”," in last]
    if quoted:
        return quoted[-1]
    wanted = change_before(view)
    if not wanted and len(view.messages) > 1 and view.messages[-2].name == "change":
        wanted = view.messages[-2].value
    return next((each for each in known if each["element_id"] == wanted), None)


def change_before(view: ConversationView) -> str:
    """Return what the questions were last shown for, if the message before this one asked for them."""
    since = view.messages[-2].at if len(view.messages) > 1 else 0
    before = [each for each in view.outputs if since < each.at < view.message.at]
    return "" if not before or before[-1].name != PROTOCOL else str(before[-1].arguments.get("change") or "")
