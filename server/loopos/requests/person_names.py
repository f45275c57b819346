"""Names of people as documents write them: without diacritics, transliterated, in any order."""

import unicodedata

from server import patterns

_LETTERS = str.maketrans(
    {"Æ": "AE", "Ð": "D", "Đ": "D", "Ħ": "H", "Ł": "L", "Ø": "O", "Œ": "OE", "Þ": "TH", "ẞ": "SS"}
)
"""Letters that Unicode does not take apart into a plain one and a mark."""

_TRANSLITERATED = str.maketrans({"Ä": "AE", "Å": "AA", "Ñ": "N", "Ö": "OE", "Ø": "OE", "Ü": "UE"})
"""The letters that ICAO Doc 9303, part 3 writes as two where a machine reads them."""

_APOSTROPHES = patterns.compile(r"['\u2019\u00b4`]")


def plain_name(text: str) -> str:
    """Return a name in capitals without diacritics and marks."""
    apart = unicodedata.normalize("NFKD", text.upper().translate(_LETTERS))
    return " ".join(
        patterns.findall(r"[A-Z]+", "".join(each for each in apart if not unicodedata.combining(each)))
    )


def name_readings(name: str) -> list[set[str]]:
    """Return the words of a name in each way that a document may write them: with Ö as O or OE, O'NEILL as one word."""
    capitals = unicodedata.normalize("NFC", name.upper())
    forms = {capitals, capitals.translate(_TRANSLITERATED)}
    forms |= {_APOSTROPHES.sub("", each) for each in forms}
    return [set(plain_name(each).split()) for each in sorted(forms)]


def same_name(one: str, other: str) -> bool:
    """Return whether two names are one person's: the words of the shorter one all stand in the longer one.

    The order does not matter, nor does a middle name that one of them lacks. A single word is the name of who has no
    other, and no part of a longer name.
    """
    for first in name_readings(one):
        for second in name_readings(other):
            few, many = sorted((first, second), key=len)
            if few == many != set() or (len(few) > 1 and few <= many):
                return True
    return False
