"""Answers whose words tell a side that the newest message puts right: they are asked back with the right side."""

from dataclasses import replace

from server.loopos.answers import Element, ProbableAnswer, Valid
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.draft import told_side_correction
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.loopos.tools.questions.item_questions import Questions
from server.text_reading.wishes.side_corrections import SideCorrection


def ask_sides_put_right(questions: Questions) -> Element | None:
    """Ask back each text and each note beside an answer that tells the other side than the newest message does.

    What waits for a yes is asked with the right side too. Returns the first question of these.
    """
    correction, first = told_side_correction(questions.draft), None
    for element in questions.asked if correction else ():
        known = pending(questions.draft, element.id)
        if known is None and element.id in questions.answers:
            known = Valid(*questions.answers[element.id])
        told = known and correction and _put_right(element, known, correction)
        if told:
            ask_back(questions.draft, element.id, ProbableAnswer(told))
            first = first or element
    return first


def _put_right(element: Element, known: Valid, correction: SideCorrection) -> Valid | None:
    """Return an answer with the right side in its words; None where they do not tell the other one."""
    if element.kind == "text":
        text = correction.put_right(str(known.value))
        return None if text == known.value else replace(known, value=text, shown=text)
    if BESIDE.search(known.shown) is None:
        return None
    shown = correction.put_right(known.shown)
    return None if shown == known.shown else replace(known, shown=shown)
