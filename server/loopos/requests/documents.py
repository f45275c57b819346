"""Identity documents by rules: check digits and dates of machine-readable zones, national numbers, names.

Sources: ICAO Doc 9303 part 3 (check digits), parts 4 to 6 (TD3, TD1, TD2); AMA, "Validação de número de documento do
cartão de cidadão"; Spanish Royal Decree 1553/2005 (letter of DNI), Order INT/2058/2008 (letter of NIE).
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

_WEIGHTS = (7, 3, 1)
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CC = re.compile(r"[0-9]{9}[A-Z0-9]{2}[0-9]")
_DNI = re.compile(r"([0-9]{8})([A-Z])")
_NIE = re.compile(r"([XYZ])([0-9]{7})([A-Z])")
_LINE = re.compile(r"[A-Z0-9<]+")


@dataclass(frozen=True, slots=True)
class MachineZone:
    """What a machine-readable zone says; `valid` when every check digit of it holds."""

    document: str
    """The first letter: P a passport, I, A or C a card."""
    country: str
    """ISO 3166 or ICAO, three letters."""
    number: str
    name: str
    expiry: date | None
    valid: bool


def mrz_digit(text: str) -> int:
    """Return the check digit of a field: digits count as they are, letters from 10, fillers 0; weights 7, 3, 1."""
    values = (0 if each == "<" else int(each, 36) for each in text)
    return sum(value * _WEIGHTS[at % 3] for at, value in enumerate(values)) % 10


def read_zone(lines: Sequence[str]) -> MachineZone | None:
    """Read the lines of a zone: TD1 (3 of 30), TD2 (2 of 36) or TD3 (2 of 44); None for any other shape."""
    rows = [re.sub(r"\s", "", each).upper() for each in lines if each.strip()]
    if not all(map(_LINE.fullmatch, rows)):
        return None
    shape = [len(each) for each in rows]
    if shape == [30, 30, 30]:
        return _read_td1(*rows)
    if shape in ([36, 36], [44, 44]):
        return _read_td23(*rows)
    return None


def _read_td1(first: str, second: str, third: str) -> MachineZone:
    checked = (
        _holds(first[5:14], first[14])
        and _holds(second[:6], second[6])
        and _holds(second[8:14], second[14])
        and _holds(first[5:30] + second[:7] + second[8:15] + second[18:29], second[29])
    )
    return _zone(first[0], first[2:5], first[5:14], third, second[8:14], valid=checked)


def _read_td23(first: str, second: str) -> MachineZone:
    """Read a passport's zone, or a card's of two lines: they differ in what follows the expiry."""
    end = len(second) - 1
    checked = (
        _holds(second[:9], second[9])
        and _holds(second[13:19], second[19])
        and _holds(second[21:27], second[27])
        and _holds(second[:10] + second[13:20] + second[21:end], second[end])
    )
    if end == 43 and second[42] != "<":  # noqa: PLR2004 - TD3 checks its optional field too
        checked = checked and _holds(second[28:42], second[42])
    return _zone(first[0], first[2:5], second[:9], first[5:], second[21:27], valid=checked)


def _holds(field: str, digit: str) -> bool:
    return digit.isdigit() and mrz_digit(field) == int(digit)


def _zone(document: str, country: str, number: str, name: str, expiry: str, *, valid: bool) -> MachineZone:
    words = " ".join(reversed([each.replace("<", " ").strip() for each in name.strip("<").split("<<")]))
    return MachineZone(document, country.strip("<"), number.strip("<"), words, _expiry(expiry), valid)


def _expiry(digits: str) -> date | None:
    """Return the day of six digits YYMMDD, in this century: no document of the last one is valid any more."""
    try:
        return date(2000 + int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return None


def plain_number(text: str) -> str:
    """Return a number in capitals without blanks and separators."""
    return re.sub(r"[^A-Z0-9]", "", text.upper())


def plain_name(text: str) -> str:
    """Return a name in capitals without diacritics and marks."""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return " ".join(re.findall(r"[A-Z]+", bare.upper()))


def same_name(one: str, other: str) -> bool:
    """Return whether two names are one person's: the words of the shorter one all stand in the longer one.

    The order does not matter, nor does a middle name that one of them lacks; a single word is no name.
    """
    first, second = (set(plain_name(each).split()) for each in (one, other))
    few, many = sorted((first, second), key=len)
    return len(few) > 1 and few <= many


def cc_holds(number: str) -> bool:
    """Return whether the number of a Portuguese cartão de cidadão holds: `00000000 0 ZZ4`.

    From the right every second sign counts twice, less 9 above 9; letters count from 10. The sum is a multiple of 10.
    """
    text = plain_number(number)
    if not _CC.fullmatch(text):
        return False
    total = 0
    for at, each in enumerate(reversed(text)):
        value = int(each, 36)
        if at % 2:
            value = value * 2 - 9 if value * 2 > 9 else value * 2  # noqa: PLR2004
        total += value
    return total % 10 == 0


def dni_holds(number: str) -> bool:
    """Return whether the letter of a Spanish DNI or NIE holds: the number modulo 23 names it; X, Y, Z are 0, 1, 2."""
    text = plain_number(number)
    dni, nie = _DNI.fullmatch(text), _NIE.fullmatch(text)
    if dni:
        digits, letter = dni[1], dni[2]
    elif nie:
        digits, letter = f"{'XYZ'.index(nie[1])}{nie[2]}", nie[3]
    else:
        return False
    return _DNI_LETTERS[int(digits) % 23] == letter


NUMBER_RULES = {"cc-pt": cc_holds, "dni-es": dni_holds, "nie-es": dni_holds}
"""The rule of a document's number, by its canonical type."""
