"""SQLite's write-ahead log is written into the database file beside the one writer, and not by one of its commits.

By itself SQLite does that in the commit that makes the log 1,000 pages long. Such a commit waits for the disk twice,
20 to 50 ms, and so does the message or answer that it stores. A passive checkpoint on a connection of its own
delays no commit.
"""

import logging
import sqlite3

import aiosqlite

from server.store.engine.connection_threads import ConnectionThreads
from server.tasks import Tasks

COMMITS = 256
"""Commits between two checkpoints: some 85 runs, 9 MiB of log. The first commit after one waits for the disk once, as
it begins the log anew, so checkpoints are not frequent."""

MOST_PAGES = 8_192
"""Pages of the log (32 MiB) at which a commit writes them after all. SQLite begins the log anew only when all of it is
written as a commit begins, so without a rest between commits it grows to this. What a checkpoint has written before is
not written again."""

log = logging.getLogger(__name__)


class Checkpoints:
    """The checkpoints of one SQLite file. Acquired with the first commit, released by `aclose`."""

    def __init__(self, path: str, threads: ConnectionThreads) -> None:
        self._path = path
        self._threads = threads
        self._commits = 0
        self._connection: aiosqlite.Connection | None = None
        self._tasks = Tasks()
        self._closed = False

    @property
    def writing(self) -> bool:
        """Return whether a checkpoint is being written."""
        return len(self._tasks) > 0

    def count_commit(self) -> None:
        """Count a commit, and begin a checkpoint when there were enough; one that still works is enough."""
        self._commits += 1
        if self._commits >= COMMITS and not self.writing and not self._closed:
            self._commits = 0
            self._tasks.spawn(self.write(), name="wal checkpoint")

    async def write(self) -> tuple[int, int]:
        """Write the log into the file as far as no reader needs it; give its pages, and those that are written."""
        try:
            if self._connection is None:
                self._connection = await self._threads.connect(self._path)
            async with self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)") as cursor:
                row = await cursor.fetchone()
        except (
            sqlite3.Error
        ) as error:  # The disk is full or the file is locked: the next checkpoint tries again.
            log.debug("WAL checkpoint failed: %s", error)
            row = None
        return (row[1], row[2]) if row is not None else (0, 0)

    async def aclose(self) -> None:
        """Close the file; a commit that is still under way begins no checkpoint."""
        self._closed = True
        await self._tasks.aclose()
        if self._connection is not None:
            await self._connection.close()
