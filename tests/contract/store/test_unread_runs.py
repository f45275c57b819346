"""A due run whose rows cannot be read: the claims of the others go on."""

from __future__ import annotations

import pytest
from sqlalchemy import literal_column, select, update

from server.store.engine.clock import now_ms
from server.store.tables import checkpoints, runs, sessions
from tests.contract.store.conftest import Talks
from tests.contract.store.test_interrupts import POINT

UNREADABLE = literal_column("'[" + "1" * 5_000 + "]'")
"""JSON for both databases, with a number of more figures than Python reads."""


@pytest.mark.parametrize("unread", ["run", "session", "checkpoint"])
async def test_a_run_that_cannot_be_read_keeps_no_other_waiting_and_is_tried_later_each_time(
    talks: Talks, unread: str, caplog: pytest.LogCaptureFixture
) -> None:
    broken, whole = await talks(), await talks()
    said = await broken.say("olá")
    if unread == "checkpoint":
        claim = await broken.claim(lease_s=-1)
        await broken.store.runs.checkpoint(claim.run.id, claim.run.fence, POINT)
    await whole.say("olá")
    row = {
        "run": update(runs).where(runs.c.id == said.run_id).values(content=UNREADABLE),
        "session": update(sessions).where(sessions.c.id == broken.session.id).values(context=UNREADABLE),
        "checkpoint": update(checkpoints).values(messages=UNREADABLE),
    }[unread]
    async with broken.store.database.write() as connection:
        await connection.execute(row)
    assert (await whole.claim()).session.id == whole.session.id
    assert await whole.store.runs.claim("me", 10) is None
    (told,) = [each for each in caplog.records if each.name == "server.store.runs.leases"]
    assert (told.levelname, told.getMessage()) == ("ERROR", "a run cannot be read")

    async def left_ms() -> tuple[int, int]:
        (row,) = await broken.store.database.fetch(
            select(runs.c.attempt, runs.c.lease_until - now_ms()).where(runs.c.id == said.run_id)
        )
        return row[0], row[1]

    before, left = await left_ms()
    assert before == (2 if unread == "checkpoint" else 1)
    assert 10_000 * before - 5_000 < left <= 10_000 * before
    async with broken.store.database.write() as connection:
        await connection.execute(update(runs).values(lease_until=0).where(runs.c.id == said.run_id))
    assert await whole.store.runs.claim("me", 10) is None
    attempt, left = await left_ms()
    assert attempt == before + 1
    assert 10_000 * attempt - 5_000 < left <= 10_000 * attempt


async def test_an_end_whose_input_cannot_be_read_is_listed_among_the_others(talks: Talks) -> None:
    broken, whole = await talks(), await talks()
    for each in (broken, whole):
        await each.turn("olá", published=False)
    unread = {"content": UNREADABLE, "tools": UNREADABLE, "branch": UNREADABLE}
    async with broken.store.database.write() as connection:
        await connection.execute(update(runs).where(runs.c.session_id == broken.session.id).values(unread))
    found = await whole.store.runs.list_unpublished(0)
    assert [(each.session_id, each.changes_path) for each in found] == [
        (broken.session.id, True),
        (whole.session.id, False),
    ]
