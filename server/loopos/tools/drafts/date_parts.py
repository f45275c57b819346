"""The month or the year that a seller says instead of that of a date which waits for their yes."""

from datetime import date

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid, judge
from server.loopos.answers.amounts.spoken_dates import names_month
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.words import fold

_YEAR = 4
"""A date begins with the letters of its year."""
_ONLY_YEAR = patterns.compile(
    r"(?:(?:afinal|alias|actually|desculpe?|sorry|foi|era|it was|was|its|em|in|de|e)[\s,]+)*+"
    r"(?P<year>(?:19|20)\d\d)(?:[\s,]+(?:afinal|actually|sorry))?[\s.!]*"
)


def put_date_right(
    element: Element, kept: Valid, words: str, language: str, today: date
) -> ProbableAnswer | None:
    """Return the date that waits with the month, or the year, that words say alone, asked back; None for others.

    A year that waits alone is replaced by another one as by any other date.
    """
    if element.kind != "date" or is_ignorant(words):
        return None
    old = str(kept.value)[:_YEAR]
    only = _ONLY_YEAR.fullmatch(fold(words).strip()) if str(kept.value) != old else None
    said = f"{words} {old}" if names_month(words) else kept.shown.replace(old, only["year"]) if only else ""
    judged = judge(element, said, language, today) if said else None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return ProbableAnswer(guess) if isinstance(guess, Valid) and not guess.skipped else None
