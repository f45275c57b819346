"""A visitor who wants a person waits for one over both databases, where the app has one who can come."""

from __future__ import annotations

from typing import Literal

import pytest
from sqlalchemy import select, update

from server.store import OperatorChange
from server.store.tables import app_keys, sessions
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_operators import does


async def called_at(talk: Talk) -> int | None:
    """Since when the conversation waits."""
    query = select(sessions.c.person_called_at).where(sessions.c.id == talk.session.id)
    return (await talk.store.database.fetch(query))[0].person_called_at


async def test_no_person_is_called_when_the_app_has_no_operator_who_can_come(talk: Talk) -> None:
    store, id = talk.store, talk.session.id
    assert not await store.sessions.call_person(id)
    await store.operator_accounts.add("Zoe", {"other": "admin"}, "hash")
    await store.operator_accounts.add("Ana", {"demo": "agent"}, "hash")
    await store.operator_accounts.disable("Ana")
    await store.app_keys.add("key_r", "demo", ["rest"], "digest")
    await store.app_keys.add("key_o", "demo", ["operator"], "digest")
    await store.app_keys.revoke("key_o")
    assert not await store.sessions.call_person(id)
    assert await called_at(talk) is None
    assert not await store.sessions.call_person("ses_none")


async def test_an_account_or_a_key_of_the_app_can_be_called(talk: Talk) -> None:
    store, id = talk.store, talk.session.id
    await store.app_keys.add("key_o", "demo", ["operator"], "digest")
    assert await store.sessions.call_person(id)
    since = await called_at(talk)
    assert since
    await store.app_keys.revoke("key_o", after_ms=1_000_000_000)
    assert await store.sessions.call_person(id), "the key still opens"
    await store.app_keys.add("key_x", "other", ["operator"], "digest")
    await store.database.execute(update(app_keys).where(app_keys.c.id == "key_o").values(ends_at=1), {})
    assert not await store.sessions.call_person(id)
    await store.operator_accounts.add("Ana", {"demo": "agent"}, "hash")
    assert await store.sessions.call_person(id)
    assert await called_at(talk) == since, "it waits since its first call"


async def test_a_call_of_a_person_changes_its_own_conversation_alone(talks: Talks) -> None:
    talk, other = await talks(), await talks()
    store = talk.store
    await store.operator_accounts.add("Ana", {"demo": "agent"}, "hash")
    await store.database.execute(update(sessions).values(updated_at=5), {})
    assert await store.sessions.call_person(talk.session.id)
    assert await called_at(other) is None
    changed = [(await store.sessions.load(each.session.id)).updated_at for each in (talk, other)]
    assert (changed[0], changed[1]) == (await called_at(talk), 5)


async def test_an_operator_who_has_joined_is_not_called(talk: Talk) -> None:
    await talk.store.operator_accounts.add("Ana", {"demo": "agent"}, "hash")
    await does(talk, OperatorChange("join", "opr_a", "Ana"), "j1")
    assert await talk.store.sessions.call_person(talk.session.id)
    assert await called_at(talk) is None


@pytest.mark.parametrize(("kind", "attends"), [("say", True), ("join", True), ("whisper", False)])
async def test_a_visitor_waits_until_an_operator_turns_to_it(
    talks: Talks, kind: Literal["say", "join", "whisper"], attends: bool
) -> None:
    talk, other = await talks(), await talks()
    await talk.store.operator_accounts.add("Ana", {"demo": "agent"}, "hash")
    for each in (talk, other):
        assert await each.store.sessions.call_person(each.session.id)
    await does(talk, OperatorChange(kind, "opr_a", "Ana"), "o1")
    assert (await called_at(talk) is None) is attends
    assert await called_at(other) is not None
