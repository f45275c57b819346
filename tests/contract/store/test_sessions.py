"""The sessions over both databases: to whom each belongs, and how it is found again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, select, update

from server.errors import NotFound
from server.store import Store, UnstoredSession, tables
from tests.contract.store.conftest import Talk, Talks
from tests.parts.wait import PATIENCE_S


async def test_a_session_is_read_as_it_was_made(talks: Talks) -> None:
    talk = await talks(context={"loopos_core_context": "Loja de Lisboa"})
    session = await talk.store.sessions.get(talk.session.id, "ana")
    assert session == talk.session == await talk.store.sessions.load(talk.session.id)
    assert (session.app, session.service, session.language) == ("demo", "submission", "pt")
    assert (session.state, session.context) == ({}, {"loopos_core_context": "Loja de Lisboa"})
    assert (session.fence, session.last_seq, session.last_run, session.title, session.agent) == (
        0,
        0,
        None,
        None,
        None,
    )
    assert session.created_at == session.updated_at > 1_700_000_000_000


async def test_another_principals_session_is_not_found(talk: Talk) -> None:
    sessions = talk.store.sessions
    with pytest.raises(NotFound) as theirs:
        await sessions.get(talk.session.id, "eva")
    with pytest.raises(NotFound) as none:
        await sessions.get("ses_none", "eva")
    assert str(theirs.value) == str(none.value)
    with pytest.raises(NotFound):
        await sessions.load("ses_none")


async def test_an_alias_leads_to_one_session_however_many_begin_at_once(talks: Talks) -> None:
    begun = await asyncio.gather(*(talks(alias="cart-7") for _ in range(50)))
    (id,) = {talk.session.id for talk in begun}
    store = begun[0].store
    assert id.startswith("ses_")
    assert [row.id for row in await store.database.fetch(select(tables.sessions.c.id))] == [id]
    assert (await store.sessions.by_alias("demo", "ana", "submission", "cart-7")).id == id


async def test_new_context_of_a_caller_replaces_the_fields_that_it_names(talks: Talks) -> None:
    shop = {"loopos_core_context": "Loja de Lisboa", "session_extra_data": {}}
    first = await talks(alias="cart-7", context=shop, said={"session_extra_data": {"core_id": "1"}})
    assert first.session.context == {**shop, "session_extra_data": {"core_id": "1"}}
    await talks(alias="cart-7", context={"loopos_core_context": ""}, said={})
    again = await talks(alias="cart-7", said={"loopos_core_context": "Loja do Porto"})
    stored = await first.store.sessions.load(first.session.id)
    assert (again.session.id, again.session.context) == (stored.id, stored.context)
    assert stored.context == {
        "loopos_core_context": "Loja do Porto",
        "session_extra_data": {"core_id": "1"},
    }


async def test_an_alias_means_something_only_to_its_app_principal_and_service(talks: Talks) -> None:
    ana = await talks(alias="cart-7")
    others = [await talks("eva", alias="cart-7"), await talks(alias="cart-7", service="chat")]
    others.append(await talks(alias="cart-7", app="shop"))
    assert len({ana.session.id, *(other.session.id for other in others)}) == 4
    with pytest.raises(NotFound):
        await ana.store.sessions.by_alias("demo", "rui", "submission", "cart-7")


async def test_the_list_has_the_newest_first_and_only_where_something_was_said(talks: Talks) -> None:
    quiet, old, new, theirs = await talks(), await talks(), await talks(), await talks("eva")
    for talk in (old, new, theirs):
        await talk.turn("olá", title=f"of {talk.session.id}", status_line="done")
        await _later(talk)
    listed = await old.store.sessions.list_summaries("demo", "ana", 10)

    assert [summary.id for summary in listed] == [new.session.id, old.session.id]
    assert (listed[0].title, listed[0].service, listed[0].status_line, listed[0].item) == (
        f"of {new.session.id}",
        "submission",
        "done",
        None,
    )
    assert quiet.session.id not in {summary.id for summary in listed}
    assert await old.store.sessions.list_summaries("shop", "ana", 10) == []


async def test_the_list_is_searched_by_words_of_titles_and_messages(talks: Talks) -> None:
    bike, phone, theirs = await talks(), await talks(), await talks("eva")
    await bike.turn(
        "tenho uma bicicleta", "A **Elops 520**, então. 50% do preço_base", title="Minha bicicleta"
    )
    await phone.turn("um iPhone 12", title="Telemóvel")
    await theirs.turn("tenho uma bicicleta", title="Minha bicicleta")

    async def found(words: str) -> list[str]:
        rows = await bike.store.sessions.list_summaries("demo", "ana", 10, words=words)
        return [each.id for each in rows]

    assert await found("elops BICICLETA") == [bike.session.id]
    assert await found("iphone") == [phone.session.id]
    assert await found("bicicleta iphone") == [] and await found("guitarra") == []
    # What is special to LIKE is text.
    assert (
        await found("50%") == [bike.session.id]
        and await found("0%p") == []
        and await found("o_b") == [bike.session.id]
    )
    assert await found("a_e") == [] and await found("\\") == [] and await found("' or 1=1 --") == []
    assert len(await found("")) == 2 and await found("x " * 5_000) == []
    # Eight words are looked for, in the first 200 characters.
    assert await found("tenho " * 8 + "guitarra") == [bike.session.id]
    assert await found("tenho " * 7 + "guitarra") == []
    assert await found("elops".ljust(199) + "z") == []
    assert await found("elops".ljust(200) + "z") == [bike.session.id]


async def test_a_search_finds_nothing_of_what_a_model_thought(talks: Talks) -> None:
    talk = await talks()
    await talk.say("olá")
    claim = await talk.claim()
    told = [("msg_t", "reasoning", "Talvez uma guitarra."), ("msg_a", "assistant", "Sim, um piano.")]
    thought = [{"id": id, "role": role, "content": text} for id, role, text in told]
    user = {"id": claim.run.message_id, "role": "user", "content": "olá"}
    await talk.finish(claim, messages=[user, *thought])
    found = [
        await talk.store.sessions.list_summaries("demo", "ana", 10, words=each)
        for each in ("guitarra", "piano")
    ]
    assert [len(each) for each in found] == [0, 1]
    assert [each["role"] for each in await talk.store.messages.of_run(claim.run.id)] == [
        "user", "reasoning", "assistant",
    ]  # fmt: skip


async def test_the_list_goes_on_after_the_last_one_shown(talks: Talks) -> None:
    said = [await talks() for _ in range(5)]
    for talk in said:
        await talk.say("olá")
    sessions, seen, before = said[0].store.sessions, [], None
    while page := await sessions.list_summaries("demo", "ana", 2, before):
        seen += [summary.id for summary in page]
        before = page[-1].id
    assert sorted(seen) == sorted(talk.session.id for talk in said)
    with pytest.raises(NotFound):
        await sessions.list_summaries("demo", "eva", 2, said[0].session.id)


async def test_conversations_with_equal_times_are_paged_without_a_gap(talks: Talks) -> None:
    said = [await talks() for _ in range(5)]
    for talk in said:
        await talk.say("olá")
    store = said[0].store
    async with store.database.write() as connection:
        await connection.execute(update(tables.sessions).values(updated_at=1_700_000_000_000))
    seen: list[str] = []
    while page := await store.sessions.list_summaries("demo", "ana", 2, seen[-1] if seen else None):
        seen += [summary.id for summary in page]
    assert seen == sorted((talk.session.id for talk in said), reverse=True)


async def test_the_list_shows_the_status_of_each_session(talk: Talk) -> None:
    async def line() -> str:
        (summary,) = await talk.store.sessions.list_summaries("demo", "ana", 10)
        return summary.status_line

    await talk.say("olá")
    assert await line() == "running"
    claim = await talk.claim()
    assert await line() == "running"
    await talk.finish(claim, status_line="waiting")
    assert await line() == "waiting"


async def test_the_list_shows_the_reference_and_the_price_that_the_service_keeps_in_the_state(
    talk: Talk,
) -> None:
    async def item() -> dict[str, Any] | None:
        (summary,) = await talk.store.sessions.list_summaries("demo", "ana", 10)
        return summary.item

    await talk.turn("olá", state={"product": "iPhone 12"})
    assert await item() is None
    await talk.turn("sim", state={"reference": "AA-1", "options": {"reference": "AA-2"}})
    assert await item() == {"reference": "AA-1", "price": None}
    await talk.turn("280 euros", state={"reference": "AA-1", "price": "280 €"})
    assert await item() == {"reference": "AA-1", "price": "280 €"}
    await talk.turn("outro", state={"reference": "AA-3", "price": 89})
    assert await item() == {"reference": "AA-3", "price": "89"}


async def test_title_and_language_change(talk: Talk) -> None:
    sessions = talk.store.sessions
    await sessions.title(talk.session.id, "O meu iPhone")
    await sessions.set_language(talk.session.id, "en")
    session = await sessions.load(talk.session.id)
    assert (session.title, session.language) == ("O meu iPhone", "en")
    with pytest.raises(NotFound):
        await sessions.title("ses_none", "x")


async def test_a_caller_names_its_session_once_and_no_two_alike(talks: Talks) -> None:
    first, second, other = await talks(), await talks(), await talks(service="chat")
    sessions = first.store.sessions
    assert await sessions.set_caller_name(first.session, "cart-7")
    assert await sessions.set_caller_name(first.session, "cart-7"), "it has this name"
    assert not await sessions.set_caller_name(first.session, "cart-8"), "it has another"
    assert not await sessions.set_caller_name(second.session, "cart-7"), "another has it"
    assert await sessions.set_caller_name(second.session, "cart-8")
    assert await sessions.set_caller_name(other.session, "cart-7")
    for talk, service, name in (
        (first, "submission", "cart-7"),
        (second, "submission", "cart-8"),
        (other, "chat", "cart-7"),
    ):
        assert (await sessions.by_alias("demo", "ana", service, name)).id == talk.session.id
    racing = [(await talks()).session for _ in range(9)]
    begun = await asyncio.gather(*(sessions.set_caller_name(each, "one") for each in racing))
    assert begun.count(True) == 1


async def test_one_of_several_racing_names_becomes_the_name_of_the_session(talk: Talk) -> None:
    names = ["one", "two", "three"] * 5
    named = await asyncio.gather(*(talk.store.sessions.set_caller_name(talk.session, each) for each in names))
    (kept,) = {name for name, given in zip(names, named, strict=True) if given}
    assert named == [name == kept for name in names]
    assert (await talk.store.sessions.by_alias("demo", "ana", "submission", kept)).id == talk.session.id


async def test_a_caller_says_the_name_of_its_session_again_while_another_writes(tmp_path: Path) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    talk = await Talks(store)()
    assert await store.sessions.set_caller_name(talk.session, "cart-7")
    async with store.database.write() as writing:
        await writing.execute(update(tables.sessions).values(title="A"))
        async with asyncio.timeout(PATIENCE_S / 12):
            assert await store.sessions.set_caller_name(talk.session, "cart-7")
    await store.aclose()


async def test_a_caller_that_says_nothing_new_of_its_session_writes_nothing(talks: Talks) -> None:
    news = {"said": {"core": 1}, "callback_url": "https://shop.example/hook"}
    first = await talks(alias="cart-7", **news)
    written: list[str] = []

    def executed(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        written.extend([text] if text.startswith("UPDATE sessions") else [])

    event.listen(Engine, "before_cursor_execute", executed)
    try:
        for again in (await talks(alias="cart-7", **news), await talks(alias="cart-7")):
            assert again.session == first.session
        assert written == []
        changed = await talks(alias="cart-7", said={"core": 2})
        assert len(written) == 1
    finally:
        event.remove(Engine, "before_cursor_execute", executed)
    assert (changed.session.context, changed.session.callback_url) == ({"core": 2}, news["callback_url"])


async def test_the_list_is_of_one_service_where_one_is_named(talks: Talks) -> None:
    chat, submission = await talks(service="chat"), await talks()
    for talk in (chat, submission):
        await talk.say("olá")
    listed = await chat.store.sessions.list_summaries("demo", "ana", 10, service="chat")
    assert [each.id for each in listed] == [chat.session.id]
    assert listed[0].service == "chat"
    assert len(await chat.store.sessions.list_summaries("demo", "ana", 10)) == 2


async def test_the_seq_that_a_log_reaches_counts_the_end_once_it_is_published(talks: Talks) -> None:
    fresh, ended, unpublished = [await talks() for _ in range(3)]
    await ended.turn("olá", last_seq=20)
    await unpublished.say("olá")
    await unpublished.finish(await unpublished.claim(), last_seq=30, published=False)
    ids = [each.session.id for each in (fresh, ended, unpublished)]
    assert await fresh.store.sessions.reached_seqs([*ids, "ses_none"]) == dict(
        zip(ids, (0, 21, 30), strict=True)
    )
    await ended.turn("outra", last_seq=40)
    assert await fresh.store.sessions.reached_seqs([ids[1]]) == {ids[1]: 41}


async def test_a_conversation_may_be_stored_with_its_first_message(talk: Talk) -> None:
    store = talk.store
    about: Any = {"app": "demo", "principal": "rui", "service": "chat", "language": "en"}
    new = UnstoredSession(id="ses_new", context={"core": 1}, **about)
    first = {"client_id": "m1", "content": [{"type": "text", "text": "olá"}], "language": "en"}
    with pytest.raises(NotFound):
        await store.runs.submit(session_id="ses_new", principal="rui", **first)
    submitted = await store.runs.submit(session_id="ses_new", principal="rui", unstored_session=new, **first)
    session = await store.sessions.get("ses_new", "rui")
    assert (session.app, session.service, session.language) == ("demo", "chat", "en")
    assert (session.state, session.context, session.title) == ({}, {"core": 1}, "olá")
    assert session.updated_at >= session.created_at > 1_700_000_000_000
    assert (await store.runs.get(submitted.run_id)).session_id == "ses_new"


async def test_the_owner_of_a_conversation_is_read_until_it_is_deleted(talk: Talk) -> None:
    sessions = talk.store.sessions
    assert await sessions.owner_of(talk.session.id) == "ana"
    with pytest.raises(NotFound):
        await sessions.delete(talk.session.id, "eva")
    assert await sessions.owner_of(talk.session.id) == "ana"
    await sessions.delete(talk.session.id, "ana")
    assert await sessions.owner_of(talk.session.id) is None
    assert await talk.store.revocations.holds(talk.session.id)
    with pytest.raises(NotFound):
        await sessions.delete(talk.session.id, "ana")


async def _later(talk: Talk) -> None:
    """Wait until the database's clock has gone on, so that the order of times is the order of doing."""
    now = (await talk.store.sessions.load(talk.session.id)).updated_at
    while (
        await talk.store.sessions.create(app="x", principal="x", service="x", language="x")
    ).created_at <= now:
        pass
