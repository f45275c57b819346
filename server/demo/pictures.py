"""The demo model's answer to a picture without text: it thanks, and shows the open question again."""

from server.demo.conversation_view import Act, Call, ConversationView
from server.demo.lines import say
from server.demo.offers import offered_before
from server.demo.option_view import option_view_of
from server.text_reading.shown_questions import shown_questions
from server.text_reading.tool_names import CATALOG, OPTIONS, PROTOCOL


def answer(view: ConversationView) -> list[Act]:
    """Return one step: show what waits for an answer, then say that the picture is kept."""
    if (newest := view.newest) is None:
        return [call] if (call := _open_again(view)) else say(view, "picture")
    is_done = newest.name == PROTOCOL and newest.result.get("next") is None
    following = "again" if newest.name == CATALOG else "" if is_done else "question_again"
    return say(view, "picture_kept", following)


def _open_again(view: ConversationView) -> Call | None:
    """Return the call that shows what is open once more; the item's questions keep the picture as well."""
    if PROTOCOL in view.tools and shown_questions(view) is not None:
        return Call(PROTOCOL)
    if OPTIONS in view.tools and option_view_of(view) is not None:
        return Call(OPTIONS, {"keep": True})
    query = offered_before(view) if CATALOG in view.tools else ""
    return Call(CATALOG, {"query": query, "again": True}) if query else None
