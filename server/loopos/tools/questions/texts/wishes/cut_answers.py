"""Answers without the part that a message says to take out: a text, or the words beside an option."""

from server.loopos.answers import (
    Element,
    ProbableAnswer,
    Valid,
    asks_to_cut,
    cut_text,
    without_no_thing,
)
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.offered_texts import offered_text
from server.loopos.tools.questions.unrecorded_faults import take_as_asked


def ask_cut(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back a text without the part that is to go: the open one first, then the last one that has it."""
    if not asks_to_cut(message):
        return None
    texts = [each for each in reversed(questions.asked) if each.kind == "text" and each.pattern is None]
    rest = without_no_thing(message)
    for element in sorted(texts, key=lambda each: each is not asked):
        kept = pending(questions.draft, element.id)
        if kept is not None and is_asked_in_this_run(questions.draft, element.id):
            return element
        stored = offered_text(questions, element) or str(questions.answers.get(element.id, [None, ""])[1])
        written = kept.shown if kept is not None else stored
        left = cut_text(written, message, tokens(f"{element.label.pt} {element.label.en}")) or (
            rest if rest != message and element.id in questions.answers else ""
        )
        if left:
            ask_back(questions.draft, element.id, ProbableAnswer(Valid(left, left)))
            take_as_asked(questions)
            return element
    return _ask_cut_note(questions, asked, message)


def _ask_cut_note(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back an option without the part of the words beside it that is to go: `Good (a dent; from the shop)`."""
    for element in sorted(questions.asked, key=lambda each: each is not asked):
        kept = pending(questions.draft, element.id)
        if kept is not None and element.kind != "text" and is_asked_in_this_run(questions.draft, element.id):
            return element
        value, shown = (kept.value, kept.shown) if kept else questions.answers.get(element.id, (None, ""))
        option, _, note = str(shown).removesuffix(")").partition(" (")
        if value is None or not note or element.kind == "text":
            continue
        name = element.title or element.label
        names = tokens(f"{element.label.pt} {element.label.en} {name.pt} {name.en}")
        left = cut_text(f"{option}; {note}", message, names)
        if left and left.startswith(option):
            rest = left.removeprefix(option).strip(" ;")
            ask_back(
                questions.draft,
                element.id,
                ProbableAnswer(Valid(value, option + beside(*filter(None, [rest])))),
            )
            take_as_asked(questions)
            return element
    return None
