"""The words of a search for conversations, as conditions of SQL.

A word is found anywhere in a text, without regard to case (in SQLite: to that of ASCII letters).
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import Boolean, ColumnElement, Connection, Executable, Row, exists, func, or_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from server.errors import RateLimited
from server.protocol.transcript import REASONING
from server.store.engine.database import Database, StorePart
from server.store.tables import messages, sessions

T = TypeVar("T")

MOST_SEARCHED = 200
"""Characters of one search; what is longer is cut off."""

MOST_WORDS = 8
"""Words of one search; further ones are not looked at."""

SEARCH_S = 3.0
"""Seconds for which SQLite searches; PostgreSQL gives each statement as long."""

AT_ONCE = 2
"""Searches of visitors that read at once, of the four connections that read."""

OPERATORS_AT_ONCE = 1
"""Searches of operators and apps that read at once, beside those of visitors."""


def search_words(words: str | None) -> list[str]:
    """Return the words that are looked for."""
    return list(dict.fromkeys((words or "")[:MOST_SEARCHED].lower().split()[:MOST_WORDS]))


def title_has(word: str) -> ColumnElement[bool]:
    """Return the condition that the title of a session has this word."""
    return _has(sessions.c.title, word)


def session_has(word: str) -> ColumnElement[bool]:
    """Return the condition that a session has this word in its title or in a text of its messages.

    The reasoning of a model is none of these: a search is for messages.
    """
    text, role = (messages.c.body[name].as_string() for name in ("content", "role"))
    said = exists().where(messages.c.session_id == sessions.c.id, _has(text, word), role != REASONING)
    return or_(title_has(word), said)


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


class Searches(StorePart):
    """The searches of a process: few at once, so that other reads find a connection, and none for long."""

    def __init__(self, database: Database, at_once: int, of_caller: int) -> None:
        """Let `at_once` of them read, and `of_caller` of one visitor, operator or app read or wait."""
        super().__init__(database)
        self._room = asyncio.Semaphore(at_once)
        self._of_caller = of_caller
        self._searches: Counter[str] = Counter()

    async def fetch(self, caller: str, statement: Executable, words: Sequence[str]) -> Sequence[Row[Any]]:
        """Return the rows of a statement, which searches where there are words. Raises as `read` does.

        Without words it waits for no search, and takes no longer than one may.
        """
        if not words:
            return await self._database.fetch(statement, within_s=SEARCH_S)
        return await self.read(caller, lambda connection: connection.execute(statement).all())

    async def read(self, caller: str, work: Callable[[Connection], T]) -> T:
        """Execute a read transaction that searches.

        Raises RateLimited where the caller has too many searches already, and Unavailable for one that takes longer
        than `SEARCH_S`.
        """
        async with self.one(caller):
            return await self._database.run_read(work, within_s=SEARCH_S)

    @asynccontextmanager
    async def one(self, caller: str) -> AsyncIterator[None]:
        """Wait for a turn to search. Raises RateLimited where the caller has too many searches already."""
        if self._searches[caller] >= self._of_caller:
            raise RateLimited(retry_after=SEARCH_S)
        self._searches[caller] += 1
        try:
            async with self._room:
                yield
        finally:
            self._searches[caller] -= 1
            self._searches += Counter()  # Forgets those that have none.
