"""A transaction on SQLite is one trip to the connection's thread, and what is cancelled there is completed first."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from server.errors import Unavailable
from server.store.engine.connection_threads import ConnectionThreads
from server.store.engine.database import Database, database_url
from server.store.engine.sqlite import Driver, SqliteConnection
from tests.parts.wait import PATIENCE_S, until_async

_MAKE = text("CREATE TABLE notes (id INTEGER PRIMARY KEY, word TEXT NOT NULL)")
_ADD = text("INSERT INTO notes (word) VALUES (:word)")
_WORDS = text("SELECT word FROM notes ORDER BY id")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """Yield a file with an empty table of notes, on which a reader and the writer are open."""
    database = Database(database_url(None, tmp_path))
    await database.execute(_MAKE, {})
    await database.fetch(_WORDS)
    yield database
    await database.aclose()


def add(connection: Connection, word: str = "a") -> int:
    """Store a note and return its number."""
    return connection.execute(_ADD, {"word": word}).lastrowid


async def words(database: Database) -> list[str]:
    return [row.word for row in await database.fetch(_WORDS)]


async def test_a_transaction_is_one_trip_or_else_one_for_each_statement(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "aiosqlite")

    async def trips(work: Awaitable[object]) -> int:
        caplog.clear()
        await work
        told = [each.getMessage() for each in caplog.records if each.name == "aiosqlite"]
        return sum(each.startswith("executing") for each in told)

    async def statements(count: int) -> None:
        async with database.write() as connection:
            for _ in range(count):
                await connection.execute(_ADD, {"word": "b"})

    def fail(connection: Connection) -> None:
        add(connection)
        raise KeyError

    async def failing() -> None:
        with pytest.raises(KeyError):
            await database.run_write(fail)

    assert await trips(database.run_write(add)) == 1
    assert await trips(database.execute(_ADD, {"word": "a"})) == 1
    assert await trips(database.fetch(_WORDS)) == 1
    assert await trips(database.run_read(lambda connection: connection.execute(_WORDS).all())) == 1
    assert await trips(statements(2)) == 3, "the last one is the commit"
    assert await trips(statements(0)) == 0
    assert await trips(failing()) == 1
    assert await words(database) == ["a", "a", "b", "b"]


async def test_the_number_of_a_new_row_is_known(database: Database) -> None:
    async with database.write() as connection:
        assert (await connection.execute(_ADD, {"word": "a"})).lastrowid == 1
    assert await database.run_write(add) == 2


async def test_a_connection_on_which_nothing_began_has_nothing_to_end(tmp_path: Path) -> None:
    threads = ConnectionThreads()
    connection = SqliteConnection(Driver(threads), await threads.connect(str(tmp_path / "a.db")))
    # A trip to its thread would fail here, outside of a greenlet of SQLAlchemy.
    connection.commit()
    connection.rollback()
    await threads.aclose()


async def test_a_refused_statement_leaves_no_error_in_the_log(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async def add_nothing() -> None:
        async with database.write() as connection:
            await connection.execute(_ADD, {"word": None})

    with pytest.raises(IntegrityError):
        await database.execute(_ADD, {"word": None})
    with pytest.raises(IntegrityError):
        await add_nothing()
    assert [each.message for each in caplog.records if each.levelno >= logging.WARNING] == []
    assert await words(database) == []


async def test_a_closed_database_refuses_reads_and_writes(tmp_path: Path) -> None:
    database = Database(database_url(None, tmp_path))
    await database.execute(_MAKE, {})
    await database.fetch(_WORDS)
    await database.aclose()
    with pytest.raises(Unavailable):
        await database.fetch(_WORDS)
    with pytest.raises(Unavailable):
        await database.run_write(add)


class Slow:
    """Work that its thread does until it is let go."""

    def __init__(self) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()

    def __call__(self, connection: Connection) -> None:
        add(connection, "first")
        self.began.set()
        self.may_end.wait(PATIENCE_S)
        add(connection, "last")


async def cancelled(working: asyncio.Task[Any], slow: Slow) -> None:
    """Cancel it again and again in the middle of its work; it has not ended then."""
    await until_async(slow.began.is_set, what="the work")
    for _ in range(3):
        working.cancel()
        for _ in range(9):
            await asyncio.sleep(0)
        assert not working.done(), "the connection is its thread's"


async def test_work_that_is_cancelled_in_the_thread_is_completed_before_it_ends(database: Database) -> None:
    slow = Slow()
    working = asyncio.create_task(database.run_write(slow))
    try:
        await cancelled(working, slow)
    finally:
        slow.may_end.set()
    await asyncio.wait({working})
    assert working.cancelled()
    assert await words(database) == ["first", "last"]
    await database.run_write(add)
    assert len(await words(database)) == 3


async def test_the_failure_of_work_whose_caller_is_gone_is_no_error_of_the_loop(database: Database) -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    slow = Slow()

    def fail(connection: Connection) -> None:
        slow(connection)
        raise KeyError

    working = asyncio.create_task(database.run_write(fail))
    try:
        await cancelled(working, slow)
    finally:
        slow.may_end.set()
    await asyncio.wait({working})
    assert working.cancelled()
    del working
    gc.collect()
    assert told == []
    assert await words(database) == []
