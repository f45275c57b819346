"""The only number that a whole sentence says; it is never more than asked back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from server import patterns
from server.loopos.answers.amounts.deal_words import spell_signs
from server.loopos.answers.amounts.number_words import NUMBER_WORDS, split_number
from server.loopos.answers.amounts.numbers import (
    MOST_DIGITS,
    read_digits,
    unit_words,
    units_of_others,
    words_beside,
)
from server.loopos.answers.certainty import NEGATIONS
from server.loopos.answers.element import Element
from server.loopos.answers.words import FILLERS, clauses, is_number, tokens

_THOUSAND = frozenset("mil k thousand".split())
_HALF = frozenset("half meia meio".split())
_JOINS = frozenset("e and a".split())
_ONE = frozenset("um uma one a an".split())
"""Also articles: a number only where no other word is one."""
_HOURS, _MINUTES_OF_AN_HOUR = (
    frozenset("h hora horas hour hours horita horitas horinha horinhas hr hrs".split()),
    60,
)
_MONEY = frozenset(
    "euros euro eur paus percent paguei pago custou custa preco "
    "paid pay cost costs price quid pounds dollars bucks".split()
)
_AGE = frozenset("ano anos year years yr yrs mes meses month months old".split())
_SINCE = frozenset("em in desde since de".split())
_BESIDE = frozenset(
    "say lets call digamos ponha poe mete diz "
    "says said according segundo ve vi e and ou or mais more less give exatos exatas exato certos certinhos certinhas "
    "pair pairs par pares th st nd rd o exactly exact ish tops max maximo i we right now agora today hoje total "
    "certa certo display visor actually afinal entao then talvez maybe perhaps vai ja sem without "
    "working works left funciona funcionam".split()
)
"""Words that may follow a number which they do not count."""
_BELOW_NOUGHT = patterns.compile(r"[-\u2212]\s?\d")
_YEARS = range(1980, 2100)
_WORTH = {"couple": "2", "dozen": "12", "duzia": "12", "par": "2", "pair": "2"}
_PAIRS = frozenset("par pair".split())
_COUNTED_PAIR = NUMBER_WORDS - {"um", "uma"} | frozenset("1 2 3 4".split())
_OF = frozenset("of de".split())
_MORE = frozenset("plus mais another outro extra pro and e".split())
"""Words beside a pair of controllers that there are more of them, or other things."""
_FLOORS = (
    ("res", "ground", "rc", "baixo"),
    ("primeiro", "first"),
    ("segundo", "second"),
    ("terceiro", "third"),
    ("quarto", "fourth"),
    ("quinto", "fifth"),
    ("sexto", "sixth"),
    ("setimo", "seventh"),
    ("oitavo", "eighth"),
    ("nono", "ninth"),
    ("decimo", "tenth"),
)
_FLOOR = {word: str(number) for number, words in enumerate(_FLOORS) for word in words}


_FLOOR_NAMES = (
    (patterns.compile(r"\br\s?/\s?c\b", patterns.IGNORECASE), "0"),
    (patterns.compile(r"\b(?:cave|basement|cellar)\b", patterns.IGNORECASE), "-1"),
)
"""Names of floors that have no ordinal: `r/c`, `cave`."""


def spell_floor(element: Element, answer: str) -> str:
    """Return an answer to the question for a floor with the name of a floor as its number, where it has no other."""
    if _unit(element) != "floor" or any(map(str.isdigit, answer)):
        return answer
    for name, number in _FLOOR_NAMES:
        answer = name.sub(number, answer)
    return answer


def find_stated(element: Element, answer: str, language: str) -> float | None:
    """Return the only number of an answer that speaks of no price, no year and no other quantity; else None.

    `87 according to the report`, `dois mil e tal`, `third, no lift`; the unit is that of the question.
    """
    if _BELOW_NOUGHT.search(answer):
        return None
    said = tokens(spell_signs(answer))
    denials = NEGATIONS - {"no"} if language == "pt" else NEGATIONS
    hours = _HOURS if _unit(element) == "min" else frozenset[str]()
    if not ((_MONEY | _AGE) - unit_words(element.unit)).isdisjoint(said) or not units_of_others(
        element.unit
    ).isdisjoint(set(said) - hours):
        return None
    found: set[float] = set()
    for clause in clauses(spell_signs(answer)):
        words = _spell(element, clause)
        for place, end, value in _numbers(words, unit_words(element.unit)):
            is_denied = not denials.isdisjoint(words[:place])
            if value in _YEARS and not _SINCE.isdisjoint(clause):
                continue
            if is_denied or not _is_its_own(element, words, place, end):
                return None
            found.add(value)
    return found.pop() if len(found) == 1 else None


def find_stated_part(element: Element, answer: str, language: str) -> float | None:
    """Return the only number beside the unit of the question in a part of its own: `no idea, some 2000 km, new tyres
    a year ago`.
    """
    units = unit_words(element.unit) | (_HOURS if _unit(element) == "min" else set())
    is_denied = not NEGATIONS.isdisjoint(tokens(answer))
    for borders in (_PARTS,) if is_denied else (_PARTS, _JOINED):
        parts = [each for each in borders.split(answer) if not units.isdisjoint(tokens(spell_signs(each)))]
        found = {find_stated(element, each, language) for each in parts[:_MOST_PARTS]} - {None}
        if len(found) == 1:
            return found.pop()
    return None


def numbers_before(words: Sequence[str], units: frozenset[str]) -> list[float]:
    """Return the numbers, in figures or words, that stand before one of these units."""
    return [value for _, end, value in _numbers(words, units) if units.intersection(words[end : end + 1])]


_PARTS = patterns.compile(r"[,;!\n]\s+|\.\s+")
_JOINED = patterns.compile(r"[,;!\n]\s+|\.\s+|\s(?:and|e|but|mas)\s|\s(?=\d+\s[^\W\d])", patterns.IGNORECASE)
"""Where a part begins that tells another thing: `88 % and bought in 2021`, `2 controllers 3 games`."""
_MOST_PARTS = 20


def counts_another(element: Element, message: str, figure: str) -> bool:
    """Return whether each place of a figure in a message is before the unit of another quantity: `88 %`."""
    said, others = tokens(spell_signs(message)), units_of_others(element.unit) - FILLERS
    behind = [after for word, after in pairwise([*said, ""]) if [word] == tokens(figure)]
    return bool(behind) and others.issuperset(behind)


def _is_its_own(element: Element, words: Sequence[str], start: int, end: int) -> bool:
    """Return whether the number counts what is asked for, and not another thing that stands beside it: `2 games`."""
    known = FILLERS | words_beside(element.unit) | _BESIDE
    after, before = words[end : end + 1], words[start - 1 : start] if end - start >= len(words) - 1 else []
    return all(word in known for word in (*after, *before))


def _unit(element: Element) -> str:
    return element.unit.en if element.unit else ""


def _spell(element: Element, words: Sequence[str]) -> list[str]:
    """Return the words with those that mean a number as the number: floors by their order, hours as minutes."""
    unit = _unit(element)
    worth = {**_WORTH, **(_FLOOR if unit == "floor" else {})}
    if unit == "controllers":  # Joy-Cons are counted as pairs.
        one_pair = _COUNTED_PAIR.isdisjoint(words) and _MORE.isdisjoint(words)
        of = [words[at + 2] for at, each in enumerate(words[:-2]) if each in _PAIRS and words[at + 1] in _OF]
        one_pair = one_pair and unit_words(element.unit).issuperset(of)
        worth = {each: number for each, number in worth.items() if one_pair or each not in _PAIRS}
    spelled = [
        worth.get(word, word)
        for before, word in zip(["", *words], words, strict=False)
        if (before, word) != ("couple", "of")
    ]
    if unit == "min" and not _HOURS.isdisjoint(spelled):
        return _hours_as_minutes(spelled)
    units = unit_words(element.unit)
    return [
        word
        for place, word in enumerate(spelled)
        if not (word in units and _HALF.intersection(spelled[place + 2 : place + 4]))  # `cinco horas e meia`
    ]


def _hours_as_minutes(words: list[str]) -> list[str]:
    """Return `half an hour`, `uma hora e meia` and `2 horas` as their minutes, behind what denies them."""
    place = next(place for place, word in enumerate(words) if word in _HOURS)
    before, after = words[:place], words[place + 1 :]
    count = [*_numbers([word for word in before if word not in _HALF], frozenset())]
    hours = count[-1][2] if count else 1.0 if _ONE & set(before) and not _HALF & set(before) else 0.0
    hours += 0.5 * bool(_HALF & {*before, *after[:3]})
    denials = [word for word in before if word in NEGATIONS]
    return [*denials, f"{hours * _MINUTES_OF_AN_HOUR:g}"] if hours else words


def _numbers(words: Sequence[str], units: frozenset[str] | set[str]) -> list[tuple[int, int, float]]:
    """Return the numbers of a clause, each with the places of its first word and of the one behind its last."""
    found: list[tuple[int, int, float]] = []
    place = 0
    while place < len(words):
        end = place
        while end < len(words) and _goes_on(words, place, end):
            end += 1
        value = _value(list(words[place:end]))
        if value is not None:
            found.append((place, end, value))
        place = max(end, place + 1)
    alone = [each for each in found if words[each[0]] not in _ONE]
    counted = _PAIRS | units
    return alone or [each for each in found if counted.intersection(words[each[1] : each[1] + 1])]


def _goes_on(words: Sequence[str], start: int, at: int) -> bool:
    word = words[at]
    if is_number(word):
        return at == start
    if word in NUMBER_WORDS | _THOUSAND | _ONE - {"a", "an"}:
        return True
    if at == start:
        return False
    return word in _HALF or (
        word in _JOINS and at + 1 < len(words) and _is_more(words[at + 1], words[at + 2 :])
    )


def _is_more(word: str, after: Sequence[str]) -> bool:
    return word in NUMBER_WORDS | _HALF or (word in _JOINS and bool(after) and after[0] in _HALF)


def _value(words: list[str]) -> float | None:
    """Return what the words of one number say: `2`, `dois mil e quinhentos`, `two and a half thousand`."""
    half = 0.5 if _HALF & set(words) else 0.0
    words = [word for word in words if word not in _HALF | {"a"}]
    places = [place for place, word in enumerate(words) if word in _THOUSAND]
    if len(places) > 1:
        return None
    if not places:
        value = _plain(words)
        return None if value is None else value + half
    thousands = _plain(words[: places[0]]) if places[0] else 1.0
    rest = [word for word in words[places[0] + 1 :] if word not in _JOINS]
    more = _plain(rest) if rest else 0.0
    return None if thousands is None or more is None else 1000 * (thousands + half) + more


def _plain(words: list[str]) -> float | None:
    if len(words) == 1 and is_number(words[0]):
        return read_digits(words[0]) if len(words[0]) <= MOST_DIGITS else None
    value, rest = split_number([word for word in words if word not in _JOINS])
    return None if rest else value
