"""Ends that were committed and are not in the log: found by a hundred, the oldest first, and none twice."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update

from server.store.engine.clock import now_ms
from server.store.tables import runs
from tests.contract.store.conftest import Talk


def ended(talk: Talk, number: int, at: int) -> dict[str, Any]:
    """Return the row of a run of this session that ended at a time."""
    return {
        "id": f"run_{number:03}",
        "session_id": talk.session.id,
        "place": number,
        "kind": "note",
        "status": "finished",
        "message_id": f"msg_{number}",
        "client_id": f"m{number}",
        "content": [],
        "language": "pt",
        "items": [],
        "created_at": 1,
        "ended_at": at,
    }


async def test_unpublished_ends_are_listed_by_a_hundred_in_the_order_of_their_times(talk: Talk) -> None:
    """Of those that ended in one ms, which are on both sides of the first hundred, the order is that of their ids."""
    rows = [ended(talk, number, 1000 + number // 3) for number in range(1, 132)]
    async with talk.store.database.write() as connection:
        await connection.execute(runs.insert(), rows[::-1])
    unpublished = talk.store.runs.list_unpublished
    first = await unpublished(0)
    assert [each.id for each in first] == [each["id"] for each in rows[:100]]
    rest = await unpublished(0, first[-1])
    assert [each.id for each in rest] == [each["id"] for each in rows[100:]]
    assert await unpublished(0, rest[-1]) == []


async def test_an_unpublished_end_is_listed_once_it_has_the_given_age(talk: Talk) -> None:
    await talk.turn("olá", published=False)
    for seconds, found in ((999_900, 0), (1_000_001, 1)):
        await talk.store.database.execute(update(runs).values(ended_at=now_ms() - seconds * 1000), {})
        assert len(await talk.store.runs.list_unpublished(1_000_000)) == found
