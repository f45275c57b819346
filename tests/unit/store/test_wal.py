"""SQLite's log is written into its file beside the commits: none of them does it, and the log does not grow."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.protocol.ids import new_id
from server.store import Store
from server.store.engine import wal
from server.store.engine.connection_threads import ConnectionThreads
from tests.parts.wait import until_async

PAGE, BY_ITSELF = 4096, 1000
"""Bytes of a page, and pages at which a commit of SQLite's would write the log."""

LARGE = "x" * 50 * PAGE


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(None, data_dir=tmp_path)
    yield store
    await store.aclose()


async def commit(store: Store, count: int) -> None:
    """So many commits of fifty pages each."""
    for _ in range(count):
        await store.sessions.create(
            app="demo", principal="ana", service="chat", language="pt", context={new_id("k"): LARGE}
        )


async def test_no_commit_writes_the_log_into_the_file(store: Store) -> None:
    await commit(store, 2 * BY_ITSELF // 50)
    pages, written = await store.database.checkpoints.write()
    assert pages == written > BY_ITSELF * 1.5, "a commit wrote it, and the next one began the log anew"


async def test_the_log_is_written_and_begun_anew_after_a_number_of_commits(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "COMMITS", 5)
    checkpoints = store.database.checkpoints
    await checkpoints.write()
    checkpoints._commits = 0  # The start counts too; here each fifth commit is followed by a rest.
    for _ in range(8):
        await commit(store, 5)
        await until_async(lambda: not checkpoints.writing, what="the checkpoint")
    pages, written = await checkpoints.write()
    assert pages == written < 2 * 5 * 60
    assert (tmp_path / "loopwire.db-wal").stat().st_size < 2 * 5 * 60 * PAGE
    assert (tmp_path / "loopwire.db").stat().st_size > 7 * 5 * 50 * PAGE


async def test_a_commit_writes_the_log_after_all_when_nothing_else_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "COMMITS", 1_000_000)
    at_once = "x" * 1000 * PAGE
    for _ in range(10):
        await store.sessions.create(
            app="demo", principal="ana", service="chat", language="pt", context={"large": at_once}
        )
    pages, _ = await store.database.checkpoints.write()
    assert pages < 8192, "of more than ten thousand: the log was begun anew"


async def test_a_file_that_cannot_be_opened_is_left_to_the_next_checkpoint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "server.store.engine.wal")
    threads = ConnectionThreads()
    checkpoints = wal.Checkpoints(str(tmp_path / "missing" / "loopwire.db"), threads)
    assert await checkpoints.write() == (0, 0)
    assert [each.name for each in caplog.records if "WAL checkpoint failed" in each.message] == [wal.__name__]
    assert await checkpoints.write() == (0, 0)
    await checkpoints.aclose()
    await threads.aclose()


async def test_a_checkpoint_lets_commits_go_on_and_does_not_change_an_open_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "COMMITS", 3)
    async with store.database.read() as reading:
        before = (await reading.exec_driver_sql("SELECT count(*) FROM sessions")).scalar_one()
        await commit(store, 20)
        checkpoints = store.database.checkpoints
        await until_async(lambda: not checkpoints.writing, what="the checkpoint")
        pages, written = await checkpoints.write()
        assert written < pages, "the reader needs what was there when it began"
        assert (await reading.exec_driver_sql("SELECT count(*) FROM sessions")).scalar_one() == before
    await until_async(lambda: _all_written(store), what="the log to be written")


async def _all_written(store: Store) -> bool:
    pages, written = await store.database.checkpoints.write()
    return pages == written


async def test_a_file_that_is_locked_is_written_another_time(store: Store, tmp_path: Path) -> None:
    await commit(store, 2)
    checkpoints = store.database.checkpoints
    await checkpoints.write()
    await commit(store, 2)
    other = sqlite3.connect(tmp_path / "loopwire.db", isolation_level=None)
    try:
        other.execute("PRAGMA locking_mode=NORMAL")
        other.execute("BEGIN IMMEDIATE")
        pages, written = await checkpoints.write()
        assert pages == written > 0, "a writer is in nobody's way"
        other.execute("ROLLBACK")
    finally:
        other.close()


async def test_a_store_can_be_closed_and_reopened_during_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "COMMITS", 1)
    for _ in range(5):
        store = await Store.open(None, data_dir=tmp_path)
        await commit(store, 2)
        await store.aclose()
    store = await Store.open(None, data_dir=tmp_path)
    assert len(await store.sessions.reached_seqs([])) == 0
    await store.aclose()


async def test_each_256_commits_begin_one_checkpoint_and_a_closed_file_none(tmp_path: Path) -> None:
    threads = ConnectionThreads()
    checkpoints = wal.Checkpoints(str(tmp_path / "loopwire.db"), threads)
    for _ in range(2):
        for _ in range(255):
            checkpoints.count_commit()
        assert not checkpoints.writing
        checkpoints.count_commit()
        assert checkpoints.writing
        await until_async(lambda: not checkpoints.writing, what="the checkpoint")
    await checkpoints.aclose()
    for _ in range(256):
        checkpoints.count_commit()
    assert not checkpoints.writing
    await threads.aclose()


def checkpoint_tasks() -> list[str]:
    """Return the names of the checkpoints that are being written."""
    names = [each.get_name() for each in asyncio.all_tasks()]
    return [each for each in names if each == "wal checkpoint"]


async def test_no_checkpoint_begins_beside_another_and_the_commits_meanwhile_count(tmp_path: Path) -> None:
    threads = ConnectionThreads()
    checkpoints = wal.Checkpoints(str(tmp_path / "loopwire.db"), threads)
    for _ in range(256 + 300):
        checkpoints.count_commit()
    assert checkpoint_tasks() == ["wal checkpoint"]
    await until_async(lambda: not checkpoints.writing, what="the checkpoint")
    checkpoints.count_commit()
    assert checkpoints.writing, "300 commits were enough"
    await checkpoints.aclose()
    await threads.aclose()


async def test_checkpoints_have_one_connection_that_ends_with_them(tmp_path: Path) -> None:
    def own_threads() -> set[threading.Thread]:
        return {each for each in threading.enumerate() if "_connection_worker_thread" in each.name}

    before = own_threads()
    threads = ConnectionThreads()
    checkpoints = wal.Checkpoints(str(tmp_path / "loopwire.db"), threads)
    for _ in range(3):
        await checkpoints.write()
    assert len(own_threads() - before) == 1
    for _ in range(256):
        checkpoints.count_commit()
    await checkpoints.aclose()
    assert not checkpoints.writing
    await until_async(lambda: not own_threads() - before, what="the thread to end")
    await threads.aclose()


async def test_a_closed_store_begins_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "COMMITS", 1)
    store = await Store.open(None, data_dir=tmp_path)
    await store.aclose()
    checkpoints = store.database.checkpoints
    checkpoints.count_commit()
    assert not checkpoints.writing
