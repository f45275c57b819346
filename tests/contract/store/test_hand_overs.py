"""Conversations that are handed over from a visitor to a user, on both databases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import Engine, event

from server.errors import NotFound, Unauthorized
from server.identity import Identity, identities_of
from server.loopos.core import EmbeddedCore
from server.store import GivenAnswer, Store
from tests.contract.store.conftest import Talks, an_order
from tests.contract.store.test_interrupts import asks, waits

VISITOR, ANA, EVA = "vis_one", "usr_ana", "usr_eva"


async def test_a_hand_over_moves_all_conversations_of_the_app_and_no_others(store: Store, talks: Talks):
    mine = [await talks(VISITOR), await talks(VISITOR, service="chat")]
    others = [await talks("vis_two"), await talks(VISITOR, app="other"), await talks(EVA)]
    moved = await store.hand_overs.hand_over("demo", VISITOR, ANA)
    assert set(moved) == {each.session.id for each in mine}
    for each in mine:
        assert (await store.sessions.get(each.session.id, ANA)).principal == ANA
        assert await store.sessions.owner_of(each.session.id) == ANA
    for each in others:
        assert await store.sessions.owner_of(each.session.id) == each.session.principal


async def test_a_run_at_work_stays_and_ends_as_the_users(store: Store, talks: Talks):
    talk = await talks(VISITOR)
    await talk.say("olá")
    claim = await talk.claim()
    await store.hand_overs.hand_over("demo", VISITOR, ANA)
    await talk.finish(claim, "bom dia", usage={"totalTokens": 7})
    page = await store.messages.page(talk.session.id, ANA, limit=10)
    assert [each["content"] for each in page.messages] == ["olá", "bom dia"]
    session = await store.sessions.get(talk.session.id, ANA)
    assert (session.id, session.last_run) == (talk.session.id, claim.run.id)


async def test_a_claimed_visitor_is_told_to_authenticate_anew(store: Store, talks: Talks):
    talk = await talks(VISITOR)
    await asks(talk, waits("a"))
    await store.hand_overs.hand_over("demo", VISITOR, ANA)
    with pytest.raises(Unauthorized):
        await store.sessions.get(talk.session.id, VISITOR)
    with pytest.raises(Unauthorized):
        await talk.say("ainda eu")
    with pytest.raises(Unauthorized):
        await store.interrupts.resume(
            session_id=talk.session.id,
            principal=VISITOR,
            client_id="a1",
            given=[GivenAnswer("cancelled", None, interrupt_id="a")],
            language="pt",
        )
    with pytest.raises(NotFound):
        await store.sessions.get(talk.session.id, EVA)


async def test_one_of_two_racing_users_gets_all_conversations(store: Store, talks: Talks):
    all_of_it = {(await talks(VISITOR)).session.id for _ in range(5)}
    both = await asyncio.gather(
        *(store.hand_overs.hand_over("demo", VISITOR, each) for each in (ANA, EVA) * 3)
    )
    assert [set(each) for each in both if each] == [all_of_it]
    assert len({await store.sessions.owner_of(each) for each in all_of_it}) == 1


async def test_conversations_of_a_user_are_never_handed_over(store: Store, talks: Talks):
    talk = await talks(ANA)
    with pytest.raises(ValueError, match="visitor"):
        await store.hand_overs.hand_over("demo", ANA, EVA)
    assert await store.sessions.owner_of(talk.session.id) == ANA


async def test_a_name_that_the_user_has_given_already_stays_with_its_conversation(store: Store, talks: Talks):
    own, visitors = await talks(ANA, alias="order 17"), await talks(VISITOR, alias="order 17")
    other = await talks(VISITOR, alias="order 18")
    elsewhere = await talks(ANA, app="other", alias="order 18")
    of_chat = await talks(ANA, service="chat", alias="order 18")
    of_eva = await talks(EVA, alias="order 18")
    await store.hand_overs.hand_over("demo", VISITOR, ANA)
    for app, user, service, talk in (
        ("other", ANA, "submission", elsewhere),
        ("demo", ANA, "chat", of_chat),
        ("demo", EVA, "submission", of_eva),
    ):
        assert (await store.sessions.by_alias(app, user, service, "order 18")).id == talk.session.id
    assert (await store.sessions.by_alias("demo", ANA, "submission", "order 17")).id == own.session.id
    assert (await store.sessions.by_alias("demo", ANA, "submission", "order 18")).id == other.session.id
    assert (await store.sessions.get(visitors.session.id, ANA)).principal == ANA


async def test_a_hand_over_moves_files_and_items_too(store: Store, talks: Talks):
    core = await EmbeddedCore.open(store.database, store.webhooks)
    store.hand_overs.follow(core.hand_over)
    talk, kept = await talks(VISITOR), await talks(VISITOR, app="other")
    blob = await store.blobs.put(
        principal=VISITOR, session_id=talk.session.id, media_type="text/plain", data=b"a"
    )
    item = await core.create_item(
        principal=VISITOR, session_id=talk.session.id, **an_order(), business_key="one"
    )
    other = await core.create_item(
        principal=VISITOR, session_id=kept.session.id, **an_order(), business_key="two"
    )
    file = {"media_type": "text/plain", "data": b"b"}
    loose = await store.blobs.put(principal=VISITOR, **file)
    elsewhere = await store.blobs.put(principal=VISITOR, session_id=kept.session.id, **file)
    of_eva = await store.blobs.put(principal=EVA, **file)
    await store.hand_overs.hand_over("demo", VISITOR, ANA)
    assert (await store.blobs.get(blob.id, ANA)).data == b"a"
    for each, owner in ((loose, ANA), (elsewhere, VISITOR), (of_eva, EVA)):
        assert (await store.blobs.get(each.id, owner)).data == b"b"
    assert [each.id for each in await core.items(ANA)] == [item.id]
    assert [each.id for each in await core.items(VISITOR)] == [other.id]
    # A run that began before still says that it is the visitor's.
    late = await core.create_item(
        principal=VISITOR, session_id=talk.session.id, **an_order(), business_key="three"
    )
    assert {each.id for each in await core.items(ANA)} == {item.id, late.id}


async def test_many_conversations_are_handed_over_at_once(store: Store, talks: Talks):
    ids = {(await talks(VISITOR)).session.id for _ in range(205)}
    named: list[int] = []

    def executed(_connection: Any, _cursor: Any, _text: Any, parameters: Any, _context: Any, _many: bool):
        named.append(len(parameters))

    event.listen(Engine, "before_cursor_execute", executed)
    try:
        assert set(await store.hand_overs.hand_over("demo", VISITOR, ANA)) == ids
    finally:
        event.remove(Engine, "before_cursor_execute", executed)
    assert 200 <= max(named) < 205, "a database bounds what one statement names"
    with pytest.raises(Unauthorized):
        await store.sessions.get(min(ids), VISITOR)


async def test_identities_end_by_their_own_name_or_with_all_of_the_user(store: Store):
    now = await store.revocations.now() // 1000 + 10
    old, new = Identity("jti_a", now - 60, now + 600), Identity("jti_b", now + 60, now + 600)
    revocations = store.revocations
    assert not await revocations.ends(ANA, old)
    await revocations.revoke_all_of(ANA)
    assert await revocations.ends(ANA, old)
    assert not await revocations.ends(ANA, new)
    assert not await revocations.ends(EVA, old)
    with pytest.raises(Unauthorized):
        await revocations.require(ANA, old.id, old.issued_at)
    await revocations.require(ANA, new.id, new.issued_at)
    await revocations.revoke(new.id)
    assert await revocations.ends(ANA, new)
    assert identities_of(ANA) in (await revocations.since(0))[0]
