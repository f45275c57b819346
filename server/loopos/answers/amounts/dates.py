"""A date as people write it, kept as precisely as it was said: a day, a month or a year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from server import patterns
from server.languages import Language
from server.loopos.answers.element import language_of
from server.loopos.answers.words import FILLERS, fold

_MONTHS = (
    ("janeiro", "january", "jan"),
    ("fevereiro", "february", "fev", "feb"),
    ("marco", "march", "mar"),
    ("abril", "april", "abr", "apr"),
    ("maio", "may", "mai"),
    ("junho", "june", "jun"),
    ("julho", "july", "jul"),
    ("agosto", "august", "ago", "aug"),
    ("setembro", "september", "set", "sep", "sept"),
    ("outubro", "october", "out", "oct"),
    ("novembro", "november", "nov"),
    ("dezembro", "december", "dez", "dec"),
)
_SHOWN: dict[Language, str] = {
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}
"""The months from the first to the last, as each language writes them in a sentence."""
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_FILLERS = FILLERS | frozenset(
    "dia mes ano day month year comprei comprado comprada bought purchased made feita feito fabricada fabricado cerca "
    "volta about around mais menos roda inicio fim meados early late mid desde since".split()
)
_FIRST_YEAR, _LAST_YEAR, _YEAR_DIGITS = 1900, 2100, 4
_DECEMBER, _ABBREVIATED = 12, 3
_YEAR_MONTH_DAY = patterns.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_DAY_MONTH_YEAR = patterns.compile(r"(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{4}|\d{2})")
_MONTH_YEAR = patterns.compile(r"(\d{1,2})\s?[-/.]\s?(\d{4})")
_AGO = patterns.compile(
    r"(?:ha|faz)?\s*(\d{1,3}|um|uma|dois|duas|tres|quatro|cinco|one|a|two|three|four|five)\s+(\w+)(\s+ago|\s+atras)?"
)
_YEARS = frozenset("ano anos year years yr yrs".split())
_AND_A_HALF = patterns.compile(r"\s+(?:e meio|and (?:a )?half)\b|(?<=\d)[.,]5(?=\s+(?:anos?|years?|yrs?)\b)")
ANY_MONTH = _NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_DAY_BESIDE = patterns.compile(
    rf"\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)?\s(?:de\s|of\s)?(?:{_NAMES})\b|"
    rf"\b(?:{_NAMES})\s(?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b"
)
_MONTH_IN_TEXT = patterns.compile(rf"\b(?P<month>{_NAMES})\b\.?\s+(?:de\s+|of\s+)?(?P<year>(?:19|20)\d\d)\b")
_FIGURES_IN_TEXT = patterns.compile(
    r"(?<![\d/.,-])(?:(?P<month>0?[1-9]|1[0-2])\s?[/-]\s?(?P<year>(?:19|20)\d\d)|"
    r"(?P<first>(?:19|20)\d\d)\s?[/-]\s?(?P<second>0[1-9]|1[0-2]))(?![\d/-])"
)
_COUNTS = {"um": 1, "uma": 1, "one": 1, "a": 1, "dois": 2, "duas": 2, "two": 2, "tres": 3, "three": 3} | {
    "quatro": 4,
    "cinco": 5,
    "four": 4,
    "five": 5,
}


_COUNT = rf"\d{{1,2}}|{'|'.join(_COUNTS)}"
_YEARS_AGO = patterns.compile(
    rf"\b(?:ha|faz)\s+(?:uns |cerca de )?(?P<count>{_COUNT})\s+anos?\b|"
    rf"\b(?P<behind>{_COUNT})\s+(?:years?|yrs?|anos?)\s+(?:ago|atras)\b"
)
_CHRISTMAS = patterns.compile(
    r"(?:natal|christmas|xmas)(?: (?:de|do|da|of))?"
    rf"(?: (?P<last>ano passado|last year)| (?:ha|faz) (?P<count>{_COUNT}) anos?"
    rf"| (?P<behind>{_COUNT}) (?:years?|yrs?|anos?) (?:ago|atras)| (?P<before>before last))"
)
"""The Christmas of an earlier year: `natal do ano passado`."""
LONG_MONTHS = frozenset(
    name for names in _MONTHS for name in names if len(name) > _ABBREVIATED or name == "may"
)
"""The names of months that are no other words."""


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A date that may lack its day, or its day and month."""

    year: int
    month: int | None = None
    day: int | None = None

    @property
    def iso(self) -> str:
        """`2022`, `2022-03` or `2022-03-14`."""
        parts = [f"{self.year:04}", *(f"{part:02}" for part in (self.month, self.day) if part is not None)]
        return "-".join(parts)

    def lies_after(self, today: date) -> bool:
        """Return whether the whole period lies after today. The current month does not."""
        return self.iso > today.isoformat()[: len(self.iso)]

    def text_in(self, language: str) -> str:
        """`14 de março de 2022`, `March 2022`, `2022`."""
        if self.month is None:
            return str(self.year)
        short = language_of(language)
        day = None if self.day is None else f"{self.day}." if short == "de" else str(self.day)
        parts = (day, _SHOWN.get(short, _SHOWN["en"]).split()[self.month - 1], str(self.year))
        return (" de " if short in ("pt", "es") else " ").join(part for part in parts if part is not None)


def read_date(text: str, today: date) -> SaidDate | None:
    """Return the one date that a text says, or None. Of two possible readings of `4/3/2022` the day comes first."""
    flat = fold(text).strip().strip("~.! ")
    said = _relative(flat, today) or _with_digits(flat, today) or _with_words(flat)
    return said if said is not None and _exists(said) else None


def find_months(text: str) -> list[SaidDate]:
    """Return the months with their year that stand among other words, as in `em março de 2020 na loja`."""
    named = [(each["month"], each["year"]) for each in _MONTH_IN_TEXT.finditer(fold(text))]
    figures = [
        (each["month"] or each["second"], each["year"] or each["first"])
        for each in _FIGURES_IN_TEXT.finditer(fold(text))
    ]
    return [SaidDate(int(year), _MONTH.get(month) or int(month)) for month, year in (*named, *figures)]


def recent_month(text: str, today: date) -> SaidDate | None:
    """Return a month or day of this or the last year, said by that word, or a month with two digits: `sept 21`."""
    words = patterns.findall(r"[a-z]+|\d+", _AROUND_MONTH.sub("", fold(text)))
    months = [_MONTH[word] for word in words if word in _MONTH]
    figures = [word for word in words if word.isdecimal()]
    if len(months) != 1 or len(figures) > 1:
        return None
    is_last = patterns.search(r"\b(?:ano passado|last (?:year|yr))\b", fold(text))
    is_this = patterns.search(r"\b(?:este ano|deste ano|this (?:year|yr))\b", fold(text))
    if is_last or is_this:
        day = _DAY_BESIDE.search(fold(text))
        said = SaidDate(
            today.year - bool(is_last), months[0], int(day["before"] or day["after"]) if day else None
        )
        return said if _exists(said) else None
    year = 2000 + int(figures[0][:_YEAR_DIGITS]) if figures else today.year
    return SaidDate(year, months[0]) if len(words) == 2 and year < today.year else None  # noqa: PLR2004


_AROUND_MONTH = patterns.compile(
    r"^\s*(?:(?:bought|got|it|was|in|comprei|comprada?|foi|em|de|a|o)[\s-]+)+(?=\w)"
    r"|(?<=\d)[\s,]+(?:(?:bought|new|comprei|comprada?|nova?) )?(?:from|at|in|na|no|da|do|@)\s(?:[^\W\d]+\s?){1,4}$"
)
"""Words around a month: that it was bought, and where."""


_SEASONS = {
    **dict.fromkeys(("primavera", "spring"), 5),
    **dict.fromkeys(("verao", "summer"), 8),
    **dict.fromkeys(("outono", "autumn", "fall"), 11),
    **dict.fromkeys(
        ("inicio", "comeco", "principio", "fim", "final", "finais", "beginning", "start", "end"), 0
    ),
}
"""Parts of a year with their last month; of winter, which two years share, the year is not certain."""
_PART_OF_YEAR = patterns.compile(
    rf"(?:(?:n?[oa]|[nd]?est[ea]|last|this|in|the|at|early|late)\s)*(?P<part>{'|'.join(_SEASONS)})\s?"
    r"(?P<when>passad[oa]|(?:(?:do|de|of)\s)?(?:the\s)?"
    r"(?:ano passado|last (?:year|yr)|este ano|deste ano|this (?:year|yr)))?"
)
_ROUND_IT = frozenset("comprei comprado comprada bought it foi was i got think acho que um meados".split())


def year_of_season(text: str, today: date) -> SaidDate | None:
    """Return the year of a part of this or the last year: `last autumn`, `no outono do ano passado`."""
    words = fold(text).strip(" .!").replace(",", " ").split()
    found = _PART_OF_YEAR.fullmatch(flat := " ".join(word for word in words if word not in _ROUND_IT))
    if found is None:
        return None
    month, when = _SEASONS[found["part"]], found["when"] or ""
    if "ano passado" in when or "last y" in when:
        return SaidDate(today.year - 1)
    if "ano" in when or "year" in when or patterns.search(r"\b(?:n?est[ea]|deste|this)\b", flat):
        return SaidDate(today.year) if month or when else None
    is_last = when or patterns.search(r"\blast\b", flat)
    return SaidDate(today.year - (today.month <= month)) if is_last and month else None


def month_of_years_ago(text: str, today: date) -> SaidDate | None:
    """Return the only month that a text names beside a count of years back: `two years ago, in march`."""
    flat = fold(text)
    found = _YEARS_AGO.search(flat)
    months = {_MONTH[word] for word in patterns.findall(r"[a-z]+", flat) if word in LONG_MONTHS}
    if found is None or len(months) != 1:
        return None
    figure = found["count"] or found["behind"]
    count = int(figure) if figure.isdecimal() else _COUNTS[figure]
    said = SaidDate(today.year - count, months.pop())
    return said if _exists(said) else None


def lacks_year(text: str) -> bool:
    """Return whether the text names a month but no year."""
    words = patterns.findall(r"[a-z]+|\d+", fold(text))
    return any(word in _MONTH for word in words) and not any(
        len(word) == _YEAR_DIGITS for word in words if word.isdecimal()
    )


def _exists(said: SaidDate) -> bool:
    if not _FIRST_YEAR <= said.year <= _LAST_YEAR:
        return False
    try:
        date(said.year, said.month or 1, said.day or 1)
    except ValueError:
        return False
    return True


def _bare(flat: str) -> str:
    """Return the text without the words around a date."""
    return " ".join(word for word in flat.replace(",", " ").split() if word not in _FILLERS)


def _with_digits(flat: str, today: date) -> SaidDate | None:
    bare = _bare(flat)
    if found := _YEAR_MONTH_DAY.fullmatch(bare):
        return SaidDate(int(found[1]), int(found[2]), int(found[3]) if found[3] else None)
    if found := _MONTH_YEAR.fullmatch(bare):
        return SaidDate(int(found[2]), int(found[1]))
    if not (found := _DAY_MONTH_YEAR.fullmatch(bare)):
        return None
    day, month, year = int(found[1]), int(found[2]), int(found[3])
    if len(found[3]) < _YEAR_DIGITS:
        year += 2000 if year <= today.year % 100 else 1900
    if month > 12 >= day:  # noqa: PLR2004 - there are twelve months, so this one is a day
        day, month = month, day
    return SaidDate(year, month, day)


def _with_words(flat: str) -> SaidDate | None:
    """`14 de março de 2022`, `March 14th, 2022`, `mar 2022`, `2022`."""
    words = [
        patterns.sub(r"^(\d{1,2})(?:st|nd|rd|th|o)$", r"\1", word)
        for word in patterns.split(r"[\s/-]+", _bare(flat))
    ]
    months = [_MONTH[word.rstrip(".")] for word in words if word.rstrip(".") in _MONTH]
    years = [int(word) for word in words if word.isdecimal() and len(word) == _YEAR_DIGITS]
    days = [int(word) for word in words if word.isdecimal() and len(word) < 3]  # noqa: PLR2004 - a day has two digits
    if (
        len(months) + len(years) + len(days) != len(words)
        or len(years) != 1
        or len(months) > 1
        or len(days) > 1
    ):
        return None
    if days and not months:
        return None
    return SaidDate(years[0], months[0] if months else None, days[0] if days else None)


_BESIDE_AGO = frozenset(
    "foi no na comprei bought it i the like got tem tenho uns its is old sao ela ele have had".split()
)
"""Words that say nothing of a date as `há 2 anos`."""


def _relative(flat: str, today: date) -> SaidDate | None:
    """`hoje`, `last month`, `há 2 anos`: no more precise than it sounds."""
    bare = " ".join(word for word in flat.split() if word not in _BESIDE_AGO)
    bare = patterns.sub(
        r"\b(?:a )?couple (?:of )?",
        "two ",
        patterns.sub(r"^(ha |faz )?(?=ano (?:e|atras)\b)", r"\1um ", bare),
    )
    has_half = _AND_A_HALF.search(bare) is not None
    last_month = today.replace(day=1) - timedelta(days=1)
    yesterday = today - timedelta(days=1)
    fixed = {
        **dict.fromkeys(("hoje", "today"), SaidDate(today.year, today.month, today.day)),
        **dict.fromkeys(("ontem", "yesterday"), SaidDate(yesterday.year, yesterday.month, yesterday.day)),
        **dict.fromkeys(("este mes", "this month"), SaidDate(today.year, today.month)),
        **dict.fromkeys(("mes passado", "last month"), SaidDate(last_month.year, last_month.month)),
        **dict.fromkeys(("este ano", "this year"), SaidDate(today.year)),
        **dict.fromkeys(("ano passado", "last year"), SaidDate(today.year - 1)),
        **dict.fromkeys(
            ("natal passado", "last christmas", "last xmas"),
            SaidDate(last_month.year - (last_month.month < _DECEMBER), _DECEMBER),
        ),
    }
    if bare in fixed:
        return fixed[bare]
    if found := _CHRISTMAS.fullmatch(bare):
        count = found["count"] or found["behind"]
        back = 1 if found["last"] else int(count) if count and count.isdecimal() else _COUNTS.get(count, 0)
        newest = today.year - (today.month < _DECEMBER)
        return SaidDate(newest - 1 if found["before"] else today.year - back, _DECEMBER)
    found = _AGO.fullmatch(
        " ".join(
            word
            for word in _AND_A_HALF.sub("", bare).split()
            if word not in ("cerca", "de", "about", "around")
        )
    )
    if not found or not (flat.split(maxsplit=1)[0] in ("ha", "faz") or found[3] or " ha " in flat):
        return None
    count = int(found[1]) if found[1].isdecimal() else _COUNTS[found[1]]
    if found[2] in _YEARS:
        months = today.year * 12 + today.month - 1 - 12 * count - 6
        return SaidDate(months // 12 if has_half else today.year - count)
    if found[2] in ("mes", "meses", "month", "months"):
        months = today.year * 12 + today.month - 1 - count
        return SaidDate(months // 12, months % 12 + 1)
    return None
