"""Dates as they are typed in haste: a misspelled month, a month put right behind another, a sale that names a month."""

from __future__ import annotations

from functools import lru_cache

from server import patterns
from server.loopos.answers.amounts.dates import LONG_MONTHS
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.element import Text
from server.loopos.answers.words import MOST_LETTERS, edits, fold, tokens

_SALES = patterns.compile(r"\bblack ?friday\b", patterns.IGNORECASE)
_WORD = patterns.compile(r"[^\W\d]{6,12}")
_SPELLED = sorted({each for each in LONG_MONTHS if len(each) > 6} | {"passado"})  # noqa: PLR2004
"""Long words of dates, of which no other word is a misspelling."""
_TURNS = patterns.compile(
    r"\b(?:nao|no|nope|wait|espera|espere|afinal|actually|minto|digo|alias|i mean|sorry|desculp[ae]|enganei-me)\b"
)
_NAMES = "|".join(sorted(LONG_MONTHS, key=len, reverse=True))
_MONTH = patterns.compile(rf"\b(?:{_NAMES})\b")
_EITHER = patterns.compile(
    rf"\b(?P<first>{_NAMES})\b(?:[\s,.]+(?:i think|acho(?: eu)?))?[\s,.]*"
    r"(?:\b(?:or|ou|maybe|perhaps|possibly|talvez|se calhar)\b|/)(?:[\s,.]+(?:maybe|talvez|even|ate|in|em))*"
    rf"[\s,.]*(?P<second>{_NAMES})\b"
)
"""Two months of which a text leaves open which one is right."""
_YEAR = patterns.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d/-])")
_PARTS = patterns.compile(r"(?<=[,.;!\n])\s+|\s+(?=(?:but|mas|and|e)\s)")
_SINCE = patterns.compile(r"\b(?:em|in|de|desde|since|from)\s(?:19|20)\d\d\b")
_COUNTED = frozenset(
    word
    for unit in ("shots", "coffees", "cycles", "km", "controllers")
    for word in unit_words(Text(unit, unit))
    if len(word) > 1
)


def spell_date(text: str) -> str:
    """Return a text with its months spelled right, the month of a sale by its name, and a month that is put right
    alone, with the year of the one before it: `Março de 2021. Não, minto, foi em maio`.
    """
    if len(text) > MOST_LETTERS:
        return text
    spelled = _WORD.sub(lambda found: _spell_word(found[0]), _SALES.sub("novembro", text))
    return _put_right(_without_counts(spelled))


@lru_cache(maxsize=512)
def _spell_word(word: str) -> str:
    """Return the word of dates of which a word is a misspelling, else the word itself."""
    flat = fold(word)
    if flat in LONG_MONTHS or flat.startswith("passad"):
        return word
    limit = 1 + (len(flat) >= 8)  # noqa: PLR2004 - a long word may have two errors
    near = (each for each in _SPELLED if each[0] == flat[0] and edits(each, flat, limit) <= limit)
    return next(near, word)


def named_months(text: str) -> set[str]:
    """Return the months that a text names; of two that it leaves open, the first: `junho ou julho`."""
    either = _EITHER.search(fold(text))
    named = {word for word in tokens(text) if word in LONG_MONTHS}
    return {either["first"]} if either and named == {either["first"], either["second"]} else named


def names_month(text: str) -> bool:
    """Return whether a text names one month by its full name, and has no figure."""
    return len(set(_MONTH.findall(fold(text)))) == 1 and not any(map(str.isdigit, text))


def _put_right(text: str) -> str:
    flat = fold(text)
    turn = _TURNS.search(flat)
    if turn is None:
        return text
    before, behind = flat[: turn.start()], flat[turn.end() :]
    months, years = set(_MONTH.findall(behind)), set(_YEAR.findall(behind)) or set(_YEAR.findall(before))
    is_put_right = bool(_MONTH.search(before) and _YEAR.search(before))
    return f"{months.pop()} {years.pop()}" if is_put_right and len(months) == len(years) == 1 else text


def _without_counts(text: str) -> str:
    """Return a text without the parts whose figure counts something, where another part has a figure:
    `os 2000 eram as fotografias`.
    """
    parts = _PARTS.split(text)
    kept = [each for each in parts if not _counts(each)]
    return " ".join(kept) if any(map(str.isdigit, "".join(kept))) else text


def _counts(part: str) -> bool:
    is_count = _YEAR.search(part) is not None and not _COUNTED.isdisjoint(tokens(part))
    return is_count and not (_SINCE.search(fold(part)) or _MONTH.search(fold(part)))
