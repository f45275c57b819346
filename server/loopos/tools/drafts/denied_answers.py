"""Answers that the seller denied: none is proposed again at its question by words that do not name it."""

from datetime import date

from server.agents import RunContext
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    confirms,
    is_hedged_no,
    is_hedged_yes,
    judge,
)
from server.loopos.answers.amounts.numbers import read_number
from server.loopos.answers.certainty import NEGATIONS, content, is_like, opening
from server.loopos.answers.clauses.item_words import tells_of_item
from server.loopos.answers.judges.guesses.doubted_years import settle_doubted
from server.loopos.answers.judges.guesses.faulty_parts import works_after_all
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import Correction, is_shown, pending, settle, undo_denial
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.leading_yes import adds_note, says_yes_first
from server.loopos.tools.drafts.proposal_choices import NO
from server.loopos.tools.drafts.words_behind_yes import names_label

_KEY, _KINDS = "denied_answers", ("select", "boolean", "number", "date")
_MOST = 20
"""So many denied answers of a question are remembered, the newest."""
_BEFORE = 3
"""The answer is proposed for one of so many of the newest messages, the one that denies it among them."""


def settle_answer(draft: Draft, element: Element, today: date) -> Judgement | Correction | None:
    """Return what the newest message says to the answer that waits for a yes, as `settle` does.

    An answer that it denies is remembered.
    A year whose seller does not know which of two it is stands as it was asked back, with the other one beside it.
    A no to faults that says that all works proposes that. To a yes or no that waits, `I don't think so` is a no that is
    asked back. A message about nothing of the item leaves the answer as it waits.
    """
    kept = pending(draft, element.id)
    newest = next(iter(draft.messages()), "")
    is_typed = draft.clicked_value(element.id) is None
    leans = element.kind == "boolean" and is_typed and is_hedged_no(newest)
    if kept is not None and leans and is_shown(draft, element.id):
        if kept.value is True:
            _note(draft.run, element, kept, [newest])
        return ProbableAnswer(Valid(False, text_of_side(False, draft.language)))
    told = works_after_all(element, kept, newest, draft.language) if kept is not None and is_typed else None
    if told is not None and kept is not None and is_shown(draft, element.id):
        _note(draft.run, element, kept, draft.messages()[1:_BEFORE])
        return ProbableAnswer(told)
    if kept is not None and is_typed and element.kind == "date" and is_shown(draft, element.id):
        agrees, rest = confirms(newest, draft.language)
        if doubted := settle_doubted(kept, newest, rest, draft.language, agrees=agrees is True):
            return doubted
    yes_first = kept is not None and is_typed and is_shown(draft, element.id)
    settled = settle(draft, element, today)
    if (
        kept
        and yes_first
        and says_yes_first(element, kept, newest, draft.language)
        and not adds_note(kept, settled)
    ):
        undo_denial(draft)
        return kept
    if settled is None and kept is not None and is_typed and _is_of_nothing(draft, element, kept, today):
        return ProbableAnswer(kept, "unread")
    is_no = settled == Refused("not_confirmed") or (
        isinstance(settled, Correction) and confirms(newest, draft.language)[0] is False
    )
    if kept is not None and (is_no or draft.clicked_value(element.id) == NO):
        _note(draft.run, element, kept, draft.messages()[1:_BEFORE])
    return settled


def _is_of_nothing(draft: Draft, element: Element, kept: Valid, today: date) -> bool:
    """Return whether the newest message hints at another choice than the one that waits by a word that is of no item:
    `bananas às riscas`.
    """
    newest = next(iter(draft.messages()), "")
    if element.kind not in ("select", "boolean") or not is_shown(draft, element.id):
        return False
    judged = judge(element, newest, draft.language, today)
    is_other = isinstance(judged, ProbableAnswer) and judged.guess.value != kept.value
    is_open = is_other and not element.id.startswith("option:") and opening(newest)[0] is None
    return is_open and not (tells_of_item(element, newest) or names_label(element, kept, newest))


def without_denied(draft: Draft, element: Element, judged: Judgement) -> Judgement:
    """Return the judgement; one that proposes an answer that was denied before is refused.

    Where the newest message names that answer, or a click is it, it is proposed.
    """
    is_clicked = draft.clicked_value(element.id) is not None
    if is_clicked or not isinstance(judged, ProbableAnswer) or element.kind not in _KINDS:
        return judged
    guess, denied = judged.guess, draft.run.private.get(_KEY, {}).get(element.id, ())
    waits = pending(draft, element.id)
    if guess.value not in denied or (waits is not None and waits.value == guess.value):
        return judged
    if _names(element, guess, next(iter(draft.messages()), "")):
        return judged
    label = next((each.label for each in element.options if each.value == guess.value), None)
    return Refused("denied_before", {"said": label.text_in(draft.language) if label else guess.shown})


def _note(run: RunContext, element: Element, kept: Valid, words: list[str]) -> None:
    """Remember an answer that was denied, where none of the words that it was read from names it: a no is of the note
    beside it then.
    """
    if element.kind not in _KINDS or any(_names(element, kept, each) for each in words):
        return
    known = run.private.setdefault(_KEY, {}).setdefault(element.id, [])
    known[:] = [*(each for each in known if each != kept.value), kept.value][-_MOST:]


def _names(element: Element, guess: Valid, words: str) -> bool:
    """Return whether words name an answer: its label, its number or year, or a yes or no."""
    if element.kind == "boolean":
        says = True if is_hedged_yes(words) else False if is_hedged_no(words) else opening(words)[0]
        return says is guess.value
    said = tokens(words)
    if element.kind == "select":
        labels = [each.label for each in element.options if each.value == guess.value]
        names = [content(tokens(name), NEGATIONS) for label in labels for name in (label.pt, label.en)]
        return any(name and all(any(is_like(one, each) for each in said) for one in name) for name in names)
    if element.kind == "date":
        return str(guess.value)[:4] in words
    return any(read_number(each) == guess.value for each in words.split())
