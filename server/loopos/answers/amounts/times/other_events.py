"""Dates of another event than the one that a question asks about: `made in January 2019. Bought in May 2019`."""

from __future__ import annotations

from collections.abc import Iterable

from server import patterns
from server.loopos.answers.amounts.dates import find_months
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.clauses.unmeant_figures import tells_unknown
from server.loopos.answers.element import Element
from server.loopos.answers.words import fold, tokens

YEAR = patterns.compile(
    r"(?<![\d.,/€£-])(?:19|20)\d\d(?![\d/-])(?![.,]\d)(?!e\b)(?!\s*(?:€|eur|paus|quid|pounds|bucks|km|mil|disparos|shots))"
)
_BUYING = ("compr", "bought", "buy", "purchas")
_MAKING = ("fabric", "made", "manufact", "feit", "model", "label", "etiquet")


def without_other_events(element: Element, answer: str) -> str:
    """Return an answer to a question for a date without the sentences that date another event, where one is left:
    `made in January 2019. Bought in May 2019`.
    """
    if element.kind != "date" or len(set(YEAR.findall(answer))) + len(set(find_months(answer))) < 2:  # noqa: PLR2004
        return answer
    other = other_event(element)
    parts = _SENTENCES.split(answer)
    is_bought = any(word.startswith(_BUYING) for word in tokens(answer))
    kept = [
        each
        for each in parts
        if not (
            any(word.startswith(other) for word in tokens(each))
            or _OF_PEOPLE.search(fold(each))
            or (is_bought and other is _MAKING and _IS_OF.search(fold(each)))
        )
    ]
    left = " ".join(kept)
    return left if any(map(str.isdigit, left)) else answer


_IS_OF = patterns.compile(
    r"\b(?:e (?:um )?de|(?:it ?s|its|it is) (?:from|a)|dates from|is from)\s(?:19|20)\d\d\b"
)
"""Words of the year of an item: `bought used in 2023, it's from 2020`."""
_OF_PEOPLE = patterns.compile(
    r"\b(?:born|birth\w*|birthday|wedding|married|died|nasc\w+|anivers\w+|casamento|casei|casamos|morreu|faleceu)\b"
)
"""Words of what happened to people: `my second was born July 2021`."""


def other_event(element: Element) -> tuple[str, ...]:
    """Return the beginnings of words for the event that the question for a date does not ask about."""
    label = tokens(f"{element.label.pt} {element.label.en}")
    return _MAKING if any(word.startswith(_BUYING) for word in label) else _BUYING


def asks_purchase(elements: Iterable[Element]) -> bool:
    """Return whether one of the questions asks when the item was bought."""
    return any(each.kind == "date" and other_event(each) is _MAKING for each in elements)


def undated(element: Element, answer: str) -> bool | None:
    """Return whether an answer that only dates the purchase of what was made says that the seller does not know when
    that was: `2020 is when I bought it, the date of manufacture I don't know`. None for any other answer.
    """
    parts = _SENTENCES.split(answer) if element.kind == "date" else []
    told = [each for each in parts if any(map(str.isdigit, each)) or find_months(each)]
    said = [(each, tokens(each)) for each in told] if other_event(element) is _BUYING else []
    is_bought = all(any(word.startswith(_BUYING) for word in words) for _, words in said)
    is_made = any(word.startswith(_MAKING) for _, words in said for word in words)
    if not said or is_made or not is_bought or any(len(YEAR.findall(each)) > 1 for each in told):
        return None
    return is_ignorant(answer) or tells_unknown(element, answer)


_SENTENCES = patterns.compile(r"(?<=[,.;!\n])\s+|\s+(?=(?:but|mas|and|e)\s)")
