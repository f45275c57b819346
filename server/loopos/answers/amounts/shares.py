"""Ranges of percentages, of which a seller is asked which one holds: `between 80 and 85`."""

from server import patterns
from server.loopos.answers.element import Element

_RANGE = patterns.compile(
    r"\b(?:(?:between|from|entre|de|dos?)\s(?:os\s|uns\s)?)?(?P<low>\d{1,3})\s?%?"
    r"\s?(?:\b(?:and|to|at[eé]|aos?|a|e)\b|[-–])\s?(?:os\s|uns\s)?(?P<high>\d{1,3})\s?%?(?![\w/])",
    patterns.IGNORECASE,
)


def ends_of_share(element: Element, answer: str) -> tuple[int, int] | None:
    """Return both ends of a range where a percentage is asked and the answer has no other figure; else None."""
    found = _RANGE.search(answer) if element.unit is not None and element.unit.en == "%" else None
    if found is None or any(map(str.isdigit, _RANGE.sub("", answer))):
        return None
    return int(found["low"]), int(found["high"])
