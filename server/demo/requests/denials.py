"""Words that a text denies: what stands behind a `not`, in each of the five languages."""

from collections.abc import Sequence

from server.demo.requests.clauses import Word, clauses_of, stem, words_of
from server.languages import detect_language

Denied = dict[str, str]
"""By the stem of each denied word what denies it, as the text writes it."""

_DENIALS = frozenset(
    "nao nem sem nunca nenhum nenhuma not never without neither nor isnt arent dont doesnt cannot cant wasnt"
    " ni sin tampoco ningun ninguna pas jamais sans aucun aucune nicht nie kein keine keinen keinem keiner ohne weder"
    " noch".split()
)
_BETWEEN = frozenset(
    "o a os as um uma e esta ser de do da bem muito mais the an in of is are be it any really very to for"
    " el la los las un una es son de del muy mas le les des du de est tres plus der die das den ein eine einen ist"
    " sehr mehr zu es so ou or oder y et und"
    " cor color colour couleur farbe".split()
)
"""Words that may stand between a denial and what it denies."""
_FAR = 3
_NO = "no"
"""A denial in English and Spanish; in Portuguese it means `on the`."""
_WITH_NO = frozenset({"en", "es"})


def denied_words(text: str) -> Denied:
    """Return the words of a text that stand nowhere in it without a denial."""
    denials = _DENIALS | ({_NO} if detect_language(text) in _WITH_NO else set())
    found: Denied = {}
    affirmed: set[str] = set()
    for clause in clauses_of(text):
        parts = words_of(clause)
        for at, word in enumerate(parts):
            first = _denial_before(parts, at, denials)
            if first is None:
                affirmed.add(stem(word.folded))
            else:
                found.setdefault(stem(word.folded), clause[parts[first].start : word.end])
    return {name: said for name, said in found.items() if name not in affirmed}


def _denial_before(words: Sequence[Word], at: int, denials: frozenset[str]) -> int | None:
    """Return the place of the denial that reaches a word; None where none does."""
    for before in range(at - 1, max(at - _FAR - 2, -1), -1):
        if words[before].folded in denials:
            return before
        if words[before].folded not in _BETWEEN:
            return None
    return None
