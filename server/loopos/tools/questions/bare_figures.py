"""Figures without a name: a bare number surely answers the question that was shown alone, and no price far below
the one that is known.
"""

from collections.abc import Sequence
from datetime import date

from server.loopos.answers import (
    PRICE,
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    judge,
    speaks_of,
    told_price,
)
from server.loopos.answers.amounts.dates import lacks_year
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.certainty import content
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.confirmation import pending
from server.loopos.tools.questions.early_price import last_amount
from server.loopos.tools.questions.item_questions import Questions

_FAR_BELOW = 10
"""A price this many times below the one that is known may be the number of something else."""
_MOST_BETWEEN, _LONGEST_MONTH = 3, 60
"""A month is looked for in so many of the newest messages, each of at most so many characters."""
_FIGURES = frozenset(("number", "date", "price"))


def doubt_bare_figure(questions: Questions, element: Element, words: str, judged: Judgement) -> Judgement:
    """Return a number or price, to be asked back where another question for a figure was shown and the words name
    neither this one nor its unit. Where another value of this question waits for a yes, that one goes on waiting.
    """
    draft = questions.draft
    shown = next((each for each in questions.asked if each.id == draft.waiting_block()), element)
    is_figure = element.kind in ("number", "price") and shown.kind in _FIGURES
    if shown is element or not is_figure or isinstance(judged, Refused):
        return judged
    if _names(element, words, draft.language):
        return judged
    kept = pending(draft, element.id)
    if kept is not None:
        return ProbableAnswer(kept)
    return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped else judged


def note_passing_price(questions: Questions, judged: Judgement, waited: Valid | None) -> None:
    """Keep a bare amount at the end of a message that does not answer with it, to be asked back as the price.

    At a question for a number it may be that number, and behind an answer the number that another open question counts.
    """
    draft = questions.draft
    shown = next((each for each in questions.asked if each.id == draft.waiting_block()), None)
    if shown is None or shown.kind in ("number", "price"):
        return
    message = next(iter(draft.messages()), "")
    amount = last_amount(message)
    is_answer = not isinstance(judged, Refused) and waited is None
    is_counted = is_answer and (
        shown.kind == "text" or any(each.kind == "number" for each in questions.open())
    )
    is_alone = shown.kind in _FIGURES and amount == message.strip(" .!")
    if amount and not is_counted and not is_alone:
        draft.run.private["passing_price"] = amount


def without_passing_price(questions: Questions, element: Element, text: str) -> str:
    """Return an answer to a choice without the bare amount at its end, which is asked back as the price: `no box. 180`.

    Where another open question counts a number, or a choice has one, the amount may be that.
    """
    amount = last_amount(text)
    chosen = "".join(f"{each.label.pt}{each.label.en}" for each in element.options)
    is_choice = element.kind in ("boolean", "select") and not any(map(str.isdigit, chosen))
    if not amount or not is_choice or amount == text.strip(" .!") or _counts_later(questions):
        return text
    return text[: text.rindex(amount)].rstrip(" ,.;:-")


def _counts_later(questions: Questions) -> bool:
    return any(each.kind == "number" for each in questions.open())


def doubt_far_below(known: float | None, words: str, judged: Judgement, language: str) -> Judgement:
    """Return a price, to be asked back where it is far below the known one and its words name no money."""
    if known is None or not isinstance(judged, Valid) or judged.skipped or _names(PRICE, words, language):
        return judged
    return ProbableAnswer(judged) if float(judged.value or 0) * _FAR_BELOW < known else judged


def add_named_month(
    questions: Questions, element: Element, messages: Sequence[str], judged: Judgement, today: date
) -> Judgement:
    """Return a bare year with the month that the seller wrote before, where only its year was asked for."""
    draft = questions.draft
    is_asked = draft.run.private.get("refused", [])[:2] == [element.id, "year_missing"]
    if not is_asked or draft.waiting_block() != element.id:
        return judged
    year = str(judged.value) if isinstance(judged, Valid) else ""
    month = next((each for each in messages[1:_MOST_BETWEEN] if lacks_year(each)), None)
    if month is None or not (year.isdecimal() and len(month) <= _LONGEST_MONTH):
        return judged
    whole = judge(element, f"{month} {year}", draft.language, today)
    return judged if isinstance(whole, Refused) else whole


def _names(element: Element, words: str, language: str) -> bool:
    """Return whether words say the question, its unit, or an amount of money as the price."""
    if element.kind == "price" and ("€" in words or told_price(words, language) is not None):
        return True
    return names_figure(element, words)


def names_figure(element: Element, words: str) -> bool:
    """Return whether words say the question of a figure or its unit."""
    said = tokens(words)
    own = [word for word in content(said) if not is_number(word)]
    return not unit_words(element.unit).isdisjoint(said) or (bool(own) and speaks_of(element, " ".join(own)))
