"""A date among other words, said by how long ago it was (`2 yrs ago`), as the last year, or short (`oct 21`)."""

from __future__ import annotations

from datetime import date

from server import patterns
from server.loopos.answers.amounts.dates import ANY_MONTH, LONG_MONTHS, SaidDate, recent_month
from server.loopos.answers.amounts.number_words import split_number
from server.loopos.answers.words import MOST_LETTERS, fold

_COUNT = (
    r"(?P<count>\d{1,2}|um|uma|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|one|an?|two|three|four|five|six|"
    r"seven|eight|nine|ten|(?:a )?couple(?: of)?)"
)
_UNIT = r"(?P<unit>an(?:it|inh)?os?|years?|yrs?|mes(?:es)?|months?|mths?)"
_ROUGH = r"(?:(?:ja|so|uns|umas|cerca de|quase|about|around|like|maybe|talvez|nearly|almost|over|mais de)\s)*"
_AGO = patterns.compile(
    rf"\b{_COUNT}\s{_UNIT}(?: (?:and|e) (?:a )?(?:half|meio|pouco|bit))?\s(?:ago|atras|back)\b"
)
_SINCE = patterns.compile(rf"\b(?:ha|faz)\s{_ROUGH}{_COUNT}\s{_UNIT}\b")
_OWNED = r"(?:tem|tenho|temos|had|have|has|owned|used|its|it s|it is|maybe|talvez|about|around|uns|umas|for)"
_AGE = patterns.compile(
    rf"\b{_OWNED}\s(?:(?:it|em|them|this|comigo|for)\s)*{_ROUGH}{_COUNT}\s{_UNIT}\b"
    rf"|{_ROUGH}\b{_COUNT.replace('<count>', '<old>')}\s{_UNIT.replace('<unit>', '<aged>')}\sold\b"
    rf"|^{_ROUGH}{_COUNT.replace('<count>', '<bare>')}\s{_UNIT.replace('<unit>', '<of_use>')}"
    r"(?:\s(?:de\s(?:uso|vida)|of\suse))?$"
)
_LAST_YEAR = patterns.compile(r"\b(?:ano passado|last (?:year|yr))\b")
_OF_OTHERS = patterns.compile(
    r"\b(?:garantia|warrant\w+|guarantee\w*|filh\w+|son|daughter|kids?|trocad\w+|troquei|pintad\w+|substitu\w+|repar\w+|"
    r"arranj\w+|replac\w+|repaint\w*|paint\w+|repair\w*|fix\w+|chang\w+|servic\w+|clean\w+|limp\w+|descal\w+|left|restam|"
    r"faltam|parad\w+|usad\w+|revis\w+|model\w*)\b"
)
"""Words of a clause whose time is that of another event, or of a person."""
_CLAUSES = patterns.compile(r"[,.;!\n]+\s*|\s(?:e|and|mas|but)\s(?!(?:a )?(?:half|meio|pouco|bit)\b)")
_BESIDE = patterns.compile(
    r"\b(?:comprei|comprad[oa]|bought|purchased|got|it|was|foi|em|in|no|na|around|about|of|de|acho que|i think|uns)\b"
)
_SHORT = patterns.compile(r"(?P<month>0?[1-9]|1[0-2])\s?[/-]\s?(?P<year>\d\d)")
_MONTH = patterns.compile(rf"(?:{ANY_MONTH})\.?,?\s?'?\d\d")
_MOST_MONTHS, _MOST_CLAUSES = 12, 20


def find_relative(text: str, today: date) -> SaidDate | None:
    """Return the only date that the clauses of a text say by a count of years or months back, as the last year, or by
    a month with two digits of a year; None where they say none, or several.
    """
    if len(text) > MOST_LETTERS:
        return None
    months = {word for word in patterns.findall(r"[a-z]+", fold(text)) if word in LONG_MONTHS}
    if len(months) > 1:
        return None
    parts = [" ".join(each.split()) for each in _CLAUSES.split(fold(text))[:_MOST_CLAUSES]]
    found = {said for each in parts if (said := _read_clause(each, today)) is not None}
    return found.pop() if len(found) == 1 else None


def _read_clause(clause: str, today: date) -> SaidDate | None:
    if _OF_OTHERS.search(clause):
        return None
    if found := _AGO.search(clause) or _SINCE.search(clause):
        return _count_back(found["count"], found["unit"], today)
    if found := _AGE.search(clause):
        counts, units = found.group("count", "old", "bare"), found.group("unit", "aged", "of_use")
        return _count_back(next(filter(None, counts)), next(filter(None, units)), today)
    if _LAST_YEAR.search(clause) and not any(map(str.isdigit, clause)):
        return SaidDate(today.year - 1)
    bare = " ".join(_BESIDE.sub(" ", clause).split())
    if found := _SHORT.fullmatch(bare):
        year = 2000 + int(found["year"])
        is_certain = int(found["year"]) > _MOST_MONTHS and year <= today.year
        return SaidDate(year, int(found["month"])) if is_certain else None
    return recent_month(bare, today) if _MONTH.fullmatch(bare) else None


def _count_back(said: str, unit: str, today: date) -> SaidDate | None:
    """Return the year, or the month, that lies so far back; a half or some more is left out."""
    if said.isdecimal():
        count: float | None = int(said)
    else:
        count = 2 if "couple" in said else 1 if said in ("a", "an") else split_number(said.split())[0]
    if not count:
        return None
    if unit.startswith("m"):
        months = today.year * _MOST_MONTHS + today.month - 1 - int(count)
        return SaidDate(months // _MOST_MONTHS, months % _MOST_MONTHS + 1)
    return SaidDate(today.year - int(count))
