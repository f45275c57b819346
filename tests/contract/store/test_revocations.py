"""The revocations over both databases: each is kept as long as it must be, and seen by all who ask repeatedly."""

from __future__ import annotations

from sqlalchemy import select, update

from server.identity import Identity
from server.store import Store
from server.store.engine.clock import now_ms
from server.store.tables import revoked
from tests.contract.store.conftest import Talk

DAY_MS = 86_400_000
ANA = "usr_ana"


async def now(store: Store) -> int:
    return int((await store.database.fetch(select(now_ms().label("at"))))[0].at)


async def age(store: Store, days: float) -> None:
    """Let everything be revoked earlier."""
    earlier = revoked.c.revoked_at - int(days * DAY_MS)
    await store.database.execute(update(revoked).values(revoked_at=earlier), {})


async def test_a_revocation_is_kept_for_longer_than_a_cookie_lives(store: Store) -> None:
    await store.revocations.revoke("vis_1")
    await age(store, 399.9)
    await store.revocations.revoke("vis_2")
    assert await store.revocations.holds("vis_1")
    await age(store, 0.2)
    await store.revocations.revoke("vis_3")
    assert not await store.revocations.holds("vis_1")
    assert [await store.revocations.holds(f"vis_{each}") for each in (2, 3)] == [True, True]


async def test_a_repeated_query_finds_revocations_committed_ten_seconds_late(store: Store) -> None:
    await store.revocations.revoke("vis_1")
    for ask in (store.revocations.now, lambda: store.revocations.since(0)):
        before = await now(store)
        answer = await ask()
        then = answer if isinstance(answer, int) else answer[1]
        assert before - 10_000 <= then <= await now(store) - 10_000
    await store.database.execute(update(revoked).values(revoked_at=then + 1), {})
    assert (await store.revocations.since(then))[0] == ["vis_1"]
    assert (await store.revocations.since(then + 1))[0] == []


async def test_all_identities_of_a_user_end_again_and_those_of_the_same_second_too(store: Store) -> None:
    second = await now(store) // 1000
    old, same, new = [Identity(f"jti_{each}", second + each, second + 999) for each in (-1, 0, 1)]
    await store.revocations.revoke_all_of(ANA)
    await store.database.execute(update(revoked).values(revoked_at=second * 1000), {})
    ends = store.revocations.ends
    assert [await ends(ANA, each) for each in (old, same, new)] == [True, True, False]
    await store.database.execute(update(revoked).values(revoked_at=5), {})
    assert not await ends(ANA, old)
    await store.revocations.revoke_all_of(ANA)
    assert await ends(ANA, old), "the last time counts"


async def test_a_principal_without_an_identity_ends_by_its_own_revocation(store: Store) -> None:
    assert not await store.revocations.ends("vis_1", None)
    await store.revocations.revoke("vis_1")
    assert await store.revocations.ends("vis_1", None)
    assert not await store.revocations.ends("vis_2", None)
    assert await store.revocations.ends("vis_1", Identity("jti_a", 1, 2))


async def test_a_conversation_that_was_revoked_by_its_name_can_be_deleted(talk: Talk) -> None:
    await talk.store.revocations.revoke(talk.session.id)
    await talk.store.sessions.delete(talk.session.id, "ana")
    assert await talk.store.sessions.owner_of(talk.session.id) is None
    assert await talk.store.revocations.holds(talk.session.id)
