"""The numbers of models in the names of products: `12` in `iPhone 12`, `v11` in `Dyson V11`."""

from server import patterns
from server.languages import fold

_MODEL = patterns.compile(r"[a-z]{0,12}\d[a-z\d]{0,8}")
_CLAUSE = patterns.compile(r"[,.;!?\n]\s*")
_BESIDE = frozenset(
    "mas but e and o a os as the um uma an its it s is este esta esse essa this that one mesmo actually afinal "
    "sim yes ok okay claro certo isso yeah yep sure na verdade antes rather please por favor obrigado obrigada thanks "
    "pro max mini plus lite ultra slim".split()
)
_LONGEST = 200


def names_other_model(words: str, name: str) -> bool:
    """Return whether a clause is the number of another model of this name, alone or behind its words: `the 13` or
    `iphone 13` of an iPhone 12.

    A number with more or fewer figures than those of the name is no model, such as `128`.
    """
    own = fold(name).split()
    shapes = {_shape(word) for word in own if _MODEL.fullmatch(word)}
    for clause in _CLAUSE.split(words[:_LONGEST]):
        left = [each for each in fold(clause).split() if each not in _BESIDE and each not in own]
        if len(left) == 1 and _MODEL.fullmatch(left[0]) and _shape(left[0]) in shapes:
            return True
    return False


def _shape(word: str) -> str:
    return patterns.sub(r"\d", "0", word)
