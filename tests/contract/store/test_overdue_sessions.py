"""Overdue sessions: due runs that no worker takes up, so that their readers learn that answers are late."""

from __future__ import annotations

from sqlalchemy import update

from server.store.tables import runs
from tests.contract.store.conftest import Talk

AT_ONCE = -60
"""Younger than a minute from now: due for long enough, whatever the clock says."""


async def late(talk: Talk, seconds: float = AT_ONCE, most_attempts: int = 4) -> bool:
    found = await talk.store.runs.late(seconds, most_attempts)
    assert found <= {talk.session.id}
    return bool(found)


async def test_a_message_that_nobody_claims_is_late_after_its_time(talk: Talk) -> None:
    assert not await late(talk)
    await talk.say("olá")
    assert await late(talk)
    assert not await late(talk, 3600)


async def test_a_run_that_is_held_is_not_late_nor_what_waits_behind_it_until_nobody_holds_it(
    talk: Talk,
) -> None:
    await talk.say("olá")
    claim = await talk.claim(lease_s=600)
    await talk.say("mais")
    assert not await late(talk)
    await talk.renew(claim, -120)
    assert await late(talk)


async def test_an_end_that_nobody_tells_is_late_and_what_follows_has_its_time_from_then_on(
    talk: Talk,
) -> None:
    await talk.say("olá")
    claim = await talk.claim()
    await talk.say("mais")
    await talk.finish(claim, told=False)
    assert await late(talk)
    await talk.store.runs.mark_told(claim.run.id, claim.run.fence)
    async with talk.store.database.write() as connection:
        await connection.execute(update(runs).values(created_at=runs.c.created_at - 3_600_000))
    assert not await late(talk, 600)
    assert await late(talk)


async def test_a_run_that_was_tried_too_often_is_late_although_a_process_holds_it(talk: Talk) -> None:
    await talk.say("olá")
    for _ in range(5):
        await talk.claim(lease_s=-1)
    await talk.renew((await talk.claim()), 600)
    assert await late(talk)
    assert not await late(talk, most_attempts=6)
