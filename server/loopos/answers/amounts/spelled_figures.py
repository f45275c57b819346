"""Answers to a question for a number or date in plainer words: without the question behind it, and typed in full."""

from __future__ import annotations

from server import patterns
from server.languages import split_question
from server.loopos.answers.amounts.numbers import unit_words, units_of_others
from server.loopos.answers.element import Element
from server.loopos.answers.words import FILLERS, edits, tokens

_THOUSANDS = patterns.compile(
    r"(?<![\w.,])(?P<many>\d{1,3})\s?(?:mil|thousand)\s(?:(?:e|and)\s)?(?P<more>[1-9]\d\d)(?!\w|[.,]\d)"
    r"(?!\s?(?:€|%|euros?\b|mil\b|thousand\b))",
    patterns.IGNORECASE,
)
"""`3 mil e 500`, `3 mil 500`."""
_COUNTED = patterns.compile(r"(?<![\w.,])(?P<figure>\d[\d.,]*+(?:k\b|\smil\b)?)\s?(?P<word>[^\W\d]{4,12})\b")
_MARKLESS = patterns.compile(r"(?<=[\d%])\s+(?=(?:isso|isto|is (?:that|this|it))\s)", patterns.IGNORECASE)
"""The place of a comma that is left out before a question: `86% is that ok?`."""
_MAYBE = patterns.compile(r"\b(?:mayb|mabe|mabye|maybee|mebbe|prolly|probs)\b", patterns.IGNORECASE)
_TALVEZ = patterns.compile(r"\b(?:talves|tlvz|tavez|talvex)\b", patterns.IGNORECASE)
_LONG, _LONGEST = 6, 300
"""From this length on a unit may have two errors; a longer answer than the latter is no typed figure."""


def spell_figure(element: Element, answer: str) -> str:
    """Return an answer without the question behind its figure or date; of a number its thousands as one figure, and a
    misspelled unit as the unit: `like 25 houers mayb`.
    """
    said, asked = split_question(_MARKLESS.sub(", ", answer)) if "?" in answer else (answer, "")
    if asked and any(map(str.isdigit, said)):
        return said
    if element.kind != "number" or len(answer) > _LONGEST:
        return answer
    answer = _THOUSANDS.sub(lambda found: str(1000 * int(found["many"]) + int(found["more"])), answer)
    answer = _TALVEZ.sub("talvez", _MAYBE.sub("maybe", answer))
    units = sorted(word for word in unit_words(element.unit) if len(word) >= len("hora"))
    others = FILLERS | units_of_others(element.unit) | unit_words(element.unit) | _OTHERS
    return _COUNTED.sub(lambda found: _with_unit(found, units, others), answer)


def _with_unit(found: patterns.Match[str], units: list[str], others: frozenset[str] | set[str]) -> str:
    word = "".join(tokens(found["word"]))
    if word in others:
        return found[0]
    near = next((each for each in units if edits(word, each, _most(each)) <= _most(each)), None)
    return found[0] if near is None else f"{found['figure']} {near}"


def _most(unit: str) -> int:
    return 2 if len(unit) > _LONG else 1


_OTHERS = frozenset(
    "euros anos years meses months dias days semanas weeks vezes times pessoas people games jogos more mais less menos "
    "ours pounds quid paus right left over under caps casas cases cards copos cores colours".split()
)
"""Words behind a figure that are no misspelled unit."""
