"""A transaction is whole or not at all, whatever interrupts it."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
import pytest_asyncio
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from server.errors import Unavailable
from server.store.engine.database import Database, database_url, exactly
from tests.parts.proxy import Proxy

SECRET = "the door code is 4711"


@pytest_asyncio.fixture(loop_scope="module")
async def database(database_url: str, tmp_path: Path) -> AsyncIterator[Database]:
    """Yield a database with an empty table of notes."""
    database = Database(_address(database_url, tmp_path))
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE notes (word TEXT NOT NULL)"))
    yield database
    async with database.write() as connection:
        await connection.execute(text("DROP TABLE notes"))
    await database.aclose()


def _address(url: str, folder: Path) -> object:
    return database_url(url, folder)


async def _write(database: Database, word: str) -> None:
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO notes VALUES (:word)"), {"word": word})


async def _count(database: Database) -> int:
    async with database.read() as connection:
        return int((await exactly(connection, text("SELECT count(*) FROM notes")))[0])


async def test_an_exception_after_a_statement_takes_it_back(database: Database) -> None:
    async def half() -> None:
        async with database.write() as connection:
            await connection.execute(text("INSERT INTO notes VALUES ('lost')"))
            raise KeyError

    with pytest.raises(KeyError):
        await half()
    assert await _count(database) == 0
    await _write(database, "kept")
    assert await _count(database) == 1


async def test_work_cancelled_at_any_step_is_whole_or_not_there_and_blocks_nobody(database: Database) -> None:
    async def both() -> None:
        async with database.write() as connection:
            for word in ("one", "two"):
                await connection.execute(text("INSERT INTO notes VALUES (:word)"), {"word": word})

    written = 0
    for steps in range(40):
        task = asyncio.create_task(both())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        count = await _count(database)
        assert count - written in {0, 2}
        written = count
        await _write(database, "next")
        written += 1
    assert await _count(database) == written


async def test_a_transaction_without_statements_leaves_the_connection_as_it_was(database: Database) -> None:
    async with database.write():
        pass
    await _write(database, "kept")
    assert await _count(database) == 1


async def test_a_read_transaction_sees_one_moment_of_the_database(database: Database) -> None:
    await _write(database, "before")
    async with database.read() as connection:
        count = text("SELECT count(*) FROM notes")
        first = (await exactly(connection, count))[0]
        await _write(database, "meanwhile")
        assert (await exactly(connection, count))[0] == first == 1
    assert await _count(database) == 2


async def test_one_statement_writes_several_rows_and_returns_their_values(database: Database) -> None:
    async with database.write() as connection:
        rows = [{"word": word} for word in ("a", "b", "c")]
        await connection.execute(text("INSERT INTO notes VALUES (:word)"), rows)
        found = await connection.execute(text("UPDATE notes SET word = word || '!' RETURNING word"))
        assert sorted(row.word for row in found) == ["a!", "b!", "c!"]
        gone = await connection.execute(text("DELETE FROM notes WHERE word <> 'a!'"))
        assert gone.rowcount == 2


async def test_a_transaction_that_a_deadlock_rolled_back_is_repeated(
    postgres_url: str, tmp_path: Path
) -> None:
    database = Database(_address(postgres_url, tmp_path))
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE pair (name TEXT PRIMARY KEY, count INT NOT NULL)"))
        await connection.execute(text("INSERT INTO pair VALUES ('a', 0), ('b', 0)"))
    one_more = text("UPDATE pair SET count = count + 1 WHERE name = :name RETURNING count")
    slowly = text("SELECT pg_sleep(0.2)")

    def both(connection: Connection, *names: str) -> int:
        counts = []
        for name in names:
            counts.append(connection.execute(one_more, {"name": name}).scalar_one())
            connection.execute(slowly)
        return counts[0]

    try:
        counts = await asyncio.gather(
            database.run_write(lambda connection: both(connection, "a", "b")),
            database.run_write(lambda connection: both(connection, "b", "a")),
        )
        assert sorted(counts) == [1, 2]
    finally:
        await database.aclose()


async def test_an_error_for_the_log_says_nothing_of_what_was_written(database: Database) -> None:
    with pytest.raises((DBAPIError, Unavailable)) as caught:
        async with database.write() as connection:
            await connection.execute(text("INSERT INTO nowhere VALUES (:word)"), {"word": SECRET})
    seen = "".join(traceback.format_exception(caught.value))
    assert "nowhere" in seen
    assert SECRET not in seen


async def test_a_statement_by_itself_is_one_round_trip_to_postgresql(
    postgres_url: str, tmp_path: Path
) -> None:
    async with counting(postgres_url) as (url, proxy), opened(_address(url, tmp_path)) as database:
        await database.execute(text("CREATE TABLE words (word TEXT)"), {})
        for _ in range(2):  # The second time the connection knows what is asked.
            began = [proxy.trips]
            assert [row.word for row in await database.execute(_ADD, {"word": "a"})] == ["a"]
            began.append(proxy.trips)
            assert [row.word for row in await database.fetch(_WORDS)] == ["a"]
            began.append(proxy.trips)
            assert await database.run_write(lambda connection: connection.execute(_TAKE).rowcount) == 1
            began.append(proxy.trips)
        await database.execute(text("DROP TABLE words"), {})
    assert [after - before for before, after in pairwise(began)] == [1, 1, 3]


_ADD = text("INSERT INTO words VALUES (:word) RETURNING word")
_WORDS = text("SELECT word FROM words")
_TAKE = text("DELETE FROM words")


@asynccontextmanager
async def counting(url: str) -> AsyncIterator[tuple[str, Proxy]]:
    """Yield an address that leads to a server by way of a proxy, which counts the round trips."""
    server = urlsplit(url)
    proxy = Proxy(lambda: [(str(server.hostname), int(server.port or 5432))])
    await proxy.start()
    whose = server.netloc.rpartition("@")[0]
    try:
        yield urlunsplit(server._replace(netloc=f"{whose}@127.0.0.1:{proxy.port}")), proxy
    finally:
        await proxy.aclose()


@asynccontextmanager
async def opened(address: object) -> AsyncIterator[Database]:
    """Yield a database for a while."""
    database = Database(address)
    try:
        yield database
    finally:
        await database.aclose()
