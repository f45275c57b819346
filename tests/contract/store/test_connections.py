"""The connections of a database: how many there are, how long each may take, and that none is left."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace

import asyncpg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from server.errors import Unavailable
from server.store.engine import engines
from server.store.engine.database import Database, database_url
from tests.contract.store.test_transactions import counting, opened
from tests.parts.proxy import Weather
from tests.parts.wait import PATIENCE_S, until_async

_ONE = text("SELECT 1")
RANDOM = "".join(hashlib.sha256(bytes([place])).hexdigest() for place in range(256))
"""A text that no compression makes short."""
LONG_S = PATIENCE_S / 4
"""What is refused after a moment is refused by then on every machine."""


async def hold(stack: AsyncExitStack, database: Database, count: int, *, writes: bool = False) -> None:
    """Begin so many transactions at once, each of which has executed a statement."""
    for _ in range(count):
        connection = await stack.enter_async_context(database.write() if writes else database.read())
        await connection.execute(_ONE)


async def refused(*asked: object) -> bool:
    """Return whether all of these are refused."""
    async with asyncio.timeout(LONG_S):
        found = await asyncio.gather(*asked, return_exceptions=True)  # type: ignore[call-overload]
    return all(isinstance(each, Unavailable) for each in found)


async def test_a_file_has_four_readers_and_one_writer_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "TURN_S", 0.1)
    async with opened(database_url(None, tmp_path)) as database:
        async with AsyncExitStack() as readers:
            await hold(readers, database, 4)
            assert await refused(database.fetch(_ONE))
            assert len(await database.execute(_ONE, {})) == 1, "a writer waits for no reader"
        async with AsyncExitStack() as writer:
            await hold(writer, database, 1, writes=True)
            assert await refused(database.execute(_ONE, {}))
            assert len(await database.fetch(_ONE)) == 1, "a reader waits for no writer"
        assert len(await database.execute(_ONE, {})) == 1


async def test_an_urgent_writer_of_a_file_goes_before_the_others_that_wait(tmp_path: Path) -> None:
    order: list[str] = []
    async with opened(database_url(None, tmp_path)) as database:

        async def write_by_statements() -> None:
            async with database.write():
                order.append("statements")

        async with asyncio.TaskGroup() as group, database.write() as connection:
            await connection.execute(_ONE)
            group.create_task(write_by_statements())
            await asyncio.sleep(0)
            group.create_task(database.run_write(lambda _: order.append("work")))
            await asyncio.sleep(0)
            group.create_task(database.run_write(lambda _: order.append("urgent"), urgent=True))
            await asyncio.sleep(0)
            assert order == []
    assert order == ["urgent", "statements", "work"]


async def test_the_connection_that_was_used_last_is_used_again(tmp_path: Path) -> None:
    async with opened(database_url(None, tmp_path)) as database:
        async with database.read() as last, database.read() as first:
            await first.execute(_ONE)
            await last.exec_driver_sql("PRAGMA cache_size=77")
        for _ in range(3):
            async with database.read() as again:
                assert (await again.exec_driver_sql("PRAGMA cache_size")).scalar_one() == 77


async def test_postgresql_has_twenty_connections_and_one_more_for_leases(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "IDLE_TIMEOUT_MS", 1000 * int(PATIENCE_S))
    async with opened(database_url(postgres_url, tmp_path)) as database, AsyncExitStack() as held:
        await hold(held, database, 20, writes=True)
        assert await refused(
            database.run_write(lambda connection: connection.execute(_ONE).one()),
            database.execute(_ONE, {}),
            database.fetch(_ONE),
            database.run_read(lambda connection: connection.execute(_ONE).one()),
        )
        assert len(await database.execute(_ONE, {}, urgent=True)) == 1
        assert await database.run_write(lambda connection: connection.execute(_ONE).scalar(), urgent=True)


async def test_an_urgent_statement_by_itself_is_one_round_trip_to_postgresql(
    postgres_url: str, tmp_path: Path
) -> None:
    async with counting(postgres_url) as (url, proxy), opened(database_url(url, tmp_path)) as database:
        await database.execute(_ONE, {}, urgent=True)
        before = proxy.trips
        await database.execute(_ONE, {}, urgent=True)
        assert proxy.trips - before == 1


async def test_a_connection_to_postgresql_is_replaced_after_half_an_hour(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=1e9)
    monkeypatch.setattr("sqlalchemy.pool.base.time", SimpleNamespace(time=lambda: clock.now))
    async with opened(database_url(postgres_url, tmp_path)) as database:

        async def server_process() -> int:
            return int((await database.fetch(text("SELECT pg_backend_pid() AS pid")))[0].pid)

        first = await server_process()
        clock.now += 1800
        assert await server_process() == first
        clock.now += 0.5
        assert await server_process() != first


async def test_a_server_that_falls_silent_counts_as_away(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "STATEMENT_TIMEOUT_MS", 100)
    async with counting(postgres_url) as (url, proxy), opened(database_url(url, tmp_path)) as database:
        assert len(await database.fetch(_ONE)) == 1
        proxy.weather = Weather(silent_up=True, silent_down=True)
        assert await refused(database.fetch(_ONE))
        proxy.weather = Weather()


async def test_a_statement_of_a_start_may_take_longer_than_a_silent_server_is_waited_for(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "STATEMENT_TIMEOUT_MS", 100)
    async with opened(database_url(postgres_url, tmp_path)) as database, database.opening(1) as connection:
        await connection.exec_driver_sql("SELECT pg_sleep(2.3)")


async def test_a_start_and_a_close_leave_no_connection_at_the_server(
    postgres_url: str, tmp_path: Path
) -> None:
    asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'loopwire' "
    asked += "AND datname = current_database()"
    watcher = await asyncpg.connect(postgres_url)

    async def none_left() -> bool:
        return bool(await watcher.fetchval(asked) == 0)

    gc.disable()  # What is left would go with its pool.
    try:
        async with opened(database_url(postgres_url, tmp_path)) as database:
            async with database.opening(1) as connection:
                await connection.execute(_ONE)
            await until_async(none_left)
            await database.fetch(_ONE)
            await database.execute(_ONE, {}, urgent=True)
            assert await watcher.fetchval(asked) == 2
        await until_async(none_left)
    finally:
        gc.enable()
        await watcher.close()


async def test_work_that_postgresql_takes_back_is_done_three_times_at_most(
    postgres_url: str, tmp_path: Path
) -> None:
    async with opened(database_url(postgres_url, tmp_path)) as database:

        async def tried(state: str, failures: int) -> tuple[int, object]:
            done: list[Connection] = []

            def work(connection: Connection) -> str:
                done.append(connection)
                if len(done) <= failures:
                    told = f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$"
                    connection.exec_driver_sql(told)
                return "done"

            try:
                result = await database.run_write(work)
            except Unavailable:
                return len(done), None
            return len(done), result

        assert await tried("40001", 2) == (3, "done")
        assert await tried("40P01", 3) == (3, None)
        assert await tried("55P03", 1) == (1, None), "a lock that was not to be had"
        assert database.was_refused
        assert await tried("40001", 0) == (1, "done")
        assert not database.was_refused


@pytest.mark.parametrize(
    ("column", "value"),
    [("word", "four"), ("word", "a\x00b"), ("number", 2**40), ("name", RANDOM)],
    ids=["too long", "no text of PostgreSQL's", "too large", "too long for an index"],
)
async def test_a_value_that_postgresql_refuses_is_no_outage(
    postgres_url: str, tmp_path: Path, column: str, value: object
) -> None:
    """What is sent again would be refused again: it is an error of ours, of which nobody is told to wait."""
    async with opened(database_url(postgres_url, tmp_path)) as database:
        made = "CREATE TABLE bounded (word VARCHAR(3), number INT, name TEXT PRIMARY KEY)"
        await database.execute(text(made), {})
        given = {"word": "abc", "number": 1, "name": "a", column: value}
        adding = text("INSERT INTO bounded VALUES (:word, :number, :name)")
        with pytest.raises(DBAPIError):
            await database.execute(adding, given)
        assert not database.was_refused


def test_a_connection_that_cannot_be_closed_is_a_warning_and_a_bug_stays_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool")
    for error in (TimeoutError(), OSError(), DBAPIError("x", {}, Exception()), KeyError()):
        log.error("Exception closing connection", exc_info=error)
    log.error("something else")
    told = [(each.levelname, each.levelno, bool(each.exc_info)) for each in caplog.records]
    warned, failed = ("WARNING", logging.WARNING, False), ("ERROR", logging.ERROR, True)
    assert told == [warned] * 3 + [failed, ("ERROR", logging.ERROR, False)]
