"""Lists of references that a caller sends as CSV, and those of them that a name may mean."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from rapidfuzz import fuzz, process, utils

MOST_NEAR = 30
MOST_ROWS = 20_000
"""Rows of a list that are looked at: the service's contract says so."""
_AT_ONCE = 500
"""Names that are compared while no other thread runs: 5 to 20 milliseconds."""
MOST_DIGITS = 15
MOST_NAME = 300
_SAMPLE = 50
"""Rows that tell which column holds the ids."""
_TWO = 2
_IDS = ("id", "codigo", "código", "code")


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a catalog."""

    id: int
    name: str

    def to_json(self) -> dict[str, int | str]:
        """Return it as the agents read it."""
        return {"id": self.id, "name": self.name}


def read_references(text: str, *, near: str) -> list[Reference]:
    """Return the entries whose names are nearest to a name, the nearest first.

    A row is an id and a name, in either order, parted by commas, semicolons or tabs, with or without a header. Rows
    without a number are skipped, and so are those after the first `MOST_ROWS` and what cannot be read. A long list
    takes half a second: an event loop calls this in a thread, where others run after each `_AT_ONCE` names.
    """
    text = text.removeprefix("\ufeff")
    rows = list(_rows(text, max(",;\t", key=text[:2000].count)))
    column = _id_column(rows)
    width = len(rows[0]) if rows and not any(map(_is_id, rows[0])) else 0
    found = [each for row in rows if (each := _reference(row, column, width)) is not None]
    ranked: list[tuple[float, int]] = []
    for first in range(0, len(found), _AT_ONCE):
        names = [each.name for each in found[first : first + _AT_ONCE]]
        part = process.extract(
            near, names, scorer=fuzz.WRatio, processor=utils.default_process, limit=MOST_NEAR
        )
        ranked += ((-score, first + at) for _, score, at in part)
        ranked = sorted(ranked)[:MOST_NEAR]
    return [found[at] for _, at in ranked]


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows as far as they can be read: a cell may be too large, or its quotes may be left open."""
    reader = csv.reader(StringIO(text), delimiter=delimiter, skipinitialspace=True)
    try:
        for _, row in zip(range(MOST_ROWS), reader, strict=False):
            yield [each.strip() for each in row]
    except csv.Error:
        return


def _id_column(rows: list[list[str]]) -> int | None:
    """Return the column of the ids: the header's, else the first of numbers alone; None where rows differ."""
    header = [each.casefold() for each in rows[0]] if rows else []
    if header and not any(map(_is_id, header)):
        named = (at for at, each in enumerate(header) if each in _IDS or each.endswith(("_id", " id")))
        if (column := next(named, None)) is not None:
            return column
    sample = [row for row in rows[:_SAMPLE] if any(map(_is_id, row))]
    widest = max(map(len, sample), default=0)
    return next(
        (at for at in range(widest) if all(len(row) > at and _is_id(row[at]) for row in sample)), None
    )


def _is_id(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) <= MOST_DIGITS


def _name_of(row: list[str], column: int, width: int) -> str | None:
    """Return the name; under a header of two columns, what a comma without quotes has parted is one name."""
    if width == _TWO and column == 0 and len(row) > _TWO:
        return ", ".join(filter(None, row[1:])) or None
    return next((each for at, each in enumerate(row) if at != column and each), None)


def _reference(row: list[str], column: int | None, width: int) -> Reference | None:
    if column is None:
        column = next((at for at, each in enumerate(row) if _is_id(each)), None)
    if column is None or column >= len(row) or not _is_id(row[column]):
        return None
    name = _name_of(row, column, width)
    return None if name is None else Reference(int(row[column]), name[:MOST_NAME])
