"""The connections to one SQLite file, each with a thread of its own: no thread answers after `aclose`.

A thread answers to the loop that asked, and ends with an error when that loop is closed. SQLAlchemy's pool closes its
idle connections. It does not wait for one that failed to open, whose opening was cancelled, or that a task still uses.
"""

import asyncio
import sqlite3
from functools import partial
from typing import Any

import aiosqlite

CHUNK = 64
"""Rows that aiosqlite fetches at once; nothing here iterates over its cursors."""


class ThreadedConnection(aiosqlite.Connection):
    """Sends the stop once: aiosqlite's thread ends at the first one, and would never answer a second."""

    _stopped: asyncio.Future[Any] | None = None

    def __init__(self, path: str, options: dict[str, Any]) -> None:
        super().__init__(partial(sqlite3.connect, path, **options), CHUNK)
        self._thread.daemon = True  # A daemon thread ends with the process.

    @property
    def is_running(self) -> bool:
        """Return whether the thread takes more work."""
        return self._running

    @property
    def is_alive(self) -> bool:
        """Return whether the thread may still answer."""
        return self._thread.is_alive()

    def stop(self) -> asyncio.Future[Any] | None:
        """Let the thread end after all that it was given; the future is done with its last answer."""
        if self._running:
            self._stopped = super().stop()
        # Shield it: the cancellation of one waiter must not cancel it for the others.
        return asyncio.shield(self._stopped) if self._stopped is not None else None

    async def close(self) -> None:
        """Wait for what was asked before, and close; a stop that was asked for is waited for."""
        if self._running:
            await super().close()
        elif (stopped := self.stop()) is not None:
            await stopped


class ConnectionThreads:
    """The connections to one SQLite file. Acquired with the first connection, released by `aclose`."""

    def __init__(self) -> None:
        self._connections: set[ThreadedConnection] = set()

    def connect(self, path: str, **options: Any) -> ThreadedConnection:
        """Return a connection that opens when it is awaited."""
        self._connections = {connection for connection in self._connections if connection.is_alive}
        connection = ThreadedConnection(path, options)
        self._connections.add(connection)
        return connection

    async def aclose(self) -> None:
        """Stop the threads that still work, and wait until each has given its last answer."""
        stopping = [connection.stop() for connection in self._connections if connection.is_alive]
        if answers := [answer for answer in stopping if answer is not None]:
            await asyncio.wait(answers)
