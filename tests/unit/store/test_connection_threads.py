"""A store that is closed has no thread that may still answer: the loop may end at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from server.errors import Unavailable
from server.store import Store
from tests.parts.wait import until, until_async

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


@pytest.mark.parametrize("case", [failed_open, cancelled_open, cancelled_statement, unfinished_statement])
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
