"""Traits that sellers name and that move a price: the size of the storage, and the age."""

from datetime import UTC, datetime

from server import patterns

_GIGABYTES = patterns.compile(
    r"(\d{1,4})\s?(gb|go|tb)\b(?:\s(?:de\s)?(ram|mem[oó]ria))?", patterns.IGNORECASE
)
_MEMORY = patterns.compile(r"\b(?:ram|mem[oó]ria(?:\sram)?)[:\s]+(?:de\s)?$", patterns.IGNORECASE)
_TERABYTE = 1024
_LEAST_STORAGE = 16

_YEARS = patterns.compile(r"\b(\d{1,2})\s(?:anos?|years?|yrs?)\b", patterns.IGNORECASE)
_WARRANTY = patterns.compile(
    r"garantia|warranty|guarantee|idade|crian[cç]a|meses|ages?\b|kids?|children", patterns.IGNORECASE
)
_SINCE = patterns.compile(
    r"\b(?:comprad[oa]|comprei|bought|purchased|desde|since|ano|year|modelo|model|from|de|em)\s(?:o\s)?(?:em\s|in\s|de\s|from\s)?"
    r"((?:19[89]|20[0-3])\d)\b(?!\s?(?:w|mah|rpm|€|eur|ciclos|km)\b)",
    patterns.IGNORECASE,
)
_IN_NAME = patterns.compile(r"\b((?:19[89]|20[0-3])\d)\b(?!\s?(?:w|mah|rpm)\b)", patterns.IGNORECASE)
_AROUND = 20
"""Letters beside a number that tell what it is of."""


def storage_of(*texts: str) -> int | None:
    """Return the gigabytes of storage that the first of these texts names; memory is none."""
    for text in texts:
        sizes = [
            int(each[1]) * (_TERABYTE if each[2].lower() == "tb" else 1)
            for each in _GIGABYTES.finditer(text)
            if not each[3] and not _MEMORY.search(text[max(each.start() - _AROUND, 0) : each.start()])
        ]
        if sizes and max(sizes) >= _LEAST_STORAGE:
            return max(sizes)
    return None


def age_of(name: str, text: str) -> int | None:
    """Return the years since an item was bought or made, by its name and its description; None where none says so."""
    for each in _YEARS.finditer(text):
        around = text[max(each.start() - _AROUND, 0) : each.end() + _AROUND]
        if not _WARRANTY.search(around):
            return int(each[1])
    this_year = datetime.now(UTC).year
    years = [int(each[1]) for each in (*_SINCE.finditer(text), *_IN_NAME.finditer(name))]
    return next((this_year - each for each in years if each <= this_year), None)
