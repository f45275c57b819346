"""The rows of runs: the columns that a run, or its end, is read from, and the run of a row."""

from typing import Any

from sqlalchemy import Row

from server.store.rows import Run, RunWithoutInput
from server.store.tables import runs

RUN_COLUMNS = [runs.c[name] for name in Run.__dataclass_fields__]
END_COLUMNS = [
    *(runs.c[name] for name in RunWithoutInput.__dataclass_fields__),
    runs.c.branch.is_not(None).label("changes_path"),
]


def run_of(row: Row[Any]) -> Run:
    """Return the row of `RUN_COLUMNS` as a run."""
    return Run(**row._mapping)
