"""The examples of answers: words that no rule reads mean the option whose examples are nearest, to be asked back."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

from server import patterns
from server.languages import detect_language
from server.loopos.answers.certainty import NEGATIONS, PRAISE
from server.loopos.answers.element import Element
from server.loopos.answers.words import clauses, tokens
from server.text_reading.words.nearest_examples import NearestExamples

FILE = Path(__file__).with_name("examples.json")
"""By the question's id, or by the part of it behind the dot: each option's value with what people said for it."""
QUESTIONS = 32
"""Of so many questions the vectors are kept: about 500 examples and half a megabyte each, made in 15 to 30 ms."""
_LEAST = 0.255
"""Below it words like `tem de ser` are near to an example by chance."""
NEAR = 0.45
VERY_NEAR = 0.75
"""So near, the examples are surer than any guess of the rules."""
WORDS = 5
"""Of so many words, and so near, an answer is surer by its examples than by a guess of the rules."""

_DENIALS = NEGATIONS - {"nada", "free"}
_ASIDE = "aside"
"""What people say of other things, by the question that it would answer, or `talk`; it answers no other question."""
_TURNS = frozenset("ate until till except exceto excepto tirando salvo senao apart aside".split())
"""What stands before them no longer holds."""
_INCLUDED = frozenset(
    "charger box cables parts manual invoice carrycot lid harness screws accessories".split()
)


def nearest_option(element: Element, answer: str) -> tuple[str, float] | None:
    """Return the value of the option that the words of an answer are nearest to, and how near: 0 to 1.

    A boolean has the values `yes` and `no`. None where the question has no examples, or no option is clearly nearest,
    or one that ends the sale is, though not plainly.
    """
    values = ("yes", "no") if element.kind == "boolean" else tuple(each.value for each in element.options)
    examples = _examples_of(element.id, values)
    if examples is None or not _TURNS.isdisjoint(words := tokens(answer)):
        return None
    if words == _OF_MANY or (len(words) == 1 and words[0] in _NOTHING):
        return None
    found = examples.find(answer)
    if found is None or found[0] == _ASIDE or found[1] < _LEAST:
        return None
    ends = {each.value for each in element.options if each.deal_breaker}
    return found if found[0] not in ends or _is_plain(examples, found[0], ends, answer) else None


_NOTHING = NEGATIONS | {"nothing"}
_OF_MANY = ["qwerty"]
"""The layout of most keyboards, which tells no language, though it is written almost as that of another is."""
_IN_THE = patterns.compile(
    r"(?<=\w\s)(?<!['’]s )(?<!\b(?:is|has|got|and|but) )(?<!\b(?:have|with) )(?<!\b(?:there|theres) )no(?=\s\w)",
    patterns.IGNORECASE,
)
"""A `no` between two words that denies nothing in Portuguese."""


def is_very_near(element: Element, answer: str, value: object) -> bool:
    """Return whether the examples plainly say that an answer means this option, or the side of a boolean."""
    found, near = nearest_option(element, answer) or ("", 0.0)
    meant = value if element.kind == "select" else "yes" if value else "no"
    return near >= VERY_NEAR and found == meant


def _is_plain(examples: NearestExamples, value: str, ends: set[str], answer: str) -> bool:
    """Return whether an answer plainly says this option, which ends the sale: of several clauses one does alone, and
    none is near to an option that does not end it: `tira café, mas o vaporizador já não deita vapor`.
    """
    parts, words = clauses(answer), tokens(answer)
    if not PRAISE.isdisjoint(words) and NEGATIONS.isdisjoint(words):
        return False
    found = [near for each in parts if (near := examples.find(" ".join(each))) is not None]
    others = [each for each in found if each[0] not in ends | {_ASIDE} and each[1] >= NEAR]
    return not others and (len(parts) == 1 or any(each[0] == value for each in found))


@cache
def _read() -> dict[str, dict[str, list[str]]]:
    read: dict[str, dict[str, list[str]]] = json.loads(FILE.read_bytes())
    return read


@lru_cache(maxsize=QUESTIONS)
def _examples_of(question: str, values: tuple[str, ...]) -> NearestExamples | None:
    name = question.rpartition(".")[2]
    examples: dict[str, list[str]] = {}
    for group in (question, name, *(["included"] if name in _INCLUDED else [])):
        found = _read().get(group, {})
        if set(found) <= set(values):
            for value, texts in found.items():
                examples.setdefault(value, []).extend(texts)
    if not examples:
        return None
    asides = [text for about, texts in _read()[_ASIDE].items() if about != name for text in texts]
    return NearestExamples(examples | {_ASIDE: asides}, _split, _DENIALS)


def _split(text: str) -> list[str]:
    """Return the words of a text, with `em` for the Portuguese `no`, which denies nothing: `tenho no mail`."""
    is_told = _IN_THE.search(text) is not None and detect_language(text) != "en"
    return tokens(_IN_THE.sub("em", text) if is_told else text)
