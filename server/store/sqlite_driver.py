"""SQLite for SQLAlchemy with one trip to the connection's thread a statement.

SQLAlchemy's adapter of aiosqlite makes four (cursor, execute, fetch, close), two more for BEGIN's own, and one to
roll back what was committed; each wakes a thread and waits for it, which cost more than the statements. Here a
statement is executed, fetched and closed in one trip that carries the transaction's BEGIN along. Work that was
cancelled while the thread was at it is still whole: nothing of it is left open, and the rollback queues behind it.
"""

import sqlite3
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
)
from sqlalchemy.util import EMPTY_DICT
from sqlalchemy.util.concurrency import await_


@dataclass(frozen=True, slots=True)
class _Executed:
    """What a cursor is asked for after its statement."""

    description: Any = None
    rowcount: int = -1
    lastrowid: int = 0
    arraysize: int = 1


class Cursor(AsyncAdapt_aiosqlite_cursor):
    """Holds the rows of a finished statement; no cursor of SQLite's outlives its trip."""

    __slots__ = ()

    def __init__(self, adapt_connection: "Connection") -> None:
        """Be empty."""
        self._adapt_connection = adapt_connection
        self._connection = adapt_connection._connection
        self._cursor: Any = _Executed()
        self._soft_closed_memoized = EMPTY_DICT
        self._rows = deque()

    async def _execute_async(self, operation: Any, parameters: Any) -> None:
        await self._trip(sqlite3.Connection.execute, operation, parameters or ())

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> None:
        await self._trip(sqlite3.Connection.executemany, operation, seq_of_parameters)

    async def _trip(self, execute: Any, operation: Any, parameters: Any) -> None:
        connection: Any = self._adapt_connection
        raw: Any = self._connection
        work = partial(_executed, raw._conn, connection.begun(), execute, operation, parameters)
        self._cursor, self._rows = await raw._execute(work)

    async def _async_soft_close(self) -> None:
        """It is closed already."""

    def close(self) -> None:
        """Forget the rows."""
        self._rows.clear()


class Connection(AsyncAdapt_aiosqlite_connection):
    """Begins with the first statement, and ends only what has begun."""

    _cursor_cls: Any = Cursor

    __slots__ = ("_begin", "_in_transaction")

    def __init__(self, dbapi: Any, connection: Any) -> None:
        """Be outside of any transaction."""
        super().__init__(dbapi, connection)
        self._begin: str | None = None
        self._in_transaction = False

    def begin(self, statement: str) -> None:
        """Let the next statement begin a transaction."""
        self._begin = statement

    def begun(self) -> str | None:
        """Give the BEGIN that is still to be said; from now on there is something to end."""
        statement, self._begin = self._begin, None
        self._in_transaction = True
        return statement

    def commit(self) -> None:
        """Commit, if there is anything."""
        if self._ends():
            super().commit()

    def rollback(self) -> None:
        """Roll back, if there is anything; a pool does so with every connection that it gets back."""
        if self._ends():
            super().rollback()

    def _ends(self) -> bool:
        in_transaction, self._in_transaction = self._in_transaction, False
        self._begin = None
        return in_transaction


class Driver(AsyncAdapt_aiosqlite_dbapi):
    """The `module` of an engine."""

    def __init__(self) -> None:
        """Stand on aiosqlite."""
        super().__init__(aiosqlite, sqlite3)

    def connect(self, *arg: Any, **kw: Any) -> Connection:
        """Open a connection with a thread of its own, which ends with the process."""
        connection = aiosqlite.connect(*arg, **kw)
        connection._thread.daemon = True
        return Connection(self, await_(connection))


def _executed(
    connection: sqlite3.Connection, begin: str | None, execute: Any, operation: str, parameters: Any
) -> tuple[_Executed, deque[Any]]:
    """Do it all; runs in the connection's thread."""
    if begin is not None:
        connection.execute(begin)
    cursor = execute(connection, operation, parameters)
    rows = deque(cursor.fetchall() if cursor.description else ())
    done = _Executed(cursor.description, cursor.rowcount, cursor.lastrowid)
    cursor.close()
    return done, rows
