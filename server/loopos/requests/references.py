"""Lists of references that a caller sends as CSV, and those of them that a name may mean."""

import csv
from dataclasses import dataclass
from io import StringIO

from rapidfuzz import fuzz, process, utils

MOST_NEAR = 30
MOST_ROWS = 20_000
MOST_DIGITS = 15


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

    A row is an id and a name, in either order, parted by commas, semicolons or tabs. Rows without a number are skipped,
    and so is a header.
    """
    delimiter = max(",;\t", key=text[:2000].count)
    found = []
    for at, row in enumerate(csv.reader(StringIO(text), delimiter=delimiter)):
        if at >= MOST_ROWS:
            break
        cells = [each.strip() for each in row if each.strip()]
        number = next(
            (each for each in cells if each.isascii() and each.isdigit() and len(each) <= MOST_DIGITS), None
        )
        names = [each for each in cells if each is not number]
        if number is not None and names:
            found.append(Reference(int(number), names[0][:300]))
    names_only = [each.name for each in found]
    ranked = process.extract(
        near, names_only, scorer=fuzz.WRatio, processor=utils.default_process, limit=MOST_NEAR
    )
    return [found[at] for _, _, at in ranked]
