"""Questions about what a thing does, a measure or a state, and whether the item's words affirm what they ask."""

from collections.abc import Callable

from server import patterns
from server.demo.requests.clauses import clauses_of, stem, words_of
from server.demo.requests.condition import BAD_KINDS, Finding, findings
from server.demo.requests.predicates import NEGATIONS, Evidence, is_unsure, names_any, nouns_of
from server.demo.requests.subjects import OTHER_THINGS
from server.languages import fold

_INTACT = patterns.compile(
    r"\b(?:(?:intact|intat|intakt|perfeit|perfect|parfait|perfekt|intacto|impecav|impecab|flawless|undamaged|unversehrt"
    r"|unbeschadigt)\w*|heile?|inteir[oa]s?|enter[oa]s?|whole|unbroken|entiere?s?)\b"
)
_EVIDENCE = {
    ("intact", True): frozenset({("intact", True), ("praise", True), ("fault", True)}),
    ("intact", False): frozenset({("fault", False), ("wear", False), ("intact", False)}),
    ("praise", True): frozenset({("intact", True), ("praise", True)}),
    ("praise", False): frozenset({(each, False) for each in (*BAD_KINDS, "praise", "fine", "intact")}),
    ("fine", True): frozenset({("fine", True), ("praise", True)}),
    ("fine", False): frozenset({("fault", False), ("wear", False), ("fine", False)}),
    ("fault", True): frozenset(
        {("fault", True), ("wear", True), ("blemish", True), ("praise", True), ("intact", True)}
    ),
    ("fault", False): frozenset({("fault", False)}),
    ("wear", True): frozenset({("wear", True), ("blemish", True), ("praise", True)}),
    ("wear", False): frozenset({("wear", False)}),
    ("blemish", True): frozenset({("blemish", True), ("praise", True)}),
    ("blemish", False): frozenset({("blemish", False)}),
}
"""By the kind of state that is asked, and whether it is good or bad: which findings, each good or bad, show it.

What denies a lesser harm denies a greater one; the reverse does not hold, and that a thing works shows no state.
"""
_CRACKS = patterns.compile(
    r"crack|shatter|smash|\brach|estalad|estilhac|agriet|fissur|\bfele|gesprung|zersplitter|zerbroch"
)
_BREAKS = patterns.compile(rf"{_CRACKS.pattern}|broken|partid|partiu|quebr|\brot[oa]s?\b|\bcasse")
"""A thing that is broken may work all the same."""
_FUNCTION = patterns.compile(
    r"\b(?:work(?:s|ing)?|function\w*|funciona\w*|liga|turns? on|powers? (?:on|up)|fonctionne\w*|marche"
    r"|funktionier\w*)\b"
)
_WORKING = patterns.compile(
    r"\bworks\b|working|functional|\bfuncion|fonctionne|\bmarche|funktion"
    r"|\b(?:all|both|everything|still|do|does|buttons|keys|parts) (?:\w+ )?work\b"
)
"""Words that say that a thing works; a lone `work` is a noun."""
_STATE_WORDS = frozenset(
    """condition state shape order perfect perfectly great fine properly normally flawlessly estado condicao condicoes
    perfeito perfeitamente normalmente otimo perfecto perfectamente etat parfait parfaitement normalement zustand
    einwandfrei tadellos perfekt gut bem bien good still absolutely single
    unico unica seul seule""".split()
)
"""Words beside a state that name no part."""
_HARMS = patterns.compile(
    r"damag|scratch|dent|crack|mark|scuff|rust|stain|wear|issue|problem|defect|fault|risc|risq|arranh|marca|mossa|dano|defeit"
    r"|ferrug|amolg|aranaz|rasgun|golpe|abolla|rayad|rayur|raye|abim|tache|bosse|defaut|rouill|kratz|schaden|delle|beule|rost"
    r"|fleck|mangel|gebrauchsspur|beschadig"
)
"""What an item has as soon as a part of it has it."""
_ALL = patterns.compile(r"\b(?:everything|all|tudo|todo|tout|alles|fully|voll)\b")
_NUMBER = r"\d{1,6}(?:[.,]\d{1,2})?"
_UNIT = r"%|percent|prozent|gb|tb|kg|cm|inch|zoll|km|€|euros?|eur"
_MEASURE = patterns.compile(rf"(?<![\d.,–-])({_NUMBER})\s?({_UNIT})(?!\w)")
_LIMIT = patterns.compile(rf"\s*({_NUMBER})\s?({_UNIT})(?!\w)")
_SAME_UNITS = {"percent": "%", "prozent": "%", "euro": "€", "euros": "€", "eur": "€"}
_ABOVE = patterns.compile(
    r"\b(?:above|over|more than|higher than|exceeds?|acima d[ea]|mais d[eo]|superior a|ultrapassa|por encima del?"
    r"|mas del?|supera(?: el)?|au[ -]dessus de|plus de|superieure? a|depasse(?:[ -]t[ -](?:il|elle))?|uber|mehr als"
    r"|hoher als)\s+(?=\d)"
)
_AT_LEAST = patterns.compile(
    r"\b(?:at least|no minimo|pelo menos|al menos|como minimo|au moins|mindestens)\s+(?=\d)"
)
_BELOW = patterns.compile(
    r"\b(?:below|under|less than|lower than|abaixo d[ea]|menos d[eo]|inferior a|por debajo del?|menos del?"
    r"|en dessous de|moins de|inferieure? a|unter|weniger als)\s+(?=\d)"
)
_BOUNDED = patterns.compile(
    r"\b(?:above|over|than|least|most|about|around|roughly|nearly|almost|under|below|up to|acima d[ea]"
    r"|mais d[eo]|menos d[eo]|cerca d[ea]|ate|quase|abaixo d[ea]|mas de|hasta|casi|unos|plus de|moins de"
    r"|environ|presque|uber|unter"
    r"|fast|etwa|circa|ca|rund|bis|als|menos|from|was|no|not|nao|pas|nicht|kein)\W*$"
)
"""Before a measure that is a bound itself, or none that holds."""


def asks_function(question: str) -> bool:
    """Return whether a question asks if a thing works."""
    return _FUNCTION.search(fold(question)) is not None


def asks_state(question: str) -> bool:
    """Return whether a question asks what a thing does, for a measure or for a state."""
    folded = _fold_marks(question)
    return (
        asks_function(question)
        or any(each.search(folded) for each in (_ABOVE, _AT_LEAST, _BELOW))
        or bool(_kinds(question))
    )


def answer_of_state(question: str, item: str) -> Evidence | None:
    """Answer a question about what a thing does, a measure or a state; None where the item does not surely say it."""
    nouns = nouns_of(question)
    folded = _fold_marks(question)
    for pattern, holds in (
        (_ABOVE, lambda said, asked: said > asked),
        (_AT_LEAST, lambda said, asked: said >= asked),
        (_BELOW, lambda said, asked: said < asked),
    ):
        if bound := pattern.search(folded):
            return _compare(folded[bound.end() :], nouns_of(folded[: bound.start()]), item, holds)
    if asks_function(question):
        doing = {stem(word) for each in _FUNCTION.findall(fold(question)) for word in each.split()}
        return _function_of(nouns - doing, item)
    return _state_of(question, nouns, item)


def _fold_marks(text: str) -> str:
    """Fold a text that keeps its marks, as the per cent sign."""
    return " ".join(
        fold(each) if any(map(str.isalpha, each)) and not any(map(str.isdigit, each)) else each.casefold()
        for each in text.replace("’", "'").split()
    )


def _function_of(nouns: set[str], item: str) -> Evidence | None:
    """Return whether the thing asked about works: what the item says of other parts does not count."""
    found = []
    for clause in clauses_of(item):
        told = findings(clause)
        if nouns and not names_any(clause, nouns) and not _ALL.search(fold(clause)):
            continue
        if told and (is_unsure(clause) or not all(each.is_sure for each in told)):
            return None
        for each in told:
            if (holds := _working(clause, each)) is None:
                continue
            if not nouns and _names_part(_FUNCTION.sub(" ", fold(clause)), told):
                return None
            found.append(Evidence(holds, clause if each.kind in ("praise", "fine") else each.words))
    return found[0] if len({each.holds for each in found}) == 1 else None


def _working(clause: str, found: Finding) -> bool | None:
    """Return whether a finding says that a thing works; None where it is of something else."""
    if found.kind == "works" and _WORKING.search(fold(found.words)):
        return not found.denied
    if found.kind == "fault" and not found.denied and not _BREAKS.search(fold(found.words)):
        return False
    if found.kind in ("praise", "fine") and not found.denied and _WORKING.search(fold(clause)):
        return True
    return None


def _state_of(question: str, nouns: set[str], item: str) -> Evidence | None:
    """Return whether the asked state holds, by findings on the same thing that show it."""
    asked = _kinds(question)
    if not asked:
        return None
    wanted, is_good, _, said = asked[0]
    nouns = nouns - nouns_of(said)
    keeps_others = names_any(question, set(map(stem, OTHER_THINGS)))
    shows, refutes = _EVIDENCE[wanted, is_good], _EVIDENCE[wanted, not is_good]
    is_crack = _CRACKS.search(said) is not None
    found: list[Evidence] = []
    for clause in clauses_of(item):
        if nouns and not names_any(clause, nouns):
            continue
        told = [each for each in findings(clause, keeps_others=keeps_others) if each.kind != "works"]
        if (told and is_unsure(clause)) or not all(each.is_sure for each in told):
            return None
        of_part = not nouns and _names_part(clause, told)
        for kind, good, words, known in _kinds(clause, keeps_others=keeps_others):
            if of_part and (good or (not is_good and not _HARMS.search(said))):
                return None
            if is_crack and kind == "fault" and not _CRACKS.search(known):
                continue
            if (kind, good) in shows or (kind, good) in refutes:
                found.append(Evidence((kind, good) in shows, words))
    return found[0] if len({each.holds for each in found}) == 1 else None


def _names_part(clause: str, told: list[Finding]) -> bool:
    """Return whether a clause says more than a state: what it says may then be of one part alone."""
    known = " ".join([*(each.said for each in told), *_STATE_WORDS])
    return bool(nouns_of(clause) - nouns_of(known) - set(map(stem, NEGATIONS)))


def _compare(
    bound: str, nouns: set[str], item: str, holds: Callable[[float, float], bool]
) -> Evidence | None:
    """Compare the only measure of the item that has the unit of the bound with it, where it is of the same thing."""
    limit = _LIMIT.match(bound)
    if limit is None:
        return None
    unit = _SAME_UNITS.get(limit[2], limit[2])
    found = [
        (clause, each)
        for clause in clauses_of(item)
        for each in _MEASURE.finditer(clause.casefold())
        if _SAME_UNITS.get(each[2], each[2]) == unit
    ]
    if len(found) != 1:
        return None
    clause, told = found[0]
    if (nouns and not names_any(clause, nouns)) or is_unsure(clause):
        return None
    if _BOUNDED.search(_fold_marks(clause[: told.start()])):
        return None
    said, asked = (float(each[1].replace(",", ".")) for each in (told, limit))
    return Evidence(holds(said, asked), clause[told.start() : told.end()])


def _kinds(text: str, *, keeps_others: bool = True) -> list[tuple[str, bool, str, str]]:
    """Return what a text says of a state: its kind, whether it is good, the words, and those that it is known by."""
    found = [
        (each.kind, _is_good(each), each.words, each.said)
        for each in findings(text, keeps_others=keeps_others)
        if each.kind != "works"
    ]
    if not found and (match := _INTACT.search(fold(text))):
        words = [each for each in words_of(text) if each.folded in match[0].split()]
        is_denied = patterns.search(r"\b(?:not|nao|no|pas|nicht|nada|nunca)\b", fold(text)[: match.start()])
        quote = text[words[0].start : words[0].end] if words else text
        found = [("intact", is_denied is None, quote, match[0])]
    return found


def _is_good(found: Finding) -> bool:
    return (found.kind in BAD_KINDS) == found.denied
