"""Numbers that are only limits of another one: `somewhere under 10,000`, `menos de 80`."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.words import MOST_LETTERS, fold

_WORDS = "|".join(sorted(NUMBER_WORDS - {"um", "uma"}, key=len, reverse=True))
_FIGURE = rf"(?:(?:the|os|as|about|around|uns|umas|like|say)\s)*(?:\d[\d.,]*+|(?:{_WORDS})\b)"
_ANY_FIGURE = patterns.compile(r"\d[\d.,]*+")
_BELOW = patterns.compile(
    r"(?<!\bnot )(?<!\bnao )\b(?:under|below|(?:less|fewer) than|(?:no|not) more than|short of|"
    r"menos (?:de|do que|que)|abaixo d[eo]s?|"
    rf"inferior a(?:os)?|(?:nao|nem) (?:deve |sequer )?(?:chegar?|passar?) (?:aos?|as|d[aeo]s?|a)) {_FIGURE}"
)
_ABOVE = patterns.compile(
    r"\b(?:over|above|(?:more|greater) than|at least|mais (?:de|do que|que)|acima d[eo]s?|pelo menos|no minimo|"
    rf"superior a(?:os)?) {_FIGURE}"
)


def is_only_limit(message: str) -> bool:
    """Return whether the only figure of a message is what a number is below, or above where its writer knows no more:
    `less than 10k`, `no idea, over 5000 for sure`.
    """
    flat = " ".join(fold(message[:MOST_LETTERS]).split())
    if len(_ANY_FIGURE.findall(flat)) > 1:
        return False
    return _BELOW.search(flat) is not None or (is_ignorant(message) and _ABOVE.search(flat) is not None)
