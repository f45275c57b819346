"""Machine-readable zones of identity documents: read by ICAO Doc 9303, and held against what is printed beside them.

Parts 3 (check digits, transliteration), 4 (TD3), 5 (TD1) and 6 (TD2). A number of more than nine characters goes on in
the optional field, as that of the Portuguese cartão de cidadão. Spanish cards have the number of the card in the number
field and that of the person, which is the one that is asked for, in the optional one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from server import patterns
from server.loopos.requests.person_names import name_readings

_WEIGHTS = (7, 3, 1)
_LINE = patterns.compile(r"[A-Z0-9<]+")
_SPANISH = patterns.compile(r"[0-9XYZ][0-9]{7}[A-Z]")
_NUMBER = 9
"""Characters of the number field."""

_WIDTHS = {90: 30, 72: 36, 88: 44}
"""The letters of a whole zone, and of a line of it."""

_LONG_NUMBER = patterns.compile(r"([A-Z0-9]+)([0-9])<*")
"""The part of a long number in the optional field: the rest of it, and the check digit of the whole."""


@dataclass(frozen=True, slots=True)
class MachineZone:
    """The content of a machine-readable zone; `valid` when every check digit of it holds."""

    document: str
    """The first letter: P a passport, I, A or C a card."""
    country: str
    """ISO 3166 or ICAO, three letters."""
    number: str
    also: frozenset[str]
    """Other numbers of it, which may be printed as prominently: of the card, of the person."""
    name: str
    cut: bool
    """The name fills its field: words of it may be cut or missing."""
    birth: str
    """Six digits YYMMDD; what is unknown is `<`."""
    end: str
    """The expiry, in the same form."""
    valid: bool

    @property
    def expiry(self) -> date | None:
        """Return the day of expiry, in this century: no document of the last one is valid any more."""
        try:
            return date(2000 + int(self.end[:2]), int(self.end[2:4]), int(self.end[4:6]))
        except ValueError:
            return None

    def has_number(self, number: str) -> bool:
        """Return whether a plain number is the one of this zone, or another one that it holds."""
        return number == self.number or number in self.also

    def has_birth(self, day: date) -> bool:
        """Return whether a day may be the one of birth."""
        return _fits(self.birth, day)

    def has_expiry(self, day: date) -> bool:
        """Return whether a day may be the one of expiry."""
        return _fits(self.end, day)

    def has_name(self, name: str) -> bool:
        """Return whether a printed name may be the one of this zone, whose words are transliterated and may be cut."""
        here = set(self.name.split())
        return any(_same_words(here, words, cut=self.cut) for words in name_readings(name))


def _fits(digits: str, day: date) -> bool:
    """Return whether a day fits six characters; the century is not among them, and a filler stands for any digit."""
    return all(known in ("<", said) for known, said in zip(digits, f"{day:%y%m%d}", strict=True))


def _same_words(here: set[str], printed: set[str], *, cut: bool) -> bool:
    """Return whether two names have the same words: those of the shorter form all stand in the longer one."""
    if here <= printed or printed <= here:
        return True
    return cut and all(any(word.startswith(each) for word in printed) for each in here)


def mrz_digit(text: str) -> int:
    """Return the check digit of a field: digits count as they are, letters from 10, fillers 0; weights 7, 3, 1."""
    values = (0 if each == "<" else int(each, 36) for each in text)
    return sum(value * _WEIGHTS[at % 3] for at, value in enumerate(values)) % 10


def zone_rows(lines: Sequence[str]) -> list[str]:
    """Return the lines of a zone in capitals, without blanks; empty where nothing of a zone was read."""
    rows = [
        patterns.sub(r"\s", "", row).upper() for each in lines for row in each.splitlines() if row.strip()
    ]
    width = _WIDTHS.get(len(rows[0])) if len(rows) == 1 else None
    return [rows[0][at : at + width] for at in range(0, len(rows[0]), width)] if width else rows


def read_zone(lines: Sequence[str]) -> MachineZone | None:
    """Read the lines of a zone: TD1 (3 of 30), TD2 (2 of 36) or TD3 (2 of 44); None for any other shape.

    Lines that stand in one text are taken apart.
    """
    rows = zone_rows(lines)
    if not all(map(_LINE.fullmatch, rows)):
        return None
    shape = [len(each) for each in rows]
    if shape == [30, 30, 30]:
        return _read_td1(*rows)
    if shape in ([36, 36], [44, 44]):
        return _read_td23(*rows)
    return None


def _read_td1(first: str, second: str, third: str) -> MachineZone:
    number, also, holds = _read_number(first[5:14], first[14], first[15:])
    checked = (
        holds
        and _holds(second[:6], second[6])
        and _holds(second[8:14], second[14])
        and _holds(first[5:30] + second[:7] + second[8:15] + second[18:29], second[29])
    )
    return _zone(first, third, number, also, second[:6], second[8:14], valid=checked)


def _read_td23(first: str, second: str) -> MachineZone:
    """Read a passport's zone, or a card's of two lines: they differ in what follows the expiry."""
    end = len(second) - 1
    is_passport = end == 43  # noqa: PLR2004 - TD3 checks its optional field too, and has no long numbers
    optional = second[28:42] if is_passport else second[28:end]
    number, also, holds = _read_number(second[:9], second[9], optional)
    checked = (
        holds
        and _holds(second[13:19], second[19])
        and _holds(second[21:27], second[27])
        and _holds(second[:10] + second[13:20] + second[21:end], second[end])
    )
    if is_passport and second[42] != "<":
        checked = checked and _holds(optional, second[42])
    return _zone(first, first[5:], number, also, second[13:19], second[21:27], valid=checked)


def _read_number(field: str, digit: str, optional: str) -> tuple[str, frozenset[str], bool]:
    """Return the number, what else the optional field may be the number of, and whether the check digit holds."""
    rest = _LONG_NUMBER.fullmatch(optional)
    if digit == "<" and rest is not None and "<" not in field:
        return (
            field + rest[1],
            frozenset({field}),
            _holds(field + digit + rest[1], rest[2]) or _holds(field + rest[1], rest[2]),
        )
    return field.strip("<"), frozenset(filter(None, (optional.strip("<"),))), _holds(field, digit)


def _holds(field: str, digit: str) -> bool:
    return digit.isdigit() and mrz_digit(field) == int(digit)


def _zone(
    first: str, names: str, number: str, also: frozenset[str], birth: str, end: str, *, valid: bool
) -> MachineZone:
    country = first[2:5].strip("<")
    person = next((each for each in also if _SPANISH.fullmatch(each)), None) if country == "ESP" else None
    if person is not None:
        number, also = person, frozenset({number})
    words = " ".join(reversed([each.replace("<", " ").strip() for each in names.strip("<").split("<<")]))
    return MachineZone(first[0], country, number, also, words, not names.endswith("<"), birth, end, valid)
