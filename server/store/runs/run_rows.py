"""The rows of runs: the columns that a run, or its end, is read from, and the run of a row."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Row

from server.store.rows import Run, RunWithoutInput
from server.store.tables import runs


def _columns(names: Iterable[str]) -> list[ColumnElement[Any]]:
    """Return columns of runs under their names in the code: `published` has another one in the database."""
    return [
        each if each.key == each.name else each.label(each.key) for each in (runs.c[name] for name in names)
    ]


RUN_COLUMNS = _columns(Run.__dataclass_fields__)
END_COLUMNS = [
    *_columns(RunWithoutInput.__dataclass_fields__),
    runs.c.branch.is_not(None).label("changes_path"),
]


def run_of(row: Row[Any]) -> Run:
    """Return the row of `RUN_COLUMNS` as a run."""
    return Run(**row._mapping)
