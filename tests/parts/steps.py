"""Count what SQLite does for its statements: steps of its virtual machine, which no other load changes."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, event


@dataclass
class Steps:
    """The number of steps of all statements that went through SQLAlchemy."""

    count: int = 0

    def _one_more(self) -> int:
        self.count += 1
        return 0


@contextmanager
def sqlite_steps() -> Iterator[Steps]:
    """Count until the block ends. A statement is counted in the thread that executes it."""
    steps = Steps()

    def begin(connection: Any, *_: Any) -> None:
        _raw(connection).set_progress_handler(steps._one_more, 1)

    def end(connection: Any, *_: Any) -> None:
        _raw(connection).set_progress_handler(None, 0)

    event.listen(Engine, "before_cursor_execute", begin)
    event.listen(Engine, "after_cursor_execute", end)
    try:
        yield steps
    finally:
        event.remove(Engine, "before_cursor_execute", begin)
        event.remove(Engine, "after_cursor_execute", end)


def _raw(connection: Any) -> sqlite3.Connection:
    raw: sqlite3.Connection = connection.connection.dbapi_connection._connection._conn
    return raw
