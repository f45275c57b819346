"""Days of sales, whose names are no values of an option."""

from server import patterns


def without_sale_days(text: str) -> str:
    """Return a text without the names of days of sales, in which `Black Friday` is no colour."""
    return _SALE_DAYS.sub(" ", text)


_SALE_DAYS = patterns.compile(r"\b(?:black\s?friday|cyber\s?monday)\b", patterns.IGNORECASE)
