"""The words of a search for conversations, as conditions of SQL.

A word is found anywhere in a text, without regard to case (in SQLite: to that of ASCII letters).
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Executable, Row, exists, func, or_
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from server.errors import RateLimited, Unavailable
from server.store.engine.database import every
from server.store.tables import messages, sessions
from server.tasks import Tasks

MOST_SEARCHED = 200
"""Characters of one search; what is longer is cut off."""

MOST_WORDS = 8
"""Words of one search; further ones are not looked at."""

SEARCH_S = 3.0
"""Seconds for which SQLite searches; PostgreSQL gives each statement as long."""

AT_ONCE = 2
"""Searches that read at once, of the four connections that read."""

OF_CALLER = 4
"""Searches of one principal that read or wait."""


def search_words(words: str | None) -> list[str]:
    """Return the words that are looked for."""
    return list(dict.fromkeys((words or "")[:MOST_SEARCHED].lower().split()[:MOST_WORDS]))


def title_has(word: str) -> ColumnElement[bool]:
    """Return the condition that the title of a session has this word."""
    return _has(sessions.c.title, word)


def session_has(word: str) -> ColumnElement[bool]:
    """Return the condition that a session has this word in its title or in a text of its messages."""
    text = messages.c.body["content"].as_string()
    return or_(title_has(word), exists().where(messages.c.session_id == sessions.c.id, _has(text, word)))


def _has(text: Any, word: str) -> ColumnElement[bool]:
    return contains(func.lower(text), word)


class contains(FunctionElement[bool]):
    """Whether a text has another one in it. LIKE would look at each letter of it for each letter of the text."""

    type = Boolean()
    inherit_cache = True
    name = "contains"


@compiles(contains, "sqlite")
def _sqlite(element: contains, compiler: SQLCompiler, **options: Any) -> str:
    return f"(instr({compiler.process(element.clauses, **options)}) > 0)"


@compiles(contains, "postgresql")
def _postgresql(element: contains, compiler: SQLCompiler, **options: Any) -> str:
    return f"(strpos({compiler.process(element.clauses, **options)}) > 0)"


class SearchTurns:
    """The searches of a process: few at once, so that other reads find a connection, and none for long."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(AT_ONCE)
        self._searches: Counter[str] = Counter()

    @asynccontextmanager
    async def one(self, principal: str) -> AsyncIterator[None]:
        """Wait for a turn to search. Raises RateLimited where the principal has too many searches already."""
        if self._searches[principal] >= OF_CALLER:
            raise RateLimited(retry_after=SEARCH_S)
        self._searches[principal] += 1
        try:
            async with self._room:
                yield
        finally:
            self._searches[principal] -= 1
            self._searches += Counter()  # Forgets those that have none.


async def search(connection: AsyncConnection, statement: Executable) -> Sequence[Row[Any]]:
    """Return all rows. Raises Unavailable where SQLite searches for longer than `SEARCH_S`."""
    if connection.dialect.name != "sqlite":
        return await every(connection, statement)
    raw: Any = (await connection.get_raw_connection()).driver_connection
    ending = Tasks()
    ending.spawn(_interrupt(raw), name="end of a search")
    try:
        return await every(connection, statement)
    except OperationalError as error:
        if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
            raise
        raise Unavailable(retry_after=SEARCH_S) from error
    finally:
        await ending.aclose()


async def _interrupt(raw: Any) -> None:
    """Interrupt again and again: a statement that has not begun yet does not notice."""
    while True:
        await asyncio.sleep(SEARCH_S)
        await raw.interrupt()
