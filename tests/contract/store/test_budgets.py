"""The tokens of a day over both databases: what a run counts for, who has spent them, and when the next day begins."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from server.errors import OverBudget
from server.store import Budget, Store
from server.store.conversations.budgets import tokens_of
from server.store.engine.clock import now_ms
from server.store.tables import sessions, usage
from tests.contract.store.conftest import Talk, Talks

DAY_MS = 86_400_000
MANY = 1_000_000


async def spend(talk: Talk, **counted: Any) -> None:
    """A run that costs so many tokens, 600 unless said otherwise."""
    await talk.turn("olá", usage={"model": "m", **(counted or {"totalTokens": 600})})


async def is_over(talk: Talk, **budget: int) -> bool:
    """Return whether the next message is refused."""
    try:
        submitted = await talk.say(f"{budget}", budget=Budget(**budget))
    except OverBudget:
        return True
    assert not submitted.dup
    await talk.finish(await talk.claim())
    return False


async def now(store: Store) -> int:
    return int((await store.database.fetch(select(now_ms().label("at"))))[0].at)


async def rows(store: Store) -> set[tuple[Any, ...]]:
    """Return who has spent how much."""
    found = await store.database.fetch(select(usage.c.app, usage.c.principal, usage.c.tokens))
    return {tuple(row) for row in found}


@pytest.mark.parametrize(
    ("detail", "tokens"),
    [
        ({}, 0),
        ({"inputTokens": 7}, 7),
        ({"outputTokens": 5}, 5),
        ({"inputTokens": 7, "outputTokens": 5}, 12),
        ({"totalTokens": 20, "inputTokens": 7, "outputTokens": 5}, 20),
        ({"totalTokens": 0, "inputTokens": 7}, 0),
    ],
)
def test_a_run_counts_for_its_total_or_for_what_went_in_and_came_out(
    detail: dict[str, Any], tokens: int
) -> None:
    assert tokens_of(detail) == tokens


async def test_a_budget_is_spent_with_its_last_token(talk: Talk) -> None:
    for budget in ({"session": 1}, {"principal": 1}, {"app": 1}):
        assert not await is_over(talk, **budget)
    await spend(talk)
    for whose in ("session", "principal", "app"):
        assert await is_over(talk, **{whose: 600})
        assert not await is_over(talk, **{whose: 601})


async def test_a_run_is_refused_when_any_one_of_its_budgets_is_spent(talk: Talk) -> None:
    await spend(talk)
    assert await is_over(talk, session=600, principal=MANY, app=MANY)
    assert await is_over(talk, session=MANY, principal=600, app=MANY)
    assert await is_over(talk, session=MANY, principal=MANY, app=600)
    assert not await is_over(talk, session=MANY, principal=MANY, app=MANY)


async def test_tokens_of_the_day_before_do_not_count_today(talk: Talk) -> None:
    await spend(talk)
    await talk.store.database.execute(update(sessions).values(spent_on=sessions.c.spent_on - 1), {})
    assert not await is_over(talk, session=1)


async def test_a_day_begins_at_midnight_and_who_is_refused_is_told_how_long_it_lasts(talk: Talk) -> None:
    await spend(talk)
    store = talk.store
    midnight = await now(store) // DAY_MS * DAY_MS
    await store.database.execute(update(usage).values(created_at=midnight), {})
    for whose in ("principal", "app"):
        before = await now(store)
        with pytest.raises(OverBudget) as refused:
            await talk.say(whose, budget=Budget(**{whose: 600}))
        left = round((refused.value.retry_after or 0) * 1000)
        assert before + left <= midnight + DAY_MS <= await now(store) + left
    await store.database.execute(update(usage).values(created_at=midnight - 1), {})
    for whose in ("principal", "app"):
        assert not await is_over(talk, **{whose: 600})


async def test_the_cost_of_a_run_whose_conversation_is_gone_is_counted_once(talks: Talks) -> None:
    talk, other = await talks(), await talks()
    store, counted = talk.store, {"model": "m", "inputTokens": 400, "outputTokens": 200}
    await talk.say("a")
    claim = await talk.claim()
    assert not await store.budgets.charge(claim.run.id, claim.session, counted), "its end counts it"
    await store.sessions.delete(talk.session.id, "ana")
    assert await rows(store) == set()
    assert await store.budgets.charge(claim.run.id, claim.session, {})
    assert await rows(store) == set(), "it asked no model"
    for _ in range(2):
        assert await store.budgets.charge(claim.run.id, claim.session, counted)
    assert await rows(store) == {("demo", "ana", 600)}
    assert await is_over(other, principal=600)
    assert await is_over(other, app=600)
    assert not await is_over(other, principal=601, app=601)


async def test_a_deletion_removes_former_costs_of_the_same_visitor_and_app_alone(talks: Talks) -> None:
    owners = {"ana": "demo", "rui": "demo", "eva": "shop"}
    for principal, app in owners.items():
        talk = await talks(principal, app=app)
        await spend(talk)
        await talk.store.sessions.delete(talk.session.id, principal)
    store = talk.store
    everything = {(app, principal, 600) for principal, app in owners.items()}
    midnight = await now(store) // DAY_MS * DAY_MS
    for at in (midnight, midnight - 1):
        await store.database.execute(update(usage).values(created_at=at), {})
        for app in ("shop", "demo"):
            talk = await talks(app=app)
            await store.sessions.delete(talk.session.id, "ana")
        left = everything if at == midnight else everything - {("demo", "ana", 600)}
        assert await rows(store) == left


async def test_a_hand_over_moves_the_costs_of_the_visitor_to_the_user(talks: Talks) -> None:
    talk, other = await talks("vis_1"), await talks("vis_1", app="shop")
    for each in (talk, other):
        await spend(each)
    await talk.store.hand_overs.hand_over("demo", "vis_1", "usr_1")
    assert await rows(talk.store) == {("demo", "usr_1", 600), ("shop", "vis_1", 600)}
