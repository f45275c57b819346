"""Conversations that are long already: the rows that so many turns would have left, written at once."""

import asyncio
import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from server.protocol.ids import new_id
from server.store import Store
from server.store.tables import messages, runs, sessions

ASKED = "Tell me what the next thing is that I should know about this."
ANSWERED = "What you should know next is that it depends on how much of it there is and who wants it. " * 2


def seed_all(data_dir: Path, turns: Iterable[tuple[str, int]]) -> None:
    """Give each of these sessions, which are empty, so many turns. No server may have the database open."""
    asyncio.run(_seed_all(data_dir, turns))


async def _seed_all(data_dir: Path, turns: Iterable[tuple[str, int]]) -> None:
    store = await Store.open(None, data_dir=data_dir)
    try:
        for session_id, count in turns:
            await seed(store, session_id, count)
    finally:
        await store.aclose()


async def seed(store: Store, session_id: str, turns: int) -> None:
    """Give a session, which is empty, so many turns."""
    said = [_turn(session_id, place) for place in range(1, turns + 1)]
    run_rows = [run for run, _ in said]
    message_rows = _chained(list(itertools.chain.from_iterable(rows for _, rows in said)))
    ends = {
        "fence": turns,
        "last_seq": 10 * turns,
        "last_run": run_rows[-1]["id"],
        "active_leaf": message_rows[-1]["id"],
    }
    async with store.database.write() as connection:
        await connection.execute(runs.insert(), run_rows)
        await connection.execute(messages.insert(), message_rows)
        await connection.execute(sessions.update().where(sessions.c.id == session_id).values(**ends))


def _turn(session_id: str, place: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Make the rows of one published run: the run, its question and its answer."""
    run_id, asked_id, answered_id = new_id("run"), new_id("msg"), new_id("msg")
    content = [{"type": "text", "text": ASKED}]
    run = {
        "id": run_id,
        "session_id": session_id,
        "place": place,
        "kind": "agent",
        "status": "finished",
        "published": True,
        "outcome": "success",
        "attempt": 1,
        "fence": place,
        "message_id": asked_id,
        "client_id": f"seeded-{place}",
        "content": content,
        "language": "en",
        "items": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWERED}],
        "created_at": place,
        "started_at": place,
        "ended_at": place,
    }
    asked = {"run_id": run_id, "at": place, "client_id": f"seeded-{place}", "content": content}
    answered = {"run_id": run_id, "at": place}
    bodies = [
        {"id": asked_id, "role": "user", "content": ASKED, "metadata": {"loopwire": asked}},
        {
            "id": answered_id,
            "role": "assistant",
            "name": "chat",
            "content": ANSWERED,
            "metadata": {"loopwire": answered},
        },
    ]
    return run, [
        {"session_id": session_id, "id": body["id"], "run_id": run_id, "body": body, "created_at": place}
        for body in bodies
    ]


def _chained(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    parents = [None, *(row["id"] for row in rows)]
    return [
        {**row, "parent_id": parent, "position": place}
        for place, (row, parent) in enumerate(zip(rows, parents, strict=False), 1)
    ]
