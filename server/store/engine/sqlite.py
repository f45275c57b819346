"""SQLite for SQLAlchemy with one trip to the connection's thread a transaction, or else a statement.

SQLAlchemy's adapter of aiosqlite makes four a statement (cursor, execute, fetch, close), two more for BEGIN's own,
and one to roll back after a commit; each wakes a thread and waits for it, which cost more than the statements.
Here a transaction that is one function goes to the thread as a whole. In any other a statement is executed, fetched
and closed in one trip that carries the transaction's BEGIN along. Work that is cancelled while the thread runs it
is completed: nothing of it is left open, and the rollback queues behind it.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
)
from sqlalchemy.util import EMPTY_DICT
from sqlalchemy.util.concurrency import await_

from server.store.engine.connection_threads import ConnectionThreads
from server.tasks import Tasks

T = TypeVar("T")

INTERRUPT_AGAIN_S = 0.1


@dataclass(frozen=True, slots=True)
class _Executed:
    """The attributes of a cursor that are read after its statement."""

    description: Any = None
    rowcount: int = -1
    lastrowid: int = 0
    arraysize: int = 1


class Cursor(AsyncAdapt_aiosqlite_cursor):
    """Holds the rows of a finished statement; no cursor of SQLite's outlives its trip."""

    __slots__ = ()

    def __init__(self, adapt_connection: "SqliteConnection") -> None:
        self._adapt_connection = adapt_connection
        self._connection = adapt_connection._connection
        self._cursor: Any = _Executed()
        self._soft_closed_memoized = EMPTY_DICT
        self._rows = deque()

    def execute(self, operation: Any, parameters: Any = None) -> None:
        """Execute here when this is the connection's thread, else there."""
        home: Any = self._adapt_connection
        if home.at_home:
            self._execute_at_home(sqlite3.Connection.execute, operation, parameters)
        else:
            super().execute(operation, parameters)

    def executemany(self, operation: Any, seq_of_parameters: Any) -> None:
        """Execute here when this is the connection's thread, else there."""
        home: Any = self._adapt_connection
        if home.at_home:
            self._execute_at_home(sqlite3.Connection.executemany, operation, seq_of_parameters)
        else:
            super().executemany(operation, seq_of_parameters)

    def _execute_at_home(self, execute: Any, operation: Any, parameters: Any) -> None:
        connection: Any = self._adapt_connection
        raw: Any = self._connection
        try:
            done = _execute_all(raw._conn, connection.take_begin(), execute, operation, parameters)
        except Exception as error:
            # SQLAlchemy's own adapter does the same: it translates what the driver raises, and raises all else.
            connection._handle_exception(error)
        self._cursor, self._rows = done

    async def _execute_async(self, operation: Any, parameters: Any) -> None:
        await self._trip(sqlite3.Connection.execute, operation, parameters or ())

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> None:
        await self._trip(sqlite3.Connection.executemany, operation, seq_of_parameters)

    async def _trip(self, execute: Any, operation: Any, parameters: Any) -> None:
        connection: Any = self._adapt_connection
        raw: Any = self._connection
        work = partial(_execute_all, raw._conn, connection.take_begin(), execute, operation, parameters)
        self._cursor, self._rows = await raw._execute(work)

    async def _async_soft_close(self) -> None:
        """Do nothing: the connection is closed already."""

    def close(self) -> None:
        """Forget the rows."""
        self._rows.clear()


class SqliteConnection(AsyncAdapt_aiosqlite_connection):
    """Begins with the first statement, and ends only what has begun."""

    _cursor_cls: Any = Cursor

    __slots__ = ("_begin", "_in_transaction", "at_home")

    def __init__(self, dbapi: Any, connection: Any) -> None:
        super().__init__(dbapi, connection)
        self._begin: str | None = None
        self._in_transaction = False
        self.at_home = False
        """All that happens now happens in the connection's own thread."""

    async def whole(self, work: Callable[[], T], within_s: float | None = None) -> T:
        """Do all of this work in the connection's thread; a cancellation waits for its end.

        After `within_s` its statement is interrupted, as by a cancellation before. Raises ConnectionError when the
        connection was closed: no thread would do it.
        """
        raw: Any = self._connection
        if not raw.is_running:
            raise ConnectionError("the connection is closed")
        doing = asyncio.get_running_loop().create_future()
        raw._tx.put_nowait((doing, partial(self._do, work)))
        ending = Tasks()
        if within_s is not None:
            ending.spawn(self._interrupt(within_s), name="end of a statement")
        try:
            result: T = await asyncio.shield(doing)
        except asyncio.CancelledError:
            if within_s is not None:
                ending.spawn(self._interrupt(0.0), name="end of a statement")
            await _wait_for_thread(doing)
            raise
        finally:
            await ending.aclose()
        return result

    async def _interrupt(self, after_s: float) -> None:
        """Interrupt again and again: a statement that has not begun yet does not notice."""
        while True:
            await asyncio.sleep(after_s)
            self._raw().interrupt()
            after_s = INTERRUPT_AGAIN_S

    def _do(self, work: Callable[[], T]) -> T:
        """Do the work; runs in the connection's thread, while nothing else has the connection."""
        self.at_home = True
        try:
            return work()
        finally:
            self.at_home = False

    def begin(self, statement: str) -> None:
        """Let the next statement begin a transaction."""
        self._begin = statement

    def take_begin(self) -> str | None:
        """Return the BEGIN that is still to be executed; from now on a transaction is open."""
        statement, self._begin = self._begin, None
        self._in_transaction = True
        return statement

    def commit(self) -> None:
        """Commit, if there is anything."""
        if self._ends():
            if self.at_home:
                self._raw().commit()
            else:
                super().commit()

    def rollback(self) -> None:
        """Roll back, if there is anything; a pool does so with every connection that it gets back."""
        if self._ends():
            if self.at_home:
                self._raw().rollback()
            else:
                super().rollback()

    def _raw(self) -> sqlite3.Connection:
        raw: Any = self._connection
        connection: sqlite3.Connection = raw._conn
        return connection

    def _ends(self) -> bool:
        in_transaction, self._in_transaction = self._in_transaction, False
        return in_transaction


class Driver(AsyncAdapt_aiosqlite_dbapi):
    """The `module` of an engine."""

    def __init__(self, threads: ConnectionThreads) -> None:
        super().__init__(aiosqlite, sqlite3)
        self._threads = threads

    def connect(self, *arg: Any, **kw: Any) -> SqliteConnection:
        """Open a connection with a thread of its own."""
        return SqliteConnection(self, await_(self._threads.connect(*arg, **kw)))


async def _wait_for_thread(doing: asyncio.Future[Any]) -> None:
    """Wait for the thread whatever happens: until it is done nothing else may use the connection."""
    while not doing.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({doing})
    doing.exception()


def _execute_all(
    connection: sqlite3.Connection, begin: str | None, execute: Any, operation: str, parameters: Any
) -> tuple[_Executed, deque[Any]]:
    """Do all of the work; runs in the connection's thread."""
    if begin is not None:
        connection.execute(begin)
    cursor = execute(connection, operation, parameters)
    rows = deque(cursor.fetchall())
    done = _Executed(cursor.description, cursor.rowcount, cursor.lastrowid)
    cursor.close()
    return done, rows
