"""Words of a price, a wish or an exchange, beside which a value may not be that of the item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from server import patterns
from server.loopos.answers.element import Element
from server.loopos.answers.words import is_number, tokens

SIZE_UNITS = frozenset("gb tb mm cm".split())
_GIGA = frozenset("giga gigas gig gigs".split())
_FOR = frozenset("por pelo for at".split())
_PRICE = _FOR | {"euros", "percent"}
"""Beside a number without a unit: it may be a price, apart from `por favor` and `for sale`."""
_SIGNS = patterns.compile(r"[€$£]|(?P<part>%)")
SALE = frozenset("vender vendo vende venda sell selling sale desfazer rid".split())
_WISHES_IN_ENGLISH = frozenset("want id buy buying".split())
_WISHES = _WISHES_IN_ENGLISH | frozenset("quero queria gostava gostaria comprar".split())
_THE_IN_ENGLISH, _THE_IN_PORTUGUESE = frozenset("the that".split()), frozenset("o a esse essa".split())
_SAYING = frozenset("say call describe".split())
"""`I'd say` wishes for nothing."""
_CORRECTIONS = frozenset("para to mudar corrigir".split())
_EXCHANGE = frozenset("trocar troco troca change swap trade exchange".split())


def spell_signs(text: str) -> str:
    """Return the text with the signs of prices and shares as words."""
    return _SIGNS.sub(lambda found: " percent " if found["part"] else " euros ", text)


def is_dealing(words: Sequence[str], *, lacks_unit: bool) -> bool:
    """Return whether the words may be about a price or an exchange: `por 128`, `por 128 gb`, `quero trocar por um
    preto`.
    """
    pairs = list(pairwise([*words, ""]))
    is_priced = any(word in _PRICE and after not in ("favor", "sale") for word, after in pairs)
    offers = SALE | _WISHES
    names_a_price = any(word in _FOR and is_number(after) for word, after in pairs if after)
    asks_for = any(
        (word in _WISHES or (word == "a" and not offers.isdisjoint(words))) and after[:1].isdecimal()
        for word, after in pairs
    )
    return (
        names_a_price
        or (lacks_unit and (is_priced or asks_for))
        or (is_priced and not _EXCHANGE.isdisjoint(words))
    )


def is_wish(message: str) -> bool:
    """Return whether the seller wishes for something without saying that they sell, as in `quero um branco`."""
    said = tokens(message)
    words = set(said)
    wishes = any(word in _WISHES and after not in _SAYING for word, after in pairwise([*said, ""]))
    wants = wishes and words.isdisjoint(SALE | _CORRECTIONS)
    return wants or (not words.isdisjoint(_EXCHANGE) and words.isdisjoint(_CORRECTIONS))


def picks(message: str) -> bool:
    """Return whether a wish picks one of the offered values, as in `quero o preto`.

    `Quero um preto` may be a purchase.
    """
    said = tokens(message)
    return any(
        word in _WISHES and after in (_THE_IN_ENGLISH if word in _WISHES_IN_ENGLISH else _THE_IN_PORTUGUESE)
        for word, after in pairwise(said)
    )


def lacks_unit(element: Element, words: Iterable[str]) -> bool:
    """Return whether a value of this option is a number with a unit, and the words have a number without a unit."""
    said = set(words)
    has_units = any(not SIZE_UNITS.isdisjoint(tokens(each.label.en)) for each in element.options)
    return has_units and any(map(is_number, said)) and said.isdisjoint(SIZE_UNITS | _GIGA)
