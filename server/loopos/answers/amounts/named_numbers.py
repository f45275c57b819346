"""Numbers that belong to a name, as in `spiderman 2`, `fifa 23`, `2nd edition`: they count no things."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.amounts.numbers import ALLOWED_BESIDE, unit_words
from server.loopos.answers.certainty import HEDGES
from server.loopos.answers.element import Element
from server.loopos.answers.words import is_number, tokens

_THINGS = frozenset(("controllers",))
"""The units that are things: a number of them stands alone or beside their name, and not behind another one."""
_PLURALS = frozenset("comandos controllers joycons dualsense gamepads".split())
_ORDINAL = patterns.compile(
    r"\b\d+\s?(?:st|nd|rd|th|[ªº]|\.[ªº])(?!\w)|\b\d+[ao](?=\s+(?:edi\w+|vers\w+|gera\w+))",
    patterns.IGNORECASE,
)
_PARTS = patterns.compile(
    r"((?<!\d)[,.;]|[,.;](?!\d)|[!?\n:(]|\b(?:e|and|plus|mais|mas|but)\b)", patterns.IGNORECASE
)
_WORD = patterns.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BEFORE = (
    ALLOWED_BESIDE
    | HEDGES
    | NUMBER_WORDS
    | frozenset(
        "yes sim no nao ok yeah there theres it its are sao e and or ou total only apenas us ter actually afinal say "
        "digamos maybe talvez both ambos all todos working original originais sony nintendo microsoft novos new "
        "included incluidos tens got ps mais more plus x".split()
    )
)
"""Words behind which a number counts."""


def without_named_numbers(element: Element, answer: str) -> str:
    """Return the answer to a question that counts things without the numbers of names; any other as it is.

    `um comando e o gta 5` has one number left, and `2nd edition` none.
    """
    if element.kind != "number" or element.unit is None or element.unit.en not in _THINGS:
        return answer
    units = unit_words(element.unit)
    parts = _PARTS.split(_ORDINAL.sub(" ", answer))
    return "".join(part if at % 2 else _without_names(part, units) for at, part in enumerate(parts))


def _without_names(part: str, units: set[str]) -> str:
    found = list(_WORD.finditer(part))
    words = ["".join(tokens(each[0])) for each in found]
    named = [found[at] for at, word in enumerate(words) if is_number(word) and _is_of_name(words, at, units)]
    for each in reversed(named):
        part = f"{part[: each.start()]} {part[each.end() :]}"
    return part


def _is_of_name(words: Sequence[str], at: int, units: set[str]) -> bool:
    """Return whether the number at that place stands behind a name, or before one thing: `xbox 360 controller`."""
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    if after in units and after not in _PLURALS and words[at] != "1":
        return True
    is_behind_name = bool(before) and not before.isdigit() and before not in _BEFORE | units
    is_counted = any(is_number(each) or each in NUMBER_WORDS for each in words[: max(at - 1, 0)])
    return is_behind_name and (after not in units or is_counted)
