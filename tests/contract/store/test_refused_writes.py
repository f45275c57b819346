"""A database that answers and takes no writes: a look says so, and finds out when it takes them again."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from server.errors import Unavailable
from server.store import Store
from server.store.engine import engines
from server.store.engine.database import Database
from server.store.engine.database import database_url as address_of

_TOUCH = text("UPDATE alembic_version SET version_num = version_num")


@asynccontextmanager
async def refusing(database: Database, url: str) -> AsyncIterator[None]:
    """Let the database take no writes for a while; it still answers."""
    if database.is_sqlite:
        async with database.write() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        await driver.execute("PRAGMA query_only=ON")
        yield
        await driver.execute("PRAGMA query_only=OFF")
        return
    keeper = await asyncpg.connect(url)
    try:
        async with keeper.transaction():
            await keeper.execute("LOCK TABLE alembic_version IN EXCLUSIVE MODE")
            yield
    finally:
        await keeper.close()


async def refused_after_s(store: Store) -> float | None:
    """Return after how many seconds a look that is refused should come again."""
    with pytest.raises(Unavailable) as refused:
        await store.ping()
    return refused.value.retry_after


async def test_a_ping_after_a_refused_write_notices_that_writes_succeed_again(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "STATEMENT_TIMEOUT_MS", 1000)
    store = await Store.open(database_url, data_dir=tmp_path)
    database = store.database
    try:
        async with refusing(database, database_url):
            await store.ping()
            with pytest.raises(Unavailable):
                await database.execute(_TOUCH, {})
            assert await refused_after_s(store) == 1.0
            assert database.was_refused
            await database.fetch(text("SELECT 1"))
            assert database.was_refused, "that it can be read says nothing of writes"
        await store.ping()
        assert not database.was_refused
    finally:
        await store.aclose()


async def test_a_postgresql_that_may_only_be_read_is_away(postgres_url: str, tmp_path: Path) -> None:
    """So is a standby, before any write has failed on it."""
    keeper = await asyncpg.connect(postgres_url)
    setting = f'ALTER DATABASE "{await keeper.fetchval("SELECT current_database()")}"'
    store = await Store.open(postgres_url, data_dir=tmp_path)
    try:
        await keeper.execute(f"{setting} SET default_transaction_read_only = on")
        assert await refused_after_s(store) == 1.0  # Its connections of the start are closed.
        assert not store.database.was_refused
    finally:
        await keeper.execute(f"{setting} RESET default_transaction_read_only")
        await keeper.close()
        await store.aclose()
    again = Database(address_of(postgres_url, tmp_path))
    await again.ping()
    await again.aclose()


async def test_a_disk_with_less_than_four_megabytes_of_room_counts_as_away(disk: Path) -> None:
    store = await Store.open(None, data_dir=disk)
    try:
        await store.ping()
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(shutil.disk_usage(disk).free - (4 << 20)))
        assert shutil.disk_usage(disk).free == 4 << 20
        await store.ping()
        with ballast.open("ab") as file:
            file.write(bytes(4096))
        assert await refused_after_s(store) == 1.0
        ballast.unlink()
        await store.ping()
    finally:
        await store.aclose()
