"""Texts of requests as rules read them: in folded words that know where they stood, in clauses."""

from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from server import patterns
from server.demo.reading import MOST_LETTERS
from server.languages import fold
from server.text_reading.words.beginnings import beginning_of
from server.text_reading.words.markup_removal import without_markup

_WORD = patterns.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = patterns.compile(
    r"[.!?;\n](?!\d)|,(?!\d)|\b(?:mas|porém|but|however|pero|sino|aber|jedoch|sondern)\b", patterns.IGNORECASE
)
_SHORTEST_MISSPELLED = 6
"""Letters from which on a word with one wrong letter is still that word."""


def plain_beginning(text: object, most: int = MOST_LETTERS) -> str:
    """Return what rules read of a field: its first letters, without markup; nothing of None."""
    return beginning_of(without_markup("" if text is None else str(text)), most)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, folded, and where it stood."""

    folded: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """Return the words of a text."""
    return [Word(_fold_word(each[0]), each.start(), each.end()) for each in _WORD.finditer(text)]


def _fold_word(word: str) -> str:
    folded = word.casefold() if word.isascii() else fold(word)
    return folded.replace("'", "")


def clauses_of(text: str) -> list[str]:
    """Part a text at full stops, commas and words such as `mas`; a mark between digits parts nothing."""
    return [each.strip() for each in _CLAUSE.split(text) if each and each.strip()]


def known_spelling(word: str, known: frozenset[str]) -> str:
    """Return the known word that this one is with one letter wrong, else the word itself."""
    if len(word) < _SHORTEST_MISSPELLED or word in known:
        return word
    near = (each for each in known if abs(len(each) - len(word)) <= 1 and each[0] == word[0])
    return next((each for each in near if DamerauLevenshtein.distance(each, word) == 1), word)


def stem(word: str) -> str:
    """Return a folded word without the ending that gender and number change: `preta`, `pretos` and `preto` are one."""
    short = word[:-1] if len(word) > 3 and word.endswith("s") else word  # noqa: PLR2004
    return short[:-1] if len(short) > 3 and short[-1] in "aoe" else short  # noqa: PLR2004
