"""Dates of another event than the one that a question asks about: `made in January 2019. Bought in May 2019`."""

from __future__ import annotations

from collections.abc import Iterable

from server import patterns
from server.loopos.answers.amounts.dates import find_months
from server.loopos.answers.element import Element
from server.loopos.answers.words import fold, tokens

YEAR = patterns.compile(
    r"(?<![\d.,/€£-])(?:19|20)\d\d(?![\d/-])(?![.,]\d)(?!e\b)(?!\s*(?:€|eur|paus|quid|pounds|bucks|km|mil|disparos|shots))"
)
BUYING = ("compr", "bought", "buy", "purchas")
MAKING = ("fabric", "made", "manufact", "feit", "model", "label", "etiquet")


def without_other_events(element: Element, answer: str) -> str:
    """Return an answer to a question for a date without the sentences that date another event, where one is left:
    `made in January 2019. Bought in May 2019`.
    """
    if element.kind != "date" or len(set(YEAR.findall(answer))) + len(set(find_months(answer))) < 2:  # noqa: PLR2004
        return answer
    other = other_event(element)
    parts = SENTENCES.split(answer)
    is_bought = any(word.startswith(BUYING) for word in tokens(answer))
    kept = [
        each
        for each in parts
        if not (
            any(word.startswith(other) for word in tokens(each))
            or _OF_PEOPLE.search(fold(each))
            or (is_bought and other is MAKING and _IS_OF.search(fold(each)))
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
    return MAKING if any(word.startswith(BUYING) for word in label) else BUYING


def asks_purchase(elements: Iterable[Element]) -> bool:
    """Return whether one of the questions asks when the item was bought."""
    return any(each.kind == "date" and other_event(each) is MAKING for each in elements)


SENTENCES = patterns.compile(r"(?<=[,.;!\n])\s+|\s+(?=(?:but|mas|and|e)\s)")
