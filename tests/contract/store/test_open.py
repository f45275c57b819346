"""Opening a database: migrated, seeded, ours alone where it must be, and honest when it is not there."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
import pytest_asyncio
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.exc import DBAPIError

from server.errors import CannotStart, Unavailable
from server.loopos.catalog.rows import SEED_LOCK
from server.loopos.core import EmbeddedCore
from server.loopos.tables import items
from server.store import DatabaseInUse, Store, Unreadable
from server.store.engine.database import Database, database_url
from server.store.migrations import HEAD, UPGRADE_LOCK, upgrade
from server.store.migrations.history import alembic_config
from server.store.tables import metadata
from tests.contract.store.conftest import Talk, Talks
from tests.parts.ports import free_port
from tests.parts.proxy import Proxy, Weather
from tests.parts.wait import until_async


@pytest.fixture(name="database_url")
def _database_url(bare_database_url: str) -> str:
    return bare_database_url


@pytest_asyncio.fixture(loop_scope="module")
async def store(database_url: str, tmp_path: Path) -> AsyncIterator[Store]:
    """Yield a store whose tables were made for it."""
    store = await Store.open(database_url, data_dir=tmp_path)
    yield store
    await store.aclose()


@pytest.fixture(name="postgres_url")
def _postgres_url(bare_postgres_url: str) -> str:
    return bare_postgres_url


async def _on(url: str, folder: Path, work: object) -> object:
    database = Database(database_url_of(url, folder))
    try:
        async with database.write() as connection:
            return await connection.run_sync(work)  # type: ignore[arg-type]
    finally:
        await database.aclose()


def database_url_of(url: str | None, folder: Path) -> object:
    """Return the address as the store sees it."""
    return database_url(url, folder)


async def test_the_migrations_make_the_tables_of_the_models(
    store: Store, database_url: str, tmp_path: Path
) -> None:
    def difference(connection: Connection) -> list[object]:
        options = {"compare_type": True, "compare_server_default": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)

    assert await _on(database_url, tmp_path, difference) == []


def test_the_newest_revision_is_the_one_that_a_start_looks_for() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [HEAD]


async def test_the_unique_index_of_the_one_running_run_is_partial(
    store: Store, database_url: str, tmp_path: Path
) -> None:
    """Alembic does not compare the condition of a partial index: this one is a promise."""

    def definition(connection: Connection) -> str:
        query = (
            "SELECT sql FROM sqlite_master WHERE name = 'one_running'"
            if connection.dialect.name == "sqlite"
            else "SELECT indexdef FROM pg_indexes WHERE indexname = 'one_running'"
        )
        return str(connection.execute(text(query)).scalar_one())

    found = str(await _on(database_url, tmp_path, definition)).lower()
    assert "unique" in found
    assert "where" in found
    assert "running" in found


async def test_a_downgrade_and_an_upgrade_leave_the_same_tables(database_url: str, tmp_path: Path) -> None:
    def there_and_back(connection: Connection) -> tuple[set[str], set[str]]:
        upgrade(connection)
        command.downgrade(alembic_config(connection), "base")
        bare = set(inspect(connection).get_table_names())
        upgrade(connection)
        return bare, set(inspect(connection).get_table_names())

    bare, whole = await _on(database_url, tmp_path, there_and_back)  # type: ignore[misc]
    assert bare == {"alembic_version"}
    assert whole == {*(table.name for table in metadata.tables.values()), "alembic_version"}


async def test_an_upgrade_that_fails_halfway_leaves_the_tables_as_they_were(
    database_url: str, tmp_path: Path
) -> None:
    """0002 makes `interrupts`; then 0003 fails, since there is a table of the name that it needs."""

    def first_version(connection: Connection) -> None:
        command.upgrade(alembic_config(connection), "0001")
        connection.execute(text("CREATE TABLE callbacks (mine INTEGER)"))

    def look(connection: Connection) -> tuple[bool, str | None]:
        revision = MigrationContext.configure(connection).get_current_revision()
        return inspect(connection).has_table("interrupts"), revision

    await _on(database_url, tmp_path, first_version)
    with pytest.raises((DBAPIError, Unavailable)):
        await _on(database_url, tmp_path, upgrade)
    assert await _on(database_url, tmp_path, look) == (False, "0001")


async def test_a_connection_that_cannot_be_closed_is_no_error_in_the_log(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("server.store.engine.engines.STATEMENT_TIMEOUT_MS", 100)
    address = urlsplit(postgres_url)
    proxy = Proxy(lambda: [(str(address.hostname), address.port or 0)])
    await proxy.start()
    away = urlunsplit(address._replace(netloc=f"{address.username}@127.0.0.1:{proxy.port}"))
    database = Database(database_url(away, Path()))
    try:
        async with database.write() as connection:
            await connection.execute(text("SELECT 1"))
        proxy.weather = Weather(silent_up=True, silent_down=True)
    finally:
        await database.aclose()
        await proxy.aclose()
    told = [each for each in caplog.records if each.message.startswith("Exception closing connection")]
    assert [(each.levelname, each.exc_info) for each in told] == [("WARNING", None)]


async def _started(url: str, folder: Path) -> Store:
    """Make tables and rows, as a process does at its start."""
    store = await Store.open(url, data_dir=folder)
    await EmbeddedCore.open(store.database, store.webhooks)
    return store


@pytest.mark.parametrize("lock", [UPGRADE_LOCK, SEED_LOCK], ids=["tables", "rows"])
async def test_a_start_waits_for_anothers_beyond_the_time_of_a_statement(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lock: int
) -> None:
    monkeypatch.setattr("server.store.engine.engines.STATEMENT_TIMEOUT_MS", 100)
    waits = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'loopwire' "
        "AND xact_start < now() - interval '3 s'"
    )
    other = await asyncpg.connect(postgres_url)
    try:
        await other.execute("SELECT pg_advisory_lock($1)", lock)
        opening = asyncio.create_task(_started(postgres_url, tmp_path))
        await until_async(lambda: other.fetchval(waits))
        monkeypatch.undo()
        await other.execute("SELECT pg_advisory_unlock($1)", lock)
        await (await opening).aclose()
    finally:
        await other.close()


async def test_a_start_that_waits_reports_the_holder_of_the_lock_until_it_is_ended(
    postgres_url: str, tmp_path: Path
) -> None:
    told: list[str] = []

    def tell(holder: str) -> None:
        told.append(holder)
        if len(told) == 3:
            raise CannotStart(holder)

    other = await asyncpg.connect(postgres_url)
    try:
        await other.execute("SELECT pg_advisory_lock($1)", UPGRADE_LOCK)
        holder = f"PostgreSQL's process {other.get_server_pid()}, whose client is at "
        with pytest.raises(CannotStart):
            await Store.open(postgres_url, data_dir=tmp_path, on_wait=tell)
    finally:
        await other.close()
    assert [each.startswith(holder) for each in told] == [True] * 3


async def test_a_start_that_waits_leaves_the_server_alone_between_its_looks(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.store.engine.database.LOOK_S", 3600)
    told: list[str] = []
    other = await asyncpg.connect(postgres_url)
    try:
        await other.execute("SELECT pg_advisory_lock($1)", UPGRADE_LOCK)
        opening = asyncio.create_task(Store.open(postgres_url, data_dir=tmp_path, on_wait=told.append))
        await until_async(lambda: told, what="the first look")
        for _ in range(50):
            await other.fetchval("SELECT 1")
        assert len(told) == 1
        opening.cancel()
        await asyncio.wait({opening})
    finally:
        await other.close()


async def test_stored_messages_are_read_after_the_store_opens_again(
    database_url: str, tmp_path: Path
) -> None:
    first = await Store.open(database_url, data_dir=tmp_path)
    talk = await Talks(first)()
    said = await talk.turn("olá")
    await first.aclose()
    second = await Store.open(database_url, data_dir=tmp_path)
    try:
        assert (await second.messages.transcript(talk.session.id)).messages == said
    finally:
        await second.aclose()


async def test_three_processes_may_migrate_one_postgresql_at_once(postgres_url: str, tmp_path: Path) -> None:
    stores = await asyncio.gather(*(Store.open(postgres_url, data_dir=tmp_path) for _ in range(3)))
    for store in stores:
        await store.ping()
        await store.aclose()


OPEN = """
import asyncio, sys
from pathlib import Path
from server.store import Store

async def main():
    store = await Store.open(None, data_dir=Path(sys.argv[1]))
    print("open", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


async def test_a_second_process_on_one_sqlite_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", OPEN, str(tmp_path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "open\n"
        with pytest.raises(
            DatabaseInUse, match=r"^Another Loopwire process is already using .* DATABASE_URL"
        ):
            await Store.open(None, data_dir=tmp_path)
        first.kill()
    await (await Store.open(None, data_dir=tmp_path)).aclose()


async def test_a_ping_succeeds_while_another_connection_writes(tmp_path: Path) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    with closing(sqlite3.connect(database_url(None, tmp_path).database or "", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        await store.ping()
    await store.aclose()


async def test_a_second_store_of_the_same_process_is_refused_until_the_first_closes(tmp_path: Path) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    with pytest.raises(DatabaseInUse):
        await Store.open(None, data_dir=tmp_path)
    await store.ping()
    await store.aclose()
    again = await Store.open(None, data_dir=tmp_path)
    await again.aclose()


async def test_a_command_opens_a_file_beside_its_server_and_by_itself_where_there_is_none(
    tmp_path: Path,
) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    talk = await Talks(store)()
    beside = await Store.open_beside(None, data_dir=tmp_path)
    assert await beside.sessions.owner_of(talk.session.id) == "ana"
    await beside.sessions.title(talk.session.id, "A")
    assert (await store.sessions.load(talk.session.id)).title == "A"
    assert not beside.webhooks.has_receivers
    with pytest.raises(Unreadable):
        beside.seal.open_text(store.seal.close_text("a", "b"), "b")
    await beside.aclose()
    with pytest.raises(DatabaseInUse):
        await Store.open(None, data_dir=tmp_path)
    await store.aclose()
    alone = await Store.open_beside(None, data_dir=tmp_path)
    with pytest.raises(DatabaseInUse):
        await Store.open(None, data_dir=tmp_path)
    await alone.aclose()


async def test_a_data_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    store = await Store.open(None, data_dir=folder)
    await store.aclose()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {each.name for each in folder.iterdir()} >= {"loopwire.db", "loopwire.db.lock"}


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the open files")
async def test_a_start_that_is_refused_keeps_no_file_open(tmp_path: Path) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    with pytest.raises(DatabaseInUse) as refused:
        await Store.open(None, data_dir=tmp_path)
    names = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
    assert names.count(os.path.realpath(tmp_path / "loopwire.db.lock")) == 1
    assert "LOOPWIRE_DATA_DIR" in str(refused.value)
    await store.aclose()


async def test_waiting_reads_are_cancelled_when_the_store_closes(tmp_path: Path) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    talk = await Talks(store)()
    async with AsyncExitStack() as readers:
        for _ in range(4):
            reading = await readers.enter_async_context(store.database.read())
            await reading.exec_driver_sql("SELECT 1")
        asking = [
            asyncio.ensure_future(store.sessions.get(talk.session.id, "ana")),
            asyncio.ensure_future(store.sessions.load(talk.session.id)),
            asyncio.ensure_future(store.runs.queue(talk.session.id)),
        ]
        for _ in range(9):
            await asyncio.sleep(0)
        await store.aclose()
        await asyncio.wait(asking)
    assert [each.cancelled() for each in asking] == [True] * 3


async def test_a_database_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        await Store.open(f"postgresql://nobody@127.0.0.1:{free_port()}/none", data_dir=tmp_path)


async def test_a_file_that_is_no_database_is_unavailable_and_the_lock_is_given_back(tmp_path: Path) -> None:
    (tmp_path / "loopwire.db").write_bytes(b"this is not a database, it is a sentence" * 200)
    errors = []  # An error that is kept keeps what its traceback names.
    for _ in range(2):
        with pytest.raises(Unavailable) as refused:
            await Store.open(None, data_dir=tmp_path)
        errors.append(refused.value)
    assert len(errors) == 2


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://somewhere/else"])
def test_an_address_in_memory_or_of_another_database_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"SQLite|PostgreSQL"):
        database_url_of(url, tmp_path)


@pytest.mark.parametrize(
    ("url", "driver", "query"),
    [
        ("postgres://u:p@host/db", "postgresql+asyncpg", {}),
        ("postgresql://u:p@host/db?sslmode=require", "postgresql+asyncpg", {"ssl": "require"}),
        ("sqlite:////var/lib/loopwire.db", "sqlite+aiosqlite", {}),
        (None, "sqlite+aiosqlite", {}),
    ],
)
def test_a_database_url_is_given_its_driver(
    url: str | None, driver: str, query: dict[str, str], tmp_path: Path
) -> None:
    address = database_url(url, tmp_path)
    assert (address.drivername, dict(address.query)) == (driver, query)


async def test_connections_that_the_server_cut_are_replaced(postgres_url: str, tmp_path: Path) -> None:
    store = await Store.open(postgres_url, data_dir=tmp_path)
    talk = await Talks(store)()
    cutter = await asyncpg.connect(postgres_url)
    try:
        await cutter.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'loopwire'"
        )
        with pytest.raises(Unavailable):
            await talk.say("olá")
        assert not (await talk.say("olá")).dup
    finally:
        await cutter.close()
        await store.aclose()


async def test_a_held_lock_makes_a_write_unavailable_within_seconds(
    postgres_url: str, tmp_path: Path
) -> None:
    store = await Store.open(postgres_url, data_dir=tmp_path)
    talk = await Talks(store)()
    keeper = await asyncpg.connect(postgres_url)
    try:
        async with keeper.transaction():
            await keeper.execute("SELECT * FROM sessions FOR UPDATE")
            # The lock is kept until this has ended: a caller that waited for it would never return.
            with pytest.raises(Unavailable):
                await talk.say("olá")
        assert not (await talk.say("olá")).dup
    finally:
        await keeper.close()
        await store.aclose()


async def test_callers_that_give_up_in_the_middle_leave_the_database_usable(talk: Talk) -> None:
    for each in range(40):
        asking = asyncio.ensure_future(talk.say("olá", client_id=f"c{each}"))
        for _ in range(each % 8):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    waiting = len(await talk.store.runs.queue(talk.session.id))
    assert waiting <= 4
    again = await talk.store.sessions.create(app="demo", principal="eva", service="chat", language="pt")
    assert (await talk.store.sessions.get(again.id, "eva")) == again


async def test_times_of_runs_and_leases_come_from_the_database_clock(talk: Talk) -> None:
    """Both engines answer in whole milliseconds of the same era, and a lease ends by that clock."""
    await talk.say("olá")
    claim = await talk.claim(lease_s=-1)
    assert claim.run.started_at is not None
    assert 0 <= claim.run.started_at - claim.run.created_at < 60_000
    assert (await talk.claim()).takeover


def test_items_have_no_key_into_the_catalog() -> None:
    """A catalog that is replaced must not touch an item."""
    table: Table = items
    assert {key.column.table.name for key in table.foreign_keys} == {"sessions"}


async def test_postgresql_ends_what_takes_long_or_stands_still(postgres_url: str, tmp_path: Path) -> None:
    asked = "SELECT current_setting('statement_timeout'), current_setting('application_name'),"
    asked += " current_setting('idle_in_transaction_session_timeout')"
    database = Database(database_url_of(postgres_url, tmp_path))
    try:
        settings = await database.run_read(lambda connection: tuple(connection.exec_driver_sql(asked).one()))
        assert settings == ("3s", "loopwire", "5s")
        async with database.opening(1) as connection:
            assert tuple((await connection.exec_driver_sql(asked)).one()) == ("0", "loopwire", "10s")
    finally:
        await database.aclose()
