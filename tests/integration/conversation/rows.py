"""The rows of a running server's database, read by another connection."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import asyncpg

from tests.parts.server import Backend, Served


async def selected(at: Served, backend: Backend, query: str, *values: Any) -> list[dict[str, Any]]:
    """Run one SELECT with `?` for each value."""
    url = backend.environment.get("DATABASE_URL")
    if url is None:
        return _from_file(at, query, values)
    for number in range(1, len(values) + 1):
        query = query.replace("?", f"${number}", 1)
    connection = await asyncpg.connect(url)
    try:
        return [dict(each) for each in await connection.fetch(query, *values)]
    finally:
        await connection.close()


def _from_file(at: Served, query: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(f"file:{at.data_dir / 'loopwire.db'}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(each) for each in connection.execute(query, values)]


async def items_of(at: Served, backend: Backend, session_id: str) -> list[dict[str, Any]]:
    """Return the items of a conversation."""
    return await selected(at, backend, "SELECT * FROM items WHERE session_id = ?", session_id)


async def answers_of(at: Served, backend: Backend, item_id: str) -> list[dict[str, Any]]:
    """Return the answers to the questions of an item."""
    query = (
        "SELECT answers.* FROM answers JOIN items ON items.number = answers.item_number WHERE items.id = ?"
    )
    return await selected(at, backend, query, item_id)


async def runs_of(at: Served, backend: Backend, session_id: str) -> list[dict[str, Any]]:
    """Return the runs of a conversation, in their order."""
    columns = "id, client_id, status, told AS published, outcome, attempt"
    query = f"SELECT {columns} FROM runs WHERE session_id = ? ORDER BY place"
    return await selected(at, backend, query, session_id)
