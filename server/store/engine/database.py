"""One database, SQLite or PostgreSQL: its engines, its kinds of transaction, and its failures as `unavailable`."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Executable, Row, Table, func, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.errors import Unavailable
from server.store.engine import engines
from server.store.engine.connection_threads import ConnectionThreads
from server.store.engine.outage import Outage
from server.store.engine.sqlite import Driver
from server.store.engine.wal import Checkpoints
from server.store.engine.write_lock import WriteLock

T = TypeVar("T")
OnWait = Callable[[str], None]
"""Called at each look with the name of the process that makes the tables, for which a start waits; an error that it
raises ends the wait."""

LOOK_S = 0.25
"""Seconds between two looks of a start that waits for another process."""

ATTEMPTS = 3
"""The most attempts of a transaction that PostgreSQL takes back because of another one (deadlock, serialization)."""

_TAKEN_BACK = {"40P01", "40001"}

ROOM_BYTES = 4 << 20
"""With less room on its disk SQLite counts as away: the next messages and their runs may not fit."""

_PROBES = {
    "sqlite": "PRAGMA user_version = 0",
    "postgresql": "UPDATE alembic_version SET version_num = version_num",
}
"""Writes that change nothing; SQLite would not even write a row that stays as it is."""


def database_url(url: str | None, data_dir: Path) -> URL:
    """Return the address with its asyncio driver; a file in the data folder when none is configured."""
    if not url:
        return URL.create("sqlite+aiosqlite", database=str(data_dir / "loopwire.db"))
    parsed = make_url(url)
    kind = parsed.get_backend_name()
    if kind in {"postgresql", "postgres"}:
        query = dict(parsed.query)
        if "sslmode" in query:
            query["ssl"] = query.pop("sslmode")
        return parsed.set(drivername="postgresql+asyncpg", query=query)
    if kind == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise ValueError("SQLite needs a file: a database in memory would lose every conversation.")
        return parsed.set(drivername="sqlite+aiosqlite")
    raise ValueError("DATABASE_URL must be a PostgreSQL or SQLite address.")


_HOLDER = text(
    """
    SELECT format('PostgreSQL''s process %s, whose client is at %s, for %s s',
                  pid, coalesce(host(client_addr), 'its host'),
                  floor(extract(epoch FROM clock_timestamp() - coalesce(xact_start, state_change)))) AS who
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = :lock AND objsubid = 1
      AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
)
"""The process that has an advisory lock, in the words of PostgreSQL."""


def wait_silently(_: str) -> None:
    """Wait for the tables of another process as long as it takes."""


class Database:
    """Acquired by `Store.open`, released by `Store.aclose`. Never nest two transactions: SQLite has one writer.

    Errors go to the log, so they hide the values of their statements, which people wrote.
    """

    def __init__(self, url: URL, on_wait: OnWait = wait_silently) -> None:
        """Prepare the engines; nothing connects yet. A start tells `on_wait` while it waits for another's."""
        self._url = url
        self._on_wait = on_wait
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._outage = Outage()
        self._turns = WriteLock(engines.TURN_S)
        self._folder: Path | None = None
        if self.is_sqlite:
            self._folder = Path(str(url.database)).resolve().parent
            self._threads = ConnectionThreads()
            self.checkpoints = Checkpoints(str(url.database), self._threads)
            driver = Driver(self._threads)
            self._writer = self._urgent = engines.sqlite_engine(url, driver, begin="BEGIN IMMEDIATE")
            self._reader = engines.sqlite_engine(
                url, driver, size=engines.READERS, begin="BEGIN", extra=("query_only=ON",)
            )
            self._reading_statements, self._writing_statements, self._urgent_statements = (
                self._reader,
                self._writer,
                self._urgent,
            )
        else:
            self._writer = engines.postgresql_engine(url, size=engines.POOL_SIZE, more=engines.POOL_SIZE)
            # Leases have a connection of their own, so that they are renewed while the pool is exhausted.
            self._urgent = engines.postgresql_engine(url)
            self._reader = self._writer.execution_options(isolation_level="REPEATABLE READ")
            # A single statement needs neither BEGIN nor COMMIT, each of which is a round trip.
            self._reading_statements = self._writing_statements = self._writer.execution_options(
                isolation_level="AUTOCOMMIT"
            )
            self._urgent_statements = self._urgent.execution_options(isolation_level="AUTOCOMMIT")

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that is committed at the end of the block, or rolled back by an exception."""
        async with self._writing(), self._writer.begin() as connection:
            yield connection

    @asynccontextmanager
    async def opening(self, lock: int) -> AsyncIterator[AsyncConnection]:
        """Open a transaction of a start, which makes tables or rows. It may take long, and so may one that waits for
        it.

        Of all processes one at a time has PostgreSQL's advisory `lock`; a SQLite file is ours alone.
        """
        if self.is_sqlite:
            async with self.write() as connection:
                yield connection
            return
        engine = engines.postgresql_engine(self._url, patient=True)
        try:
            async with self._writing(), engine.begin() as connection:
                while not await connection.scalar(select(func.pg_try_advisory_xact_lock(lock))):
                    row = await one(connection, _HOLDER.bindparams(lock=lock))
                    self._on_wait(row.who if row is not None else "it has just ended")
                    await asyncio.sleep(LOOK_S)
                yield connection
        finally:
            await engine.dispose()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Open a read transaction: everything in the block sees the same moment."""
        async with self._outage.errors_as_unavailable(), self._reader.begin() as connection:
            yield connection

    async def run_write(self, work: Callable[[Connection], T], *, urgent: bool = False) -> T:
        """Execute a write transaction that is one function; on SQLite it is one trip to the connection's thread.

        PostgreSQL may take a transaction back because of another one. Then `work` is called again, so it changes
        only the database.
        An `urgent` one waits only for the transaction that is being written: a late one would be of no use.
        """
        return await self._repeat(self._urgent if urgent else self._writer, work, urgent=urgent)

    async def run_read(self, work: Callable[[Connection], T], *, within_s: float | None = None) -> T:
        """Execute a read transaction that is one function: everything in it sees the same moment.

        SQLite interrupts it after `within_s`; PostgreSQL gives each statement 3 s. Raises Unavailable then.
        """
        async with self._outage.errors_as_unavailable():
            return await self._whole(self._reader, work, within_s)

    async def fetch(
        self,
        statement: Executable,
        given: Mapping[str, Any] | None = None,
        *,
        within_s: float | None = None,
    ) -> Sequence[Row[Any]]:
        """Execute one statement that reads: a transaction of its own, and on PostgreSQL one round trip.

        `within_s` is as in `run_read`.
        """
        async with self._outage.errors_as_unavailable():
            return await self._whole(
                self._reading_statements,
                lambda connection: connection.execute(statement, given).all(),
                within_s,
            )

    async def execute(
        self, statement: Executable, given: Mapping[str, Any], *, urgent: bool = False
    ) -> Sequence[Row[Any]]:
        """Execute one statement that writes, as `fetch` does one that reads, and return its result; `urgent` as in
        `run_write`.
        """

        def work(connection: Connection) -> Sequence[Row[Any]]:
            result = connection.execute(statement, given)
            return result.all() if result.returns_rows else ()

        return await self._repeat(
            self._urgent_statements if urgent else self._writing_statements, work, urgent=urgent
        )

    @property
    def was_refused(self) -> bool:
        """Return whether the last write was refused."""
        return self._outage.writes_fail

    async def ping(self) -> None:
        """Ask for an answer, for room on SQLite's disk, and after a refused write whether writes are taken again.

        Raises Unavailable.
        """
        if self._folder is not None and shutil.disk_usage(self._folder).free < ROOM_BYTES:
            raise Unavailable(retry_after=1.0)  # No write may have failed yet.
        asked = "SELECT 0" if self.is_sqlite else "SELECT current_setting('transaction_read_only')::bool::int"
        if await self.run_read(lambda connection: connection.exec_driver_sql(asked).scalar()):
            # The server is a standby or read-only; no write may have failed yet.
            raise Unavailable(retry_after=1.0)
        if self._outage.writes_fail:
            probe = _PROBES["sqlite" if self.is_sqlite else "postgresql"]
            await self.run_write(lambda connection: connection.exec_driver_sql(probe), urgent=True)

    @asynccontextmanager
    async def _writing(self, *, urgent: bool = False) -> AsyncIterator[None]:
        """Wait for the turn to write, and count the commit."""
        async with self._outage.errors_as_unavailable(writes=True):
            if self.is_sqlite:
                async with self._turns.one(urgent=urgent):
                    yield
                self.checkpoints.count_commit()
            else:
                yield

    async def _repeat(self, engine: AsyncEngine, work: Callable[[Connection], T], *, urgent: bool) -> T:
        async with self._writing(urgent=urgent):
            for _ in range(ATTEMPTS - 1):
                try:
                    return await self._whole(engine, work)
                except DBAPIError as error:
                    if getattr(error.orig, "sqlstate", None) not in _TAKEN_BACK:
                        raise
            return await self._whole(engine, work)

    async def _whole(
        self, engine: AsyncEngine, work: Callable[[Connection], T], within_s: float | None = None
    ) -> T:
        async with engine.connect() as connection:
            if not self.is_sqlite:
                return await connection.run_sync(_commit, work)
            sync: Any = connection.sync_connection
            done: T = await sync.connection.dbapi_connection.whole(lambda: _commit(sync, work), within_s)
            return done

    def insert(self, table: Table) -> Any:
        """Return an INSERT that knows ON CONFLICT, whose spelling both engines share."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    async def aclose(self) -> None:
        """Close every connection; a statement that is under way on SQLite is waited for."""
        if self.is_sqlite:
            await self.checkpoints.aclose()
            await self._threads.aclose()
        else:
            await self._writer.dispose()
            await self._urgent.dispose()


class StorePart:
    """A part of the store, over the one database."""

    def __init__(self, database: Database) -> None:
        self._database = database


class DueQueue(StorePart):
    """A part of the store that hands out due work, one row at a time. If nothing is due it begins no transaction."""

    _more = False
    """The last one that was asked for was there: it is likely that more are."""

    async def _take(self, due: Executable, take: Callable[[Connection], T | None]) -> T | None:
        """Take one in a transaction unless nothing is `due`.

        While writes are refused the query for due rows is skipped: only a write finds out that they are accepted again.
        """
        if not self._more and not self._database.was_refused and not await self._database.fetch(due):
            return None
        taken = await self._database.run_write(take)
        self._more = taken is not None
        return taken


def _commit(connection: Connection, work: Callable[[Connection], T]) -> T:
    with connection.begin():
        return work(connection)


async def one(connection: AsyncConnection, statement: Executable) -> Row[Any] | None:
    """Return the first row, or None."""
    return (await connection.execute(statement)).first()


async def exactly(connection: AsyncConnection, statement: Executable) -> Row[Any]:
    """Return the one row that there must be."""
    return (await connection.execute(statement)).one()


async def every(connection: AsyncConnection, statement: Executable) -> Sequence[Row[Any]]:
    """Return all rows."""
    return (await connection.execute(statement)).all()


async def count_changed(connection: AsyncConnection, statement: Executable) -> int:
    """Return how many rows a statement touched."""
    result: CursorResult[Any] = await connection.execute(statement)
    return result.rowcount
