"""The examples of answers: words that no rule reads mean the option whose examples are nearest, to be asked back.

The nearness of two texts is the cosine of their words and pairs of words, each weighted by how few examples of the
question have it (tf-idf; Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, chapter 6).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from server.loopos.answers.certainty import NEGATIONS
from server.loopos.answers.element import Element
from server.loopos.answers.words import tokens

Vector = Mapping[str, float]

FILE = Path(__file__).with_name("examples.json")
"""By the question's id, or by the part of it behind the dot: each option's value with what people said for it."""
QUESTIONS = 32
"""Of so many questions the vectors are kept: about 500 examples and half a megabyte each, made in 15 to 30 ms."""

NEAR = 0.45
WORDS = 5
"""From here on the examples are surer than a guess by rules."""
_DENIAL = "not"
_DENIALS = NEGATIONS - {"nada", "free"}
_SKIPPED = frozenset("the a an i its is it to of and my o os as e de do da um uma que se ao".split())
_STEM = 5
_PAIR, _RAREST, _LEAST_OF_DENIAL = 0.4, 7.0, 4.5
_NEAREST = (0.6, 0.25, 0.15)
"""The shares of an option's three nearest examples in its nearness."""
_OTHER_POLARITY = 0.4
_ASIDE = "aside"
"""What people say of other things, by the question that it would answer, or `talk`; it answers no other question."""
_TURNS = frozenset("ate until till except exceto excepto tirando salvo senao apart aside".split())
"""What stands before them no longer holds."""
_LEAST, _MARGIN = 0.25, 0.05
"""The nearest option is at least so near, and nearer by so much than the next; tried with 640 answers unseen before."""
_INCLUDED = frozenset(
    "charger box cables parts manual invoice carrycot lid harness screws accessories".split()
)


def nearest_option(element: Element, answer: str) -> tuple[str, float] | None:
    """Return the value of the option that the words of an answer are nearest to, and how near: 0 to 1.

    A boolean has the values `yes` and `no`. None where the question has no examples, or no option is clearly nearest.
    """
    values = ("yes", "no") if element.kind == "boolean" else tuple(each.value for each in element.options)
    index = _index_of(element.id, values)
    ranked = sorted(((near, value) for value, near in index.compare(answer).items()), reverse=True)
    if not ranked or ranked[0][0] < _LEAST or ranked[0][1] == _ASIDE or not _TURNS.isdisjoint(tokens(answer)):
        return None
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _MARGIN:
        return None
    return ranked[0][1], ranked[0][0]


class _ExampleIndex:
    """The examples of one question as vectors."""

    def __init__(self, examples: Mapping[str, list[str]]) -> None:
        """`examples` are the texts of each option, by its value."""
        said = {value: [_features(each) for each in texts] for value, texts in examples.items()}
        self._found_in = Counter(word for texts in said.values() for words in texts for word in words)
        self._count = sum(map(len, said.values()))
        self._vectors = {value: [self._weigh(words) for words in texts] for value, texts in said.items()}

    def compare(self, text: str) -> dict[str, float]:
        """Return how near the text is to each option."""
        vector = self._weigh(_features(text))
        return {value: self._nearness(vector, examples) for value, examples in self._vectors.items()}

    def _nearness(self, vector: Vector, examples: Iterable[Vector]) -> float:
        cosines = sorted((_cosine(vector, each) for each in examples), reverse=True)
        return sum(share * cosine for share, cosine in zip(_NEAREST, cosines, strict=False))

    def _weigh(self, words: Iterable[str]) -> Vector:
        weights = {word: self._weight(word) for word in words}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}

    def _weight(self, word: str) -> float:
        weight = min(math.log((self._count + 1) / (self._found_in[word] + 0.5)), _RAREST)
        if word == _DENIAL:
            return max(weight, _LEAST_OF_DENIAL)
        return weight * _PAIR if " " in word else weight


def _cosine(text: Vector, example: Vector) -> float:
    cosine = sum(weight * text.get(word, 0.0) for word, weight in example.items())
    return cosine if (_DENIAL in text) is (_DENIAL in example) else cosine * _OTHER_POLARITY


def _features(text: str) -> set[str]:
    """Return the stems of the words and of each two neighbours; every denial is the same word."""
    words = [_DENIAL if word in _DENIALS else word[:_STEM] for word in tokens(text) if word not in _SKIPPED]
    return {*words, *(f"{one} {other}" for one, other in pairwise(words))}


@cache
def _read() -> dict[str, dict[str, list[str]]]:
    read: dict[str, dict[str, list[str]]] = json.loads(FILE.read_bytes())
    return read


@lru_cache(maxsize=QUESTIONS)
def _index_of(question: str, values: tuple[str, ...]) -> _ExampleIndex:
    name = question.rpartition(".")[2]
    asides = _read()[_ASIDE].items()
    examples = {_ASIDE: [text for about, texts in asides if about != name for text in texts]}
    for group in (question, name, *(["included"] if name in _INCLUDED else [])):
        found = _read().get(group, {})
        if set(found) <= set(values):
            for value, texts in found.items():
                examples.setdefault(value, []).extend(texts)
    return _ExampleIndex(examples if len(examples) > 1 else {})
