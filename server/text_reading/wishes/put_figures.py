"""The clause of a message that puts something right, and whether an amount in it may be that of a question."""

from collections.abc import Mapping

from server import patterns
from server.languages import fold

_CLAUSE = patterns.compile(r"[,.;!\n]\s+|\s(?=(?:e|and|mas|but)\s)", patterns.IGNORECASE)
_CORRECTS = patterns.compile(
    r"(?:(?:e|and|mas|but|ah|oh) )*(?:afinal|actually|ups|oops)\b|.*\d.*\b(?:actually|afinal)$"
)
_PUT = patterns.compile(r"\b(?:make (?:it|that)|put (?:it|that)|poe|ponha|poem|mete|meta|fica|faz|faca)\b")
_FIGURE = patterns.compile(r"\d+(?:[.,]\d+)?")
_MONEY = patterns.compile(r"(?:€|quero|pe[cç]o|want|asking) ?\d+|\d+ ?(?:€|euros?\b)", patterns.IGNORECASE)
_MOST_LETTERS = 400


def corrected_part(text: str) -> str:
    """Return the end of a message from its last clause on that puts a figure right: `sucks well. actually 15 min`.

    The whole message where that clause is its first, or where none has a figure.
    """
    starts = [0, *(each.end() for each in _CLAUSE.finditer(text[:_MOST_LETTERS]))]
    ends = [*starts[1:], len(text)]
    for start, end in reversed([*zip(starts, ends, strict=True)]):
        clause = text[start:end]
        if start and _FIGURE.search(clause) and _CORRECTS.match(fold(clause)):
            return text[start:]
    return text


def may_count(text: str, question: Mapping[str, object]) -> bool:
    """Return whether words have a figure beside a price, and put none above what the question allows: `make it 200`."""
    said = _MONEY.sub(" ", text)
    found, most = _FIGURE.findall(said), question.get("max")
    is_put = isinstance(most, int | float) and len(found) == 1 and _PUT.search(fold(said)) is not None
    is_above = is_put and isinstance(most, int | float) and float(found[0].replace(",", ".")) > most
    return any(map(str.isdigit, said)) and not is_above
