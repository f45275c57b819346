"""The text that stands in its field for the seller to edit, because it was not clear which part is to change."""

from server.loopos.answers import Element
from server.loopos.tools.questions.item_questions import Questions

_KEY = "whole_text"


def offer_text(questions: Questions, element: Element, text: str) -> bool:
    """Note that this text is offered; return whether an earlier message was offered a text of this question."""
    element_id, _, run_id = questions.draft.run.private.get(_KEY, ("", "", ""))
    this_run = questions.draft.run.run_id
    is_again = bool(element_id == element.id and run_id != this_run)
    questions.draft.run.private[_KEY] = [element.id, text, "" if is_again else this_run]
    return is_again


def offered_text(questions: Questions, element: Element) -> str:
    """Return the text of this question that is offered; empty where none is."""
    element_id, text, _ = questions.draft.run.private.get(_KEY, ("", "", ""))
    return str(text) if element_id == element.id else ""


def end_offer(questions: Questions) -> None:
    """Offer no text any more."""
    questions.draft.run.private.pop(_KEY, None)
