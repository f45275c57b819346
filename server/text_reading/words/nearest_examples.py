"""The nearest examples: which of several meanings a text is likely to have, by texts that are known to have them.

The nearness of two texts is the cosine of their words and pairs of words, each weighted by how few examples have it
(tf-idf; Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, chapter 6).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from server import patterns
from server.languages import fold

Vector = Mapping[str, float]

_DENIAL = "not"
_SKIPPED = frozenset("the a an i its is it to of and my o os as e de do da um uma que se ao".split())
_STEM = 5
_PAIR, _RAREST, _LEAST_OF_DENIAL = 0.4, 7.0, 4.5
_NEAREST = (0.6, 0.25, 0.15)
"""The shares of a meaning's three nearest examples in its nearness."""
_OTHER_POLARITY = 0.4
_LEAST, _MARGIN = 0.25, 0.05
"""The nearest meaning is at least so near, and nearer by so much than the next; tried with texts unseen before."""


class NearestExamples:
    """Texts with the meanings that they have, to find that of another text."""

    def __init__(
        self,
        examples: Mapping[str, Iterable[str]],
        split: Callable[[str], Sequence[str]],
        denials: Set[str] = frozenset(),
    ) -> None:
        """Weigh the words of `examples`, by meaning; `split` returns folded words, `denials` are words like "no"."""
        self._split, self._denials = split, denials
        said = {name: [self._features(each) for each in texts] for name, texts in examples.items()}
        self._found_in = Counter(word for texts in said.values() for words in texts for word in words)
        self._count = sum(map(len, said.values()))
        self._vectors = {name: [self._weigh(words) for words in texts] for name, texts in said.items()}

    def find(self, text: str) -> tuple[str, float] | None:
        """Return the meaning that is clearly nearest, and how near it is: 0 to 1."""
        vector = self._weigh(self._features(text))
        found = ((self._nearness(vector, examples), name) for name, examples in self._vectors.items())
        (near, name), *others = sorted(found, reverse=True) or [(0.0, "")]
        next_near = others[0][0] if others else 0.0
        return (name, near) if near >= _LEAST and near - next_near >= _MARGIN else None

    def know(self, name: str, words: str) -> bool:
        """Return whether an example of the meaning has one of the words."""
        said = {each for each in self._features(words) if " " not in each}
        return any(not said.isdisjoint(each) for each in self._vectors[name])

    def _features(self, text: str) -> set[str]:
        """Return the stems of the words and of each two neighbours; every denial is the same word."""
        words = [
            _DENIAL if word in self._denials else word[:_STEM]
            for word in self._split(text)
            if word not in _SKIPPED
        ]
        return {*words, *(f"{one} {other}" for one, other in pairwise(words))}

    def _weigh(self, words: Iterable[str]) -> Vector:
        weights = {word: self._weight(word) for word in words}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}

    def _weight(self, word: str) -> float:
        weight = min(math.log((self._count + 1) / (self._found_in[word] + 0.5)), _RAREST)
        if word == _DENIAL:
            return max(weight, _LEAST_OF_DENIAL)
        return weight * _PAIR if " " in word else weight

    def _nearness(self, vector: Vector, examples: Iterable[Vector]) -> float:
        cosines = sorted((_cosine(vector, each) for each in examples), reverse=True)
        return sum(share * cosine for share, cosine in zip(_NEAREST, cosines, strict=False))


@lru_cache(maxsize=8)
def read_examples(file: Path, denials: frozenset[str]) -> NearestExamples:
    """Return the examples of a JSON file, texts by meaning; a file is read once."""
    return NearestExamples(
        json.loads(file.read_bytes()), lambda text: patterns.findall(r"\w+", fold(text)), denials
    )


def _cosine(text: Vector, example: Vector) -> float:
    if text.keys().isdisjoint(example):
        return 0.0
    cosine = sum(weight * text.get(word, 0.0) for word, weight in example.items())
    return cosine if (_DENIAL in text) is (_DENIAL in example) else cosine * _OTHER_POLARITY
