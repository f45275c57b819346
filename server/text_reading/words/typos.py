"""Words with a typing error: which two are the same word, and which of many are worth comparing."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

LIKE = 0.78
"""The ratio of difflib from which on two words are one."""
SHORT = 4
"""Letters from which on a word has typos."""
_ROUGH = LIKE - 0.01
"""The ratio of `Indel`, which is never less than that of difflib; it is found much faster."""


def alike(one: str, other: str) -> bool:
    """Return whether two words are equal, or one is a typo of the other, long enough to have one."""
    if one == other:
        return True
    if min(len(one), len(other)) < SHORT or Indel.normalized_similarity(one, other) < _ROUGH:
        return False
    is_figure = any(each.isdigit() for each in one + other)
    return not is_figure and SequenceMatcher(None, one, other).ratio() >= LIKE


def mend(word: str, known: Iterable[str]) -> str:
    """Return the known word of which this one is a typing error behind the first letter; itself where there is none."""
    likely = [each for each in known if each[0] == word[0] and alike(each, word)]
    return next(iter(get_close_matches(word, likely, 1, LIKE)), word)


def near(words: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the words that may be like one of the others: those of a long text that `alike` is asked for."""
    known, near = [*dict.fromkeys(others)], Indel.normalized_similarity
    return [each for each in words if extractOne(each, known, scorer=near, score_cutoff=_ROUGH)]
