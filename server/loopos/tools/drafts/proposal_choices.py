"""The choices beside a proposed answer: the other answers of a closed question, and it without the words beside it."""

from dataclasses import replace
from functools import cache
from typing import Any

from server.languages import LANGUAGES, fold
from server.loopos.answers import Element, Judgement, ProbableAnswer, Valid
from server.loopos.answers.judges.fault_notes import GRADES, beside
from server.loopos.answers.options.option_sides import leads
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice

YES, NO, ALONE = "answer:right", "answer:wrong", "answer:alone"
"""The values of a yes, of a no, and of taking a proposed answer without the words in brackets beside it.

No option of a catalog has a colon in its value: each other choice is an answer to the question.
"""
BUTTONS = (YES, NO, ALONE)
MOST_OTHERS = 6
"""Where more answers than these stand beside the proposed one, none is listed: a phone shows the block at once."""

_LABELS = {YES: "choice.confirm.yes", NO: "choice.confirm.no"}
_ONLY, _OTHER = "choice.confirm.only", "choice.confirm.other"
_PLACE = "\x00"
"""Stands for the answer where a label is taken apart."""


def proposal_choices(element: Element, guess: Valid, language: str) -> tuple[Choice, ...]:
    """Return the choices below a proposed answer, the yes first."""
    others, alone = other_choices(element, guess, language), alone_choice(element, guess, language)
    yes, *rest = choices_with_yes(others, language, alone)
    return (replace(yes, label=_named_yes(element, guess, language) or yes.label), *rest)


def _named_yes(element: Element, guess: Valid, language: str) -> str:
    """Return the label of the yes where it has to name the answer: a bare yes beside `No. Is that right?` could be
    read as one to the question itself. Empty where no answer of the question is a yes or a no.
    """
    if element.kind != "boolean" and all(leads(each) is None for each in element.options):
        return ""
    return say(_OTHER, language, answer=guess.shown)


def choices_with_yes(
    others: tuple[Choice, ...], language: str, alone: Choice | None = None
) -> tuple[Choice, ...]:
    """Return the yes, then `alone`, and all `others`; where these are not listed, a no instead."""
    yes, no = (Choice(each, say(_LABELS[each], language)) for each in (YES, NO))
    return (yes, *((alone,) if alone else ()), *(others or (no,)))


def typed_answer(element: Element, value: Any, shown: str, language: str) -> str:
    """Return an answer as it would be typed: nothing for a skipped one, no unit beside the field's."""
    if value is None:
        return ""
    if element.kind == "price":
        return shown.strip("€\u00a0")
    unit = element.unit_of(value) if element.kind == "number" else None
    return shown.removesuffix(unit.text_in(language)).strip() if unit else shown


def stands_in_field(element: Element, guess: Valid) -> bool:
    """Return whether a proposed answer stands in a field to edit: a figure, a date, a price or a text."""
    return (element.is_figure or element.kind in ("price", "text")) and guess.value is not None


def written_words(answer: str) -> str:
    """Return an answer as it stands in the field again: nothing of a button, whose value no person reads."""
    return "" if answer in BUTTONS else answer[:200]


def is_sent_as_it_was(element: Element, guess: Valid, text: str) -> bool:
    """Return whether the field of a proposed answer was sent as it was shown, in whatever language of its unit."""
    shown = {typed_answer(element, guess.value, guess.shown, each) for each in LANGUAGES}
    return stands_in_field(element, guess) and text.strip() in shown


def button_of(text: str, element: Element, guess: Valid | None, language: str) -> str | None:
    """Return the value of the yes, the no or the proposed answer alone, where the text is its label."""
    alone = None if guess is None else alone_choice(element, guess, language)
    labels = {fold(say(key, language)): value for value, key in _LABELS.items()}
    labels |= {fold(alone.label): ALONE} if alone else {}
    labels |= {} if guess is None else {fold(say(_OTHER, language, answer=guess.shown)): YES}
    return labels.get(fold(text))


def keep_remark(element: Element, answered: Any, judged: Judgement) -> Judgement:
    """Return a chosen grade of an item with the remark that stood beside the grade before, to be asked back."""
    before = BESIDE.search(str(answered[1])) if answered else None
    is_grade = [each.value for each in element.options] == GRADES
    if before is None or not is_grade or not isinstance(judged, Valid) or judged.value == answered[0]:
        return judged
    return ProbableAnswer(replace(judged, shown=judged.shown + beside(before[1])))


def answer_choices(element: Element, language: str) -> tuple[Choice, ...]:
    """Return the answers of a select, or yes and no; none of any other question."""
    if element.kind == "boolean":
        words = (say("choice.yes", language), say("choice.no", language))
        return tuple(Choice(word, word) for word in words)
    return tuple(Choice(option.value, option.label.text_in(language)) for option in element.options)


def other_choices(element: Element, guess: Valid, language: str) -> tuple[Choice, ...]:
    """Return the answers beside the proposed one, each by its own label; none where they are more than MOST_OTHERS.

    One that is called only Yes or No is named as an answer, since it could be read as one to `Is that right?`.
    """
    choices = answer_choices(element, language)
    if element.kind == "boolean":
        others = tuple(each for each, says in zip(choices, (True, False), strict=True) if says != guess.value)
    else:
        others = tuple(each for each in choices if each.value != guess.value)
    bare = {fold(say(key, language)) for key in ("choice.yes", "choice.no")}
    named = (
        replace(each, label=say(_OTHER, language, answer=each.label)) if fold(each.label) in bare else each
        for each in others
    )
    return tuple(named) if len(others) <= MOST_OTHERS else ()


def without_words(element: Element, guess: Valid) -> Valid | None:
    """Return a proposed answer without the words in brackets beside it; None where none stand there.

    Brackets in the label of an option are no such words.
    """
    labels = {each.label.text_in(language) for each in element.options for language in LANGUAGES}
    is_closed = element.kind in ("select", "boolean") and not element.id.startswith("option:")
    if not is_closed or guess.shown in labels or not BESIDE.search(guess.shown):
        return None
    return replace(guess, shown=BESIDE.sub("", guess.shown))


def words_beside(guess: Valid) -> str:
    """Return the words in brackets at the end of an answer; empty where none stand there."""
    found = BESIDE.search(guess.shown)
    return found[1] if found else ""


def alone_choice(element: Element, guess: Valid, language: str) -> Choice | None:
    """Return the choice that takes a proposed answer without the words beside it; None where none stand there."""
    alone = without_words(element, guess)
    return None if alone is None else Choice(ALONE, say(_ONLY, language, answer=alone.shown))


def answer_in_label(label: str) -> str:
    """Return the answer that the label of a choice names, in any language: `Good` of `Only “Good”`."""
    for before, behind in _frames():
        answer = label.removeprefix(before).removesuffix(behind)
        if answer and f"{before}{answer}{behind}" == label:
            return answer
    return label


@cache
def _frames() -> tuple[tuple[str, str], ...]:
    """Return what stands before and behind the answer in these labels."""
    labels = (say(key, each, answer=_PLACE) for key in (_ONLY, _OTHER) for each in LANGUAGES)
    parted = (label.split(_PLACE) for label in labels)
    return tuple((before, behind) for before, behind in parted)
