"""Parts of an item, and things beside it, that have a colour of their own, which is not that of the item."""

from collections.abc import Collection

from server import patterns
from server.languages import fold

COLOURED_PARTS = frozenset(
    "capota capotas hood canopy assento assentos seat seats roda rodas wheel wheels capa capas cover covers case cases "
    "bracelete braceletes correia pulseira strap straps alcofa bassinet carrycot cesto basket almofada cushion punho "
    "punhos handle handles saco mala bag".split()
)
_CLAUSES = patterns.compile(r"(?<=[,;.!?])\s+|\n")


def without_coloured_parts(text: str, own: Collection[str]) -> str:
    """Return a text without the clauses on a part that is none of the `own` words: `a capota é azul marinho`."""
    parts = _parts_beside(own)
    said = (part for each in _CLAUSES.split(text) for part in split_part(each, own))
    return " ".join(each for each in said if parts.isdisjoint(fold(each).split()))


def _parts_beside(own: Collection[str]) -> frozenset[str]:
    """Return the words of parts that are none of the `own` words, in the singular or plural."""
    known = {each.rstrip("s") for each in own}
    return frozenset(each for each in COLOURED_PARTS if each.rstrip("s") not in known)


def split_part(clause: str, own: Collection[str]) -> list[str]:
    """Return what a clause says of a part, and of the `own` behind it, apart: `green canopy`, `on black chassis`."""
    parts, said = _parts_beside(own), [each for each in _ON.split(clause) if each]
    first, last = fold(said[0]).split() if said else [], fold(said[-1]).split() if said else []
    is_apart = not parts.isdisjoint(first) and parts.isdisjoint(last) and not {*own}.isdisjoint(last)
    return said if is_apart else [clause]


_ON = patterns.compile(r"\s(?=(?:on|em)\s)", patterns.IGNORECASE)
