"""The inbox over both databases: who waits for a person comes first, and what an account has read stays read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
from sqlalchemy import select, update

from server.store import InboxLine, OperatorAccount, OperatorChange, Store
from server.store.tables import operator_reads, sessions
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_operators import does
from tests.parts.wait import until_async


async def account(store: Store, name: str = "Ana") -> OperatorAccount:
    """Return an operator of the app."""
    made = await store.operator_accounts.add(name, {"demo": "agent"}, "hash")
    assert made is not None
    return made


async def lines(store: Store, reader: OperatorAccount, words: str | None = None) -> list[InboxLine]:
    """Return what the list shows."""
    return await store.inbox.list_lines(reader.id, reader.roles, 10, without=[], words=words)


async def call(talk: Talk) -> None:
    """Let the visitor wait for a person."""
    calling = update(sessions).where(sessions.c.id == talk.session.id).values(person_called_at=5)
    await talk.store.database.execute(calling, {})


async def test_a_visitor_who_called_a_person_is_listed_first_until_an_operator_joins_or_writes(
    talks: Talks,
) -> None:
    first, second, third = [await talks(f"vis_{n}") for n in range(3)]
    for each in (first, second, third):
        await each.turn("olá")
    await (await talks("vis_9", app="other")).turn("olá")
    ana = await account(first.store)
    shown = [third, second, first]
    assert [each.id for each in await lines(first.store, ana)] == [each.session.id for each in shown]
    await call(first)
    assert (await lines(first.store, ana))[0].id == first.session.id
    await does(first, OperatorChange("join", ana.id, "Ana"), "j1")
    (line,) = [each for each in await lines(first.store, ana) if each.id == first.session.id]
    assert (line.person_called_at, line.operator and line.operator["name"]) == (None, "Ana")
    await call(second)
    await does(second, OperatorChange("say", ana.id, "Ana"), "s1")
    assert all(each.person_called_at is None for each in await lines(first.store, ana))


async def test_the_inbox_shows_the_last_message_and_finds_its_words(talk: Talk) -> None:
    await talk.turn("Tenho um  Trabant\n azul", "É raro.")
    ana = await account(talk.store)
    assert [each.last for each in await lines(talk.store, ana, "trabant raro")] == ["É raro."]
    assert await lines(talk.store, ana, "trabant verde") == []


async def test_each_account_has_its_own_unread_marks(talk: Talk) -> None:
    ana, rui = await account(talk.store), await account(talk.store, "Rui")
    await talk.turn("olá")
    await talk.store.inbox.mark_read(ana.id, talk.session.id)
    assert [each.unread for each in await lines(talk.store, ana)] == [False]
    assert [each.unread for each in await lines(talk.store, rui)] == [True]
    await talk.turn("ainda aí?")
    assert [each.unread for each in await lines(talk.store, ana)] == [True]
    await talk.store.inbox.mark_read(ana.id, talk.session.id)
    assert [each.unread for each in await lines(talk.store, ana)] == [False]


async def marks(store: Store) -> int:
    """Count what is stored of who has read what."""
    return len(await store.database.fetch(select(operator_reads.c.seq)))


async def test_a_conversation_that_is_gone_leaves_no_mark(talk: Talk) -> None:
    ana = await account(talk.store)
    await talk.turn("olá")
    await talk.store.inbox.mark_read(ana.id, talk.session.id)
    assert await marks(talk.store) == 1
    await talk.store.sessions.delete(talk.session.id, talk.session.principal)
    await talk.store.inbox.mark_read(ana.id, talk.session.id)
    assert await marks(talk.store) == 0


async def test_a_mark_waits_for_a_deletion_that_is_under_way(postgres_url: str, tmp_path: Path) -> None:
    store = await Store.open(postgres_url, data_dir=tmp_path)
    other = await asyncpg.connect(postgres_url)
    try:
        talk, ana = await Talks(store)(), await account(store)
        async with other.transaction():
            await other.execute("DELETE FROM sessions WHERE id = $1", talk.session.id)
            reading = asyncio.ensure_future(store.inbox.mark_read(ana.id, talk.session.id))
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            await until_async(lambda: other.fetchval(waiting), what="a mark that waits")
        await reading
        assert await marks(store) == 0
    finally:
        await other.close()
        await store.aclose()


async def test_a_change_of_an_app_is_noticed(talk: Talk) -> None:
    await talk.say("olá")
    found = await talk.store.inbox.newest_changes(["demo", "none"])
    assert list(found) == ["demo"]
    assert found["demo"] > 0


async def test_the_inbox_lists_the_longest_waiting_first_up_to_its_limit(talks: Talks) -> None:
    sessions_ = [await talks(f"vis_{n}") for n in range(3)]
    chat = await talks("vis_9", service="chat")
    for each in (*sessions_, chat):
        await each.turn("olá")
    store, (first, second, third) = chat.store, sessions_
    for talk, at in ((first, 9), (third, 7)):
        calling = update(sessions).where(sessions.c.id == talk.session.id).values(person_called_at=at)
        await store.database.execute(calling, {})
    ana = await account(store)
    order = [each.session.id for each in (third, first, chat, second)]
    listed = await lines(store, ana)
    assert [each.id for each in listed] == order
    assert [each.person_called_at for each in listed] == [7, 9, None, None]
    assert (listed[2].service, listed[2].app, listed[2].title) == ("chat", "demo", "olá")
    some = await store.inbox.list_lines(ana.id, ana.roles, 2, without=["chat"], words=None)
    assert [each.id for each in some] == order[:2]
    without = await store.inbox.list_lines(ana.id, ana.roles, 9, without=["chat"], words=None)
    assert [each.id for each in without] == [order[0], order[1], order[3]]


async def test_a_line_says_what_goes_on_and_the_beginning_of_what_was_last_said(talk: Talk) -> None:
    ana = await account(talk.store)

    async def line() -> InboxLine:
        (only,) = await lines(talk.store, ana)
        return only

    await talk.say("olá")
    assert (await line()).status == "running"
    claim = await talk.claim()
    messages = [
        {"id": "m1", "role": "user", "content": "olá"},
        {"id": "m2", "role": "assistant", "content": "**Um**  dois " + "x" * 1000},
        {"id": "m3", "role": "assistant", "content": ""},
        {"id": "m4", "role": "tool", "content": "{}"},
    ]
    await talk.finish(claim, messages=messages)
    shown = await line()
    assert shown.status == "idle"
    assert shown.last == ("Um dois " + "x" * 1000)[:200]
