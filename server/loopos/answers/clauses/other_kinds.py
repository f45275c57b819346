"""Clauses about a thing of another kind than the one that is asked about: `the ipad is from 2022` of a phone."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.element import Element
from server.loopos.answers.words import MOST_LETTERS, fold

_KINDS = {
    "smartphones": "iphone|smartphone|phone|telemovel|telefone",
    "tablets": "ipad|tablet",
    "laptops": "macbook|laptop|portatil",
    "consoles": "ps4|ps5|playstation|xbox|console|consola",
    "vacuums": "vacuum|hoover|aspirador|dyson",
    "coffee-machines": "coffee (?:machine|maker)|maquina de cafe|cafeteira",
    "bicycles": "bike|bicycle|bicicleta",
    "scooters": "scooter|trotinete",
    "strollers": "stroller|pushchair|pram|carrinho de bebe",
    "furniture": "sofa|couch",
}
"""The words for the things of each protocol that no thing of another one has as a part."""
_SUBJECTS = {
    kind: patterns.compile(
        r"\s*(?:(?:and|but|e|mas|no|nao|oh|ah|so)\b[\s,]*)*(?:the|my|our|[oa]s?|(?:[oa] )?(?:meu|minha|nosso|nossa))\s"
        rf"(?:{names})(?:\s(?:is|was|it|we|i|e|era|foi|from|of|de|do|in|em|has|had|tem|comprei|bought|got|since|desde)\b|\s\d)"
    )
    for kind, names in _KINDS.items()
}
_PARTS = patterns.compile(r"(?<=[,.;!\n])\s+|\s+(?=(?:but|mas|and|e)\s)", patterns.IGNORECASE)


def without_other_kinds(element: Element, answer: str) -> str:
    """Return an answer to a question for a figure without its clauses whose subject is a thing of another kind.

    The words for the own thing before its figure go too: `the ipad is from 2022, the phone from 2021` says `from 2021`.
    """
    own = element.id.partition(".")[0].removeprefix("corded-")
    if own == "kitchen" or len(answer) > MOST_LETTERS:
        return answer
    parts = _PARTS.split(answer)
    kept = [part for part in parts if not _is_of_other(own, part)]
    if len(kept) == len(parts):
        return answer
    named = _OWN.get(own)
    return " ".join(named.sub("", part) if named else part for part in kept).strip(" ,;") or "-"


_OWN = {
    kind: patterns.compile(
        rf"\b(?:the|my|o|a|meu|minha)\s(?:{names}|telemóvel|máquina)\b\s*", patterns.IGNORECASE
    )
    for kind, names in _KINDS.items()
}


def _is_of_other(own: str, part: str) -> bool:
    flat = fold(part)
    return any(shape.match(flat) for kind, shape in _SUBJECTS.items() if kind != own)
