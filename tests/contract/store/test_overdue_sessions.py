"""Overdue sessions: due runs that no worker takes up, so that their readers learn that answers are late."""

from __future__ import annotations

from sqlalchemy import update

from server.store.engine.clock import now_ms
from server.store.tables import runs, sessions
from tests.contract.store.conftest import Talk, Talks

AT_ONCE = -60
"""Younger than a minute from now: due for long enough, whatever the clock says."""


async def late(talk: Talk, seconds: float = AT_ONCE, most_attempts: int = 4) -> bool:
    found = await talk.store.runs.late(seconds, most_attempts)
    assert found <= {talk.session.id}
    return bool(found)


async def test_a_session_is_late_when_its_message_is_unclaimed_for_the_given_time(talk: Talk) -> None:
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
    await talk.finish(claim, published=False)
    assert await late(talk)
    await talk.store.runs.mark_published(claim.run.id, claim.run.fence)
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


async def test_a_message_and_an_end_are_late_once_they_are_as_old_as_was_asked_for(talk: Talk) -> None:
    await talk.say("olá")
    for seconds, is_late in ((999_900, False), (1_000_001, True)):
        await talk.store.database.execute(update(runs).values(created_at=now_ms() - seconds * 1000), {})
        assert await late(talk, 1_000_000) is is_late
    await talk.finish(await talk.claim(), published=False)
    for seconds, is_late in ((999_900, False), (1_000_001, True)):
        await talk.store.database.execute(update(runs).values(ended_at=now_ms() - seconds * 1000), {})
        assert await late(talk, 1_000_000) is is_late


async def test_an_end_in_another_session_gives_a_message_no_time(talks: Talks) -> None:
    other, talk = await talks(), await talks()
    await other.turn("olá")
    await talk.say("olá")
    mine = runs.c.session_id == talk.session.id
    await talk.store.database.execute(
        update(runs).where(mine).values(created_at=runs.c.created_at - 3_600_000), {}
    )
    assert await late(talk, 600)


async def test_a_thousand_are_named_at_most(talk: Talk) -> None:
    about = {"app": "demo", "principal": "ana", "service": "chat", "language": "pt", "state": {}}
    many = [f"ses_{number}" for number in range(1001)]
    kept = {"context": {}, "created_at": 1, "updated_at": 1}
    waits = {"place": 1, "kind": "agent", "status": "queued", "content": [], "items": [], "created_at": 1}
    async with talk.store.database.write() as connection:
        await connection.execute(sessions.insert(), [{"id": id, **about, **kept} for id in many])
        await connection.execute(
            runs.insert(),
            [
                {"id": f"run {id}", "session_id": id, "message_id": "m", "client_id": "m", **waits}
                | {"language": "pt"}
                for id in many
            ],
        )
    named = await talk.store.runs.late(60, 4)
    assert len(named) == 1000
    assert named < set(many)
