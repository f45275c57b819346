"""A store that is closed has no thread that may still answer: the loop may end at once."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from server.errors import Unavailable
from server.store import Store
from server.store.engine.connection_threads import ConnectionThreads
from tests.parts.sampled import one_of
from tests.parts.wait import PATIENCE_S, until, until_async

ROUNDS = 10
"""A thread that answers too late does so in every second round."""

SLOW = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT count(*) FROM n"
)
"""Keeps a connection's thread at work for some 100 ms."""


async def failed_open(folder: Path) -> None:
    """The file cannot be opened."""
    (folder / "loopwire.db").mkdir(exist_ok=True)
    with pytest.raises(Unavailable):
        await Store.open(None, data_dir=folder)


async def cancelled_open(folder: Path) -> None:
    """Cancel the caller that opens it while the thread opens the file."""
    before = set(connection_threads())
    opening = asyncio.ensure_future(Store.open(None, data_dir=folder))
    await until_async(lambda: set(connection_threads()) - before, what="the thread")
    opening.cancel()
    await asyncio.wait({opening})
    if not opening.cancelled():
        await opening.result().aclose()


async def cancelled_statement(folder: Path) -> None:
    """Cancel the reader in the middle of a statement: it does not wait for its connection to be closed either."""
    store = await Store.open(None, data_dir=folder)
    reading = await reader(store)
    for _ in range(2):
        reading.cancel()
        await asyncio.sleep(0)
    await asyncio.wait({reading})
    await store.aclose()


async def unfinished_statement(folder: Path) -> None:
    """Read still when the store is closed."""
    store = await Store.open(None, data_dir=folder)
    reading = await reader(store)
    await store.aclose()
    reading.cancel()
    await asyncio.wait({reading})


async def reader(store: Store) -> asyncio.Task[None]:
    """Return a task whose statement is under way."""
    connected = asyncio.Event()

    async def read_slowly() -> None:
        async with store.database.read() as connection:
            await connection.exec_driver_sql("SELECT 1")
            connected.set()
            await connection.exec_driver_sql(SLOW)

    reading = asyncio.ensure_future(read_slowly())
    await connected.wait()
    await asyncio.sleep(0)
    return reading


def connection_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if "_connection_worker_thread" in each.name]


@pytest.mark.parametrize(
    "case", one_of(2, [failed_open, cancelled_open, cancelled_statement, unfinished_statement])
)
def test_no_thread_answers_after_a_store_was_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Callable[[Path], Awaitable[None]]
) -> None:
    deaths: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda death: deaths.append(repr(death.exc_value)))
    before = set(connection_threads())

    async def one() -> None:
        await case(tmp_path)

    for _ in range(ROUNDS):
        asyncio.run(one())
        until(lambda: not set(connection_threads()) - before, what="the threads to end")
    assert deaths == []


async def test_a_process_that_ends_does_not_wait_for_a_connection(tmp_path: Path) -> None:
    before = set(connection_threads())
    threads = ConnectionThreads()
    await threads.connect(str(tmp_path / "a.db"))
    (own,) = set(connection_threads()) - before
    assert own.daemon
    await threads.aclose()


async def test_a_connection_is_stopped_once_and_whoever_stops_it_waits_for_its_last_answer(
    tmp_path: Path,
) -> None:
    threads = ConnectionThreads()
    connection = await threads.connect(str(tmp_path / "a.db"))
    reading = asyncio.ensure_future(connection.execute(SLOW))
    await asyncio.sleep(0)
    first, second = connection.stop(), connection.stop()
    assert first is not None
    assert second is not None
    assert not connection.is_running
    assert not first.done()
    second.cancel()
    async with asyncio.timeout(PATIENCE_S / 4):
        await connection.close()
        assert reading.done()
        assert first.done()
        await first
        await connection.close()
    assert second.cancelled()
    await threads.aclose()


async def test_a_connection_that_was_closed_is_forgotten(tmp_path: Path) -> None:
    before = set(connection_threads())
    threads = ConnectionThreads()
    closed = await threads.connect(str(tmp_path / "a.db"))
    await closed.close()
    until(lambda: not set(connection_threads()) - before, what="the thread to end")
    there = weakref.ref(closed)
    del closed
    await threads.connect(str(tmp_path / "a.db"))
    gc.collect()
    assert there() is None
    await threads.aclose()
