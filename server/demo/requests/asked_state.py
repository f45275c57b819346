"""Questions about a thing's state or a measure, and whether the item's words affirm what they ask."""

from dataclasses import dataclass

from server import patterns
from server.demo.requests.clauses import clauses_of, stem, words_of
from server.demo.requests.condition import findings
from server.languages import fold

_INTACT = patterns.compile(
    r"\b(?:(?:intact|intat|intakt|perfeit|perfect|parfait|perfekt|intacto|impecav|impecab|flawless|undamaged|unversehrt"
    r"|unbeschadigt)\w*|heil|inteir[oa]|enter[oa])\b"
)
_BAD = frozenset({"fault", "wear", "blemish"})
_MEASURE = patterns.compile(
    r"(?<![\d.,])(\d{1,6}(?:[.,]\d{1,2})?)\s?(%|percent|prozent|gb|tb|kg|cm|inch|zoll|km)(?!\w)"
)
_LIMIT = patterns.compile(r"(\d{1,6})(?: (percent|prozent|gb|tb|kg|cm|inch|zoll|km)(?!\w))?")
"""A bound in folded words, which have no per cent sign."""
_ABOVE = patterns.compile(
    r"\b(?:above|over|more than|at least|acima d[ea]|mais d[eo]|superior a|pelo menos|por encima del?|mas del?|al menos"
    r"|au[ -]dessus de|plus de|superieure? a|au moins|uber|mehr als|mindestens)\s+(?=\d)"
)
_BELOW = patterns.compile(
    r"\b(?:below|under|less than|abaixo d[ea]|menos d[eo]|inferior a|por debajo del?|menos del?|en dessous de|moins de"
    r"|inferieure? a|unter|weniger als)\s+(?=\d)"
)


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """Whether what is asked holds, None where the words do not say it, and the words that do."""

    holds: bool | None
    words: str = ""


def answer_of_state(asked: str, topics: set[str], item: str) -> StateAnswer | None:
    """Answer a folded question about a measure or a state; None where it asks of neither."""
    above, below = _ABOVE.search(asked), _BELOW.search(asked)
    if bound := above or below:
        return _compare(asked[bound.end() :], above is not None, item)
    kinds = _kinds(asked)
    if not kinds:
        return None
    wanted, is_good = kinds[0][0], kinds[0][1]
    nouns = topics - {stem(each.folded) for each in words_of(kinds[0][2])}
    told = []
    for clause in clauses_of(item):
        if not nouns or nouns & {stem(each.folded) for each in words_of(clause)}:
            told += _kinds(clause)
    for kind, good, words in sorted(told, key=lambda each: each[1]):
        if good != is_good:
            return StateAnswer(False, words)
        if good or kind == wanted:
            return StateAnswer(True, words)
    return StateAnswer(None)


def _compare(bound: str, is_above: bool, item: str) -> StateAnswer:
    """Compare the first measure of the item that has the unit of the bound with it."""
    limit = _LIMIT.match(bound)
    told = [each for each in _MEASURE.finditer(item.casefold()) if limit and each[2] == (limit[2] or "%")]
    if limit is None or len(told) != 1:
        return StateAnswer(None)
    said, asked = (float(each[1].replace(",", ".")) for each in (told[0], limit))
    return StateAnswer(said > asked if is_above else said < asked, item[told[0].start() : told[0].end()])


def _kinds(text: str) -> list[tuple[str, bool, str]]:
    """Return what a text says of a state: its kind, whether it is good, and the words."""
    found = [(each.kind, (each.kind in _BAD) == each.denied, each.words) for each in findings(text)]
    if not found and (match := _INTACT.search(fold(text))):
        words = [each for each in words_of(text) if each.folded in match[0].split()]
        is_denied = patterns.search(r"\b(?:not|nao|no|pas|nicht)\b", fold(text)[: match.start()]) is not None
        found = [("intact", not is_denied, text[words[0].start : words[0].end] if words else text)]
    return found
