"""Clauses about a thing of another kind than the one that is asked about: `the ipad is from 2022` of a phone, and
sentences about another thing of the home: `my washing machine is leaking` of a coffee machine, or of others.
"""

from __future__ import annotations

from server import patterns
from server.loopos.answers.element import Element
from server.loopos.answers.things_of_others import is_of_others, speaks_of_own
from server.loopos.answers.words import MOST_LETTERS, fold, tokens

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


def without_other_goods(element: Element, text: str) -> str:
    """Return a text about an item without its sentences whose subject is another thing of the home, which no item of
    this kind has as a part, or a thing of another person, and without what their next clauses say of it.

    The text itself where there are none, nothing where it says no more than that.
    """
    own = element.id.partition(".")[0].removeprefix("corded-")
    if own not in _SOLD or len(text) > MOST_LETTERS:
        return text
    sentences = _SENTENCES.split(text)
    beside_own = any(speaks_of_own(fold(part)) for each in sentences for part in _CLAUSES.split(each))
    kept = [_own_clauses(own, each, beside_own=beside_own) for each in sentences]
    return text if kept == sentences else " ".join(each for each in kept if tokens(each)).strip(" ,;")


def tells_of_others(element: Element, text: str) -> bool:
    """Return whether a clause of the text is about a thing of another person, or another one of the seller's."""
    own = _KINDS.get(element.id.partition(".")[0].removeprefix("corded-"), "")
    return any(is_of_others(fold(part), own, beside_own=True) for part in _CLAUSES.split(text))


def _own_clauses(own: str, sentence: str, *, beside_own: bool) -> str:
    kept, parts, is_other = list[str](), _CLAUSES.split(sentence), False
    for part in parts:
        flat = fold(part)
        goes_on = is_other and _GOES_ON.match(flat) is not None
        is_other = _is_of_goods(own, flat) or goes_on
        is_other |= is_of_others(flat, _KINDS.get(own, ""), beside_own=beside_own)
        kept += [] if is_other else [part]
    return sentence if len(kept) == len(parts) else _JOINT.sub("", " ".join(kept))


_JOINT = patterns.compile(r"^\s*(?:but|mas)\s+", patterns.IGNORECASE)
"""A contrast to what is left out: `but mine works`."""


def _is_of_goods(own: str, part: str) -> bool:
    others = (
        shape.match(part) for kind, shape in _GOODS.items() if kind != own and own not in _ALIKE.get(kind, ())
    )
    return any(others) or _OTHER_ONE.match(part) is not None


_SENTENCES = patterns.compile(r"(?<=[.;!?\n])\s+")
_CLAUSES = patterns.compile(
    r"(?<=,)\s+|\s+(?=(?:but|mas|and|e|because|porque|while|enquanto)\s)", patterns.IGNORECASE
)
_SOLD = frozenset(
    (
        *_KINDS,
        *"air-fryers audio cameras car-seats e-readers food-processors high-chairs kitchen turntables watches".split(),
    )
)
"""The kinds of things that are sold: of any other, no word is known that is its own name."""
_ALIKE = {"tablets": ("e-readers",)}
"""Kinds whose things have the name of another kind too."""
_OF_HOME = (
    r"(?:washing machine|dish ?washer|tumble dryer|dryer|fridge|freezer|stove|car|van|motorbike|tv|telly|television|"
    r"printer|lawn ?mower|maquina de (?:lavar|secar|costura)(?: (?:a |da )?(?:roupa|loica|louca))?|frigorifico|"
    r"geladeira|congelador|arca|fogao|televisao|televisor|impressora)"
)
"""Things that are not sold here; none is the name of a part, as `boiler` is one of a coffee machine."""
_OF_KITCHEN = (
    r"(?:toaster|kettle|microwave|oven|waffle maker|torradeira|chaleira|micro-?ondas|forno|sandwicheira|"
    r"tostadeira)"
)
_NAMES = _KINDS | {
    "home": _OF_HOME,
    "kitchen": _OF_KITCHEN,
    "strollers": rf"{_KINDS['strollers']}|carro",
}
_ITS = r"(?:the|my|our|[oa]|(?:[oa] )?(?:meu|minha|nosso|nossa))"
_LED = r"(?:(?:and|but|e|mas|oh|ah|well|so|because|porque|no|nao|yes|sim|while|enquanto)\b[\s,]*)*"
_TELLS = (
    r"(?:is|isn['’]?t|was|wasn['’]?t|has|hasn['’]?t|had|does|doesn['’]?t|did|didn['’]?t|broke|leaks|leaked|leaking|"
    r"works|worked|needs|needed|just|also|still|keeps|makes|died|got|can|can['’]?t|will|won['’]?t|that|which|"
    r"e|era|foi|esta|estava|ta|tava|tem|tinha|nao|que|avariou|partiu|perde|deita|faz|precisa|funciona|morreu|ficou|"
    r"continua|ja|tambem)"
)
_AGED = r"(?:(?:old|new|other|previous|last|broken) )?"
_GOODS = {
    kind: patterns.compile(
        rf"\s*{_LED}{_ITS} {_AGED}(?:{names})(?: (?:antig[oa]|velh[oa]|nov[oa]))?\s{_TELLS}\b"
    )
    for kind, names in _NAMES.items()
}
"""The start of a clause that says how such a thing is."""
_OTHER_ONE = patterns.compile(
    rf"\s*{_LED}(?:(?:my|our) (?:other|previous) one|(?:[oa] )?(?:meu|minha|nosso|nossa) outr[oa])\s{_TELLS}\b"
)
_GOES_ON = patterns.compile(
    r"\s*(?:(?:and|but|e|mas|because|porque)\s)?(?:it|its|it['’]s|they|ele|ela|not|nao|which|that|que)\b"
)
"""The start of a clause that goes on about the same thing: `not the coffee machine`."""
