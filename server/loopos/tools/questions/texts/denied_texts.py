"""The text that the seller said no to and nothing else: it stands in its field then, to be edited."""

from server.loopos.answers import Element, Refused, Valid
from server.loopos.tools.questions.item_questions import Questions

_KEY = "denied_text"


def note_denied_text(questions: Questions, element: Element, judged: Refused, proposed: Valid | None) -> bool:
    """Note the text that was `proposed` for this question where a click or words only deny it; return whether it is."""
    is_free = element.kind == "text" and element.pattern is None
    if not is_free or proposed is None or proposed.value is None or judged.code != "not_confirmed":
        return False
    questions.draft.run.private[_KEY] = [element.id, proposed.shown]
    return True


def denied_text(questions: Questions, element: Element) -> str:
    """Return the text of this question that was denied; empty where none was."""
    element_id, text = questions.draft.run.private.get(_KEY, ("", ""))
    return str(text) if element_id == element.id else ""


def end_denial(questions: Questions) -> None:
    """Take the next words for no answer behind a no."""
    questions.draft.run.private.pop(_KEY, None)
