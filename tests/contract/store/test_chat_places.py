"""The places of conversations without a caller's name, over both databases: each message moves one of those there."""

from __future__ import annotations

import asyncio

from server.store import OperatorChange, Session, Store
from server.store.conversations.chat_places import MOST_STANDING
from server.store.tables import sessions
from tests.contract.store.conftest import Talk
from tests.contract.store.test_operators import JOIN, SAY, does

OWN = ("demo", "clr_owner", "submission")
PLACE, NEXT = "a" * 40, "b" * 40


async def begun(store: Store, name: str) -> Session:
    """Begin a conversation that stands at the place."""
    session = await store.sessions.create(
        app="demo", principal=f"clr_{name}", service="submission", language="pt", alias=name
    )
    await store.chat_places.put(*OWN, PLACE, session.id)
    return session


async def names_at(store: Store, *places: str) -> list[str]:
    """Return the names of those that stand there."""
    return [each.name for each in await store.chat_places.standing(*OWN, list(places))]


async def test_each_message_moves_one_of_those_that_stand_together(store: Store) -> None:
    for name in ("first", "second"):
        await begun(store, name)
    found = await store.chat_places.standing(*OWN, [PLACE, NEXT])
    assert {(each.place, each.name, each.last_run, each.has_pictures, each.went_on) for each in found} == {
        (PLACE, "first", None, False, False),
        (PLACE, "second", None, False, False),
    }
    moved = await asyncio.gather(*(store.chat_places.move(*OWN, found[0], NEXT) for _ in range(5)))
    assert sorted(moved) == [False] * 4 + [True]
    assert await names_at(store, PLACE) == [found[1].name]
    assert await names_at(store, NEXT) == [found[0].name]


async def test_a_place_is_of_one_owner_and_no_name_of_a_caller(store: Store) -> None:
    session = await begun(store, "mine")
    assert await store.chat_places.standing("demo", "clr_other", "submission", [PLACE]) == []
    assert await names_at(store) == []
    assert await store.caller_names.name_of(session) == "mine"
    assert await store.sessions.set_caller_name(session, "mine")
    assert not await store.sessions.set_caller_name(session, session.id)


async def test_a_conversation_stands_at_one_place_and_leaves_it_when_it_is_deleted(store: Store) -> None:
    session = await begun(store, "mine")
    await store.chat_places.put(*OWN, NEXT, session.id)
    assert (await names_at(store, PLACE), await names_at(store, NEXT)) == ([], ["mine"])
    await store.sessions.delete(session.id, session.principal)
    assert await names_at(store, NEXT) == []


async def test_a_conversation_of_many_names_stands_once_and_hides_no_other(store: Store) -> None:
    """A caller with a key of the app gives it a name more with each Idempotency-Key."""
    other, session = await begun(store, "other"), await begun(store, "mine")
    for number in range(MOST_STANDING + 1):
        await store.caller_names.add(session.app, session.principal, f"key-{number}", session)
    found = await store.chat_places.standing(*OWN, [PLACE])
    assert sorted(each.session_id for each in found) == sorted((other.id, session.id))
    assert {each.name for each in found} == {"other", "key-0"}


async def test_the_newest_of_many_that_stand_together_are_found(store: Store) -> None:
    """People leave a chat after its first message: such conversations stay at its place."""
    for number in range(MOST_STANDING):
        await begun(store, f"left-{number}")
    session = await begun(store, "new")
    async with store.database.write() as connection:
        await connection.execute(
            sessions.update().where(sessions.c.id == session.id).values(created_at=2**50)
        )
    found = await store.chat_places.standing(*OWN, [PLACE])
    assert (len(found), found[0].name) == (MOST_STANDING, "new")


async def test_the_newest_run_of_a_conversation_at_a_place_is_none_of_an_operator(talk: Talk) -> None:
    session, store = talk.session, talk.store
    assert await store.sessions.set_caller_name(session, "mine")
    owner = (session.app, session.principal, session.service)
    await store.chat_places.put(*owner, PLACE, session.id)
    said = await talk.say("olá", "m1")
    for change in (JOIN, SAY, OperatorChange("whisper", "key_a", "Ana")):
        await does(talk, change, f"to {change.kind}")
    (found,) = await store.chat_places.standing(*owner, [PLACE])
    assert found.last_run == said.run_id
