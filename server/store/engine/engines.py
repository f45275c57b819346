"""The engines of one database: the connections of SQLite and PostgreSQL, how many, and how long each may take."""

import logging
from collections.abc import Sequence
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from server.protocol.codec import decode_json, encode_json
from server.store.engine.sqlite import Driver
from server.store.engine.wal import MOST_PAGES

POOL_TIMEOUT_S = 2
"""Seconds that a transaction waits for one of PostgreSQL's connections."""

POOL_SIZE = 10

TURN_S = 10
"""Seconds that a transaction waits for its turn at SQLite's one writer: many may begin at once."""

STATEMENT_TIMEOUT_MS = 3000

IDLE_TIMEOUT_MS = 5000
"""Milliseconds for which a transaction keeps its rows locked while its process sends nothing. A process that
stands still has lost them before another one takes its runs over: that happens after two thirds of the lease of 10 s at
the earliest."""

READERS = 4

CACHE_KIB = 4_000
"""Pages that each of SQLite's connections keeps. The system's own cache has the file's other pages: with 16,000 a run
took no less CPU."""

_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "busy_timeout=5000",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    f"cache_size=-{CACHE_KIB}",
    "journal_size_limit=67108864",
)


def sqlite_engine(
    url: URL, driver: Driver, *, begin: str, size: int = 1, extra: Sequence[str] = ()
) -> AsyncEngine:
    """Make an engine of `size` connections to a file, each of whose transactions begins with `begin`."""
    engine = create_async_engine(
        url,
        module=driver,
        hide_parameters=True,
        json_serializer=encode_json,
        json_deserializer=decode_json,
        pool_size=size,
        max_overflow=0,
        pool_timeout=TURN_S,
        pool_use_lifo=True,  # The cache of the connection that was used last is warm.
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (*_PRAGMAS, f"wal_autocheckpoint={MOST_PAGES}", *extra):
            cursor.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        connection.connection.dbapi_connection.begin(begin)

    return engine


def postgresql_engine(url: URL, *, size: int = 1, more: int = 0, patient: bool = False) -> AsyncEngine:
    timeout, idle = (0, 2 * IDLE_TIMEOUT_MS) if patient else (STATEMENT_TIMEOUT_MS, IDLE_TIMEOUT_MS)
    return create_async_engine(
        url,
        hide_parameters=True,
        json_serializer=encode_json,
        json_deserializer=decode_json,
        pool_size=size,
        max_overflow=more,
        pool_timeout=POOL_TIMEOUT_S,
        pool_recycle=1800,
        connect_args={
            "timeout": POOL_TIMEOUT_S,
            "command_timeout": None if patient else STATEMENT_TIMEOUT_MS / 1000 + 2,
            "server_settings": {
                "application_name": "loopwire",
                "statement_timeout": str(timeout),
                "idle_in_transaction_session_timeout": str(idle),
            },
        },
    )


def _as_a_warning(record: logging.LogRecord) -> bool:
    """Log a connection that cannot be closed while its server is away as a warning: its user reported the outage."""
    trouble = record.exc_info[1] if record.exc_info else None
    if isinstance(trouble, TimeoutError | OSError | DBAPIError):
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
    return True


logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool").addFilter(_as_a_warning)
