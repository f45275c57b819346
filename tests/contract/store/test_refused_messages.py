"""Refusals of a message before any part of it is stored: a spent budget, a rate, a principal that has left."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from server.errors import Busy, IdReused, NotFound, OverBudget, RateLimited, Unauthorized
from server.store import Budget, Store
from server.store.engine.clock import now_ms
from server.store.tables import runs, sessions, usage
from tests.contract.store.conftest import Talk, Talks

COST = {"usage": {"model": "m", "totalTokens": 600}}


async def change(store: Store, table: Any, **values: Any) -> None:
    """Set a column of all rows."""
    async with store.database.write() as connection:
        await connection.execute(update(table).values(**values))


async def spent(store: Store) -> list[str]:
    """Return the runs whose cost is known."""
    async with store.database.read() as connection:
        return list((await connection.execute(select(usage.c.run_id))).scalars())


async def spend(talk: Talk, name: str) -> None:
    """A run that costs 600 tokens."""
    await talk.say(name)
    await talk.finish(await talk.claim(), "Sim.", **COST)


async def test_a_conversation_that_spent_its_day_gets_no_other_run_until_the_next(talk: Talk) -> None:
    budget = Budget(session=1000)
    await spend(talk, "a")
    await talk.say("b", budget=budget)
    await talk.finish(await talk.claim(), "Sim.", **COST)
    with pytest.raises(OverBudget) as caught:
        await talk.say("c", budget=budget)
    assert 0 < (caught.value.retry_after or 0) <= 24 * 3600
    assert await talk.store.runs.queue(talk.session.id) == []
    assert (
        await talk.say("b", budget=budget)
    ).dup  # What is stored is acknowledged however often it is sent.
    await change(talk.store, sessions, spent_on=sessions.c.spent_on - 1)
    assert not (await talk.say("c", budget=budget)).dup


async def test_the_budgets_of_a_visitor_and_of_an_app_count_all_their_conversations(talks: Talks) -> None:
    first, second = await talks(), await talks()
    await spend(first, "a")
    await second.say("b", budget=Budget(principal=601, app=601))
    with pytest.raises(OverBudget):
        await second.say("c", budget=Budget(app=600))
    with pytest.raises(OverBudget):
        await second.say("c", budget=Budget(principal=600))
    await change(first.store, usage, created_at=usage.c.created_at - 24 * 3600 * 1000)
    await second.say("c", budget=Budget(principal=600, app=600))


async def test_a_deleted_conversation_gives_nothing_of_the_day_back(talks: Talks) -> None:
    first, second = await talks(), await talks()
    await spend(first, "a")
    await first.store.sessions.delete(first.session.id, first.session.principal)
    for budget in (Budget(principal=600), Budget(app=600)):
        with pytest.raises(OverBudget):
            await second.say("b", budget=budget)
    await second.say("b", budget=Budget(principal=601, app=601))


async def test_costs_of_a_deleted_conversation_are_removed_after_their_day(talks: Talks) -> None:
    first, second, kept = await talks(), await talks(), await talks()
    for each in (first, kept):
        await spend(each, "a")
    await first.store.sessions.delete(first.session.id, first.session.principal)
    assert len(await spent(kept.store)) == 2
    await change(kept.store, usage, created_at=usage.c.created_at - 24 * 3600 * 1000)
    await second.store.sessions.delete(second.session.id, second.session.principal)
    assert len(await spent(kept.store)) == 1


async def test_a_session_takes_20_messages_in_10_s_and_100_in_a_minute(talks: Talks) -> None:
    """When they were said is set by hand: a slow machine spreads them over more than is asked about."""
    talk, other = await talks(), await talks()
    for last in range(20, 101, 20):
        for each in range(last - 20, last):
            if each < 20:
                await other.turn(f"m{each}")
            await talk.say(f"m{each}", paced=True)
            await talk.finish(await talk.claim())
        most = 10 if last < 100 else 60
        for ahead_s in (0, 1_000_000):
            await change(talk.store, runs, created_at=now_ms() + ahead_s * 1000)
            with pytest.raises(RateLimited) as caught:
                await talk.say("one more", paced=True)
            assert ahead_s < (caught.value.retry_after or 0) <= ahead_s + most
        assert (await talk.say("m3", paced=True)).dup
        await change(talk.store, runs, created_at=now_ms() - 30_000)
    with pytest.raises(RateLimited) as caught:
        await talk.say("one more", paced=True)
    assert 0 < (caught.value.retry_after or 0) <= 30
    await change(talk.store, runs, created_at=now_ms() - 60_000)
    assert not (await talk.say("one more", paced=True)).dup


async def test_messages_and_sessions_are_refused_to_a_principal_that_left(talk: Talk) -> None:
    assert not await talk.store.revocations.holds(talk.session.principal)
    _, then = await talk.store.revocations.since(0)
    await talk.store.revocations.revoke(talk.session.principal)
    await talk.store.revocations.revoke(talk.session.principal)
    assert await talk.store.revocations.holds(talk.session.principal)
    assert (await talk.store.revocations.since(then))[0] == [talk.session.principal]
    with pytest.raises(Unauthorized):
        await talk.say("olá")
    with pytest.raises(Unauthorized):
        await talk.store.sessions.get(talk.session.id, talk.session.principal)


async def test_a_deleted_session_is_not_found_and_is_listed_as_revoked(talk: Talk) -> None:
    await talk.say("olá")
    await talk.claim()
    with pytest.raises(NotFound):
        await talk.store.sessions.delete(talk.session.id, "vis_other")
    await talk.store.sessions.delete(talk.session.id, talk.session.principal)
    with pytest.raises(NotFound):
        await talk.store.sessions.get(talk.session.id, talk.session.principal)
    assert (await talk.store.revocations.since(0))[0] == [talk.session.id]


@pytest.mark.parametrize(("text", "id", "error"), [("e", "e", Busy), ("other words", "a", IdReused)])
async def test_a_refusal_within_the_rate_has_its_own_reason(
    talk: Talk, text: str, id: str, error: type[Busy | IdReused]
) -> None:
    for each in "abcd":
        await talk.say(each, paced=True)
    with pytest.raises(error):
        await talk.say(text, client_id=id, paced=True)


async def test_a_note_costs_no_tokens_whatever_was_spent(talk: Talk) -> None:
    await spend(talk, "a")
    noted = await talk.say("", client_id="n", kind="note", budget=Budget(session=0))
    assert (await talk.store.runs.get(noted.run_id)).kind == "note"
