"""Operators over both databases: the list of an app's conversations, the record of actions, and the silenced agents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import select, update

from server.errors import Answered, Busy, IdReused, NotFound, OverBudget
from server.protocol.operators import change_part, said_part, whisper_part
from server.store import Budget, Claimant, OperatorChange, Store, Submitted
from server.store.engine.clock import now_ms
from server.store.tables import operator_actions
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_interrupts import answer, asks, ends, waits, yes
from tests.parts.wait import PATIENCE_S

JOIN, LEAVE = OperatorChange("join", "key_a", "Ana"), OperatorChange("leave", "key_a", "Ana")
SAY = OperatorChange("say", "key_a", "Ana")


async def does(talk: Talk, change: OperatorChange, id: str, **more: object) -> Submitted:
    """Let an operator do something in a session."""
    content = {
        "join": change_part("joined", change.name),
        "leave": change_part("left", change.name),
        "say": said_part("bom dia", change.name),
        "whisper": whisper_part("sê breve", change.name),
    }[change.kind]
    return await talk.store.runs.submit(
        session_id=talk.session.id,
        principal=talk.session.principal,
        client_id=id,
        content=[content],
        language="pt",
        operator=change,
        **more,  # type: ignore[arg-type]
    )


async def kinds(talk: Talk) -> list[tuple[str, str, bool]]:
    """Return the runs that wait or work: what was said, their kind, and whether they are to stop."""
    found = []
    for each in await talk.store.runs.queue(talk.session.id):
        run = await talk.store.runs.get(each.run_id)
        found.append((each.text, run.kind, run.cancel))
    return found


async def actions(talk: Talk) -> list[str]:
    """Return what is recorded of a session, the oldest first."""
    found = await talk.store.operator_actions.list_newest(100, session_id=talk.session.id)
    return [each.action for each in found][::-1]


async def test_a_session_is_found_in_its_own_app_alone(talk: Talk) -> None:
    assert (await talk.store.app_sessions.find(talk.session.id, "demo")).id == talk.session.id
    for id, app in ((talk.session.id, "other"), ("ses_none", "demo")):
        with pytest.raises(NotFound):
            await talk.store.app_sessions.find(id, app)


async def test_a_session_of_a_visitor_who_left_is_not_found_for_operators(talk: Talk) -> None:
    await talk.say("olá")
    await talk.store.revocations.revoke(talk.session.principal)
    with pytest.raises(NotFound):
        await talk.store.app_sessions.find(talk.session.id, "demo")
    assert await talk.store.app_sessions.list_newest("demo", 10) == []


async def test_the_list_has_an_apps_conversations_newest_first_by_pages(talks: Talks) -> None:
    said = [await talks(f"vis_{n}") for n in range(5)]
    await talks("silent")
    await (await talks("ana", app="other")).say("olá")
    for each in said:
        await each.say("olá")
    store = said[0].store
    seen: list[str] = []
    cursor = None
    while page := await store.app_sessions.list_newest("demo", 2, before=cursor):
        seen += [each.id for each in page]
        cursor = page[-1].cursor
    assert seen == [each.session.id for each in reversed(said)] or sorted(seen) == sorted(
        each.session.id
        for each in said  # Sessions of the same millisecond are in the order of their ids.
    )
    assert len(set(seen)) == len(seen)
    with pytest.raises(NotFound):
        await store.app_sessions.list_newest("demo", 2, before="ses_1")


async def test_the_list_is_searched_by_the_words_of_titles(talks: Talks) -> None:
    bike, phone = await talks("a"), await talks("b")
    await bike.say("Bicicleta 100% nova")
    await phone.say("iPhone preto")

    async def found(words: str) -> list[str]:
        return [each.id for each in await bike.store.app_sessions.list_newest("demo", 10, words=words)]

    assert await found("nova BICICLETA") == [bike.session.id]
    assert await found("100%") == [bike.session.id]
    assert await found("_") == []
    assert await found("iphone nova") == []
    assert await bike.store.app_sessions.list_newest("demo", 10, without=["submission"]) == []


async def test_the_list_says_what_runs_and_what_waits(talk: Talk) -> None:
    async def status() -> str:
        (line,) = await talk.store.app_sessions.list_newest("demo", 10)
        return line.status

    await asks(talk, waits("a"))
    assert await status() == "waits"
    await talk.say("olá")
    assert await status() == "running"
    await talk.finish(await talk.claim(), "bom dia")
    assert await status() == "idle"


async def test_an_operators_message_is_a_note_that_leaves_questions_open(talk: Talk) -> None:
    await asks(talk, waits("a"))
    said = await does(talk, SAY, "o1", claimant=Claimant("me", 10))
    assert said.claim is not None
    assert said.claim.run.kind == "note"
    assert said.claim.run.content == [{"type": "operator_text", "said": "bom dia", "name": "Ana"}]
    assert [each.id for each in await talk.store.interrupts.open_in(talk.session.id)] == ["int_a"]
    assert await actions(talk) == ["message"]
    assert (await does(talk, SAY, "o1")).dup
    assert await actions(talk) == ["message"]
    with pytest.raises(IdReused):
        await talk.say("bom dia", "o1")


async def test_messages_of_an_operator_wait_in_the_queue_and_have_its_bounds(talk: Talk) -> None:
    for text in "abc":
        await talk.say(text)
    assert (await does(talk, SAY, "o1")).queued == 3
    with pytest.raises(Busy):
        await does(talk, SAY, "o2")
    assert await actions(talk) == ["message"]
    assert [each.text for each in await talk.store.runs.queue(talk.session.id)] == ["a", "b", "c", ""]


async def test_an_operator_who_joins_silences_queued_runs_and_stops_the_running_one(talk: Talk) -> None:
    working = await talk.say("a", claimant=Claimant("me", 10))
    for text in "bcd":
        await talk.say(text)
    joined = await does(talk, JOIN, "j")
    assert joined.stopped == (working.run_id,)
    assert (await talk.store.runs.get(working.run_id)).cancel
    assert await kinds(talk) == [
        ("b", "note", False),
        ("c", "note", False),
        ("d", "note", False),
        ("", "note", False),
    ]
    session = await talk.store.sessions.load(talk.session.id)
    assert session.operator is not None
    assert (session.operator["key"], session.operator["name"]) == ("key_a", "Ana")
    (clock,) = await talk.store.database.fetch(select(now_ms().label("now")))
    assert 0 <= clock.now - session.operator["since"] < PATIENCE_S * 1000
    (line,) = await talk.store.app_sessions.list_newest("demo", 10)
    assert line.operator == {"name": "Ana", "since": session.operator["since"]}


async def test_one_of_ten_simultaneous_joins_under_one_name_is_recorded(talk: Talk) -> None:
    done = await asyncio.gather(*(does(talk, JOIN, f"j{n}") for n in range(10)))
    assert sorted(each.dup for each in done) == [False, *[True] * 9]
    assert await actions(talk) == ["join"]
    assert await does(talk, JOIN, "again") == Submitted("", "", dup=True, queued=0), "no run was made"
    assert not (await does(talk, OperatorChange("join", "key_a", "Rui"), "r")).dup


async def test_a_visitors_message_asks_no_model_until_the_operator_leaves(talk: Talk) -> None:
    spent = {"budget": Budget(session=0)}
    await does(talk, JOIN, "j")
    said = await talk.say("olá", "m1", **spent)
    assert (await talk.store.runs.get(said.run_id)).kind == "note"
    assert not (await does(talk, LEAVE, "l")).dup
    assert (await does(talk, LEAVE, "l2")).dup
    assert (await talk.say("olá", "m1", **spent)).dup, "sent again, it is the message that it was"
    with pytest.raises(OverBudget):
        await talk.say("outra", "m2", **spent)
    assert (await talk.store.runs.get((await talk.say("outra", "m3")).run_id)).kind == "agent"
    assert await actions(talk) == ["join", "leave"]
    assert (await talk.store.sessions.load(talk.session.id)).operator is None


async def test_an_operator_who_joins_closes_open_questions_and_no_answer_reaches_an_agent(talk: Talk) -> None:
    await asks(talk, waits("a"))
    await does(talk, JOIN, "j", claimant=Claimant("me", 10))
    assert await talk.store.interrupts.open_in(talk.session.id) == []
    with pytest.raises(Answered):
        await answer(talk, yes("a"))


async def test_a_question_that_is_asked_while_an_operator_joins_is_closed_at_once(talk: Talk) -> None:
    await talk.say("a")
    claim = await talk.claim()
    await does(talk, JOIN, "j")
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")])
    assert await talk.store.interrupts.open_in(talk.session.id) == []


async def test_the_record_outlives_a_session_and_is_kept_for_a_year(talk: Talk) -> None:
    store = talk.store
    await does(talk, SAY, "o1")
    await store.operator_actions.record(app="demo", key_id="key_b", session_id=None, action="list")
    await store.sessions.delete(talk.session.id, talk.session.principal)
    found = await store.operator_actions.list_newest(10, app="demo")
    assert {(each.key_id, each.session_id, each.action) for each in found} == {
        ("key_a", talk.session.id, "message"),
        ("key_b", None, "list"),
    }
    assert await store.operator_actions.list_newest(10, app="other") == []
    assert await store.operator_actions.sweep() == 0
    old = (365 * 24 * 3600 + 60) * 1000
    async with store.database.write() as connection:
        await connection.execute(
            update(operator_actions)
            .where(operator_actions.c.action == "list")
            .values(at=operator_actions.c.at - old)
        )
    assert await store.operator_actions.sweep() == 1
    assert [each.action for each in await store.operator_actions.list_newest(10)] == ["message"]


async def test_a_key_that_ends_at_once_ends_its_streams_and_one_that_is_rotated_does_not(
    store: Store,
) -> None:
    for id in ("key_a", "key_b"):
        await store.app_keys.add(id, "demo", ["operator"], "digest")
    await store.app_keys.revoke("key_a", after_ms=60_000)
    await store.app_keys.revoke("key_b")
    assert (await store.revocations.since(0))[0] == ["key_b"]


async def test_an_operator_who_joins_and_the_holder_of_a_run_never_deadlock(
    postgres_url: str, tmp_path: Path
) -> None:
    """A holder locks its run before the session; so does who joins, or PostgreSQL would take one of them back."""
    store = await Store.open(postgres_url, data_dir=tmp_path)
    holder, watcher = await asyncpg.connect(postgres_url), await asyncpg.connect(postgres_url)
    try:
        talk = await Talks(store)()
        await talk.say("a")
        async with holder.transaction():
            await holder.execute("UPDATE runs SET lease_until = 1 WHERE session_id = $1", talk.session.id)
            joining = asyncio.ensure_future(does(talk, JOIN, "j"))
            while not await watcher.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            ):
                assert not joining.done()
            await holder.execute("UPDATE sessions SET status = 'x' WHERE id = $1", talk.session.id)
        assert not (await joining).dup
        database = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        await watcher.execute("SELECT pg_stat_force_next_flush()")
        assert await watcher.fetchval(database) == 0
    finally:
        await holder.close()
        await watcher.close()
        await store.aclose()


async def test_an_operator_waits_for_no_run_of_another_session(postgres_url: str, tmp_path: Path) -> None:
    store = await Store.open(postgres_url, data_dir=tmp_path)
    holder = await asyncpg.connect(postgres_url)
    try:
        talks = Talks(store)
        mine, other = await talks(), await talks()
        await other.say("a")
        async with holder.transaction():
            await holder.execute("UPDATE runs SET lease_until = 1 WHERE session_id = $1", other.session.id)
            async with asyncio.timeout(PATIENCE_S):
                assert not (await does(mine, JOIN, "j")).dup
    finally:
        await holder.close()
        await store.aclose()


async def test_a_run_of_an_operators_act_is_claimed_with_the_session_as_the_act_left_it(talk: Talk) -> None:
    for number, (change, joined) in enumerate(((JOIN, True), (SAY, True), (LEAVE, False))):
        claim = (await does(talk, change, f"o{number}", claimant=Claimant("me", 10))).claim
        assert claim is not None
        assert (claim.session.operator is not None) is joined
        assert claim.session == await talk.store.sessions.load(talk.session.id)
        await ends(talk, claim)


async def test_an_operator_who_joins_stops_an_answer_that_waits_and_leaves_what_has_ended(
    talk: Talk,
) -> None:
    asked = await asks(talk, waits("a"))
    answered = await answer(talk, yes("a"))
    await does(talk, JOIN, "j")
    found = [await talk.store.runs.get(each) for each in (asked.run.id, answered.run_id)]
    assert [(each.kind, each.cancel) for each in found] == [("agent", False), ("agent", True)]


@pytest.mark.parametrize("change", [JOIN, SAY], ids=["join", "say"])
async def test_an_operator_waits_for_no_run_that_it_does_not_stop(
    postgres_url: str, tmp_path: Path, change: OperatorChange
) -> None:
    """Who joins stops what runs and waits; who says something stops nothing."""
    store = await Store.open(postgres_url, data_dir=tmp_path)
    holder = await asyncpg.connect(postgres_url)
    try:
        talk = await Talks(store)()
        await talk.turn("a")
        if change is SAY:
            await talk.say("b")
        async with holder.transaction():
            await holder.execute("UPDATE runs SET owner = 'x' WHERE session_id = $1", talk.session.id)
            async with asyncio.timeout(PATIENCE_S):
                assert not (await does(talk, change, "o")).dup
    finally:
        await holder.close()
        await store.aclose()


async def test_an_operator_who_joins_stops_the_agents_of_its_own_session_alone(talks: Talks) -> None:
    talk, other = await talks(), await talks()
    theirs = await other.say("a", claimant=Claimant("me", 10))
    waits = await other.say("b")
    said = await does(talk, SAY, "o", claimant=Claimant("me", 10))
    assert theirs.claim is not None
    assert said.claim is not None
    assert (await does(talk, JOIN, "j")).stopped == ()
    found = [await talk.store.runs.get(each.run_id) for each in (theirs, waits, said)]
    assert [(each.kind, each.cancel) for each in found] == [
        ("agent", False),
        ("agent", False),
        ("note", False),
    ]


async def test_an_operator_joins_and_leaves_one_session_and_no_other(talks: Talks) -> None:
    async def joined() -> list[bool]:
        sessions = [await each.store.sessions.load(each.session.id) for each in both]
        return [each.operator is not None for each in sessions]

    both = [await talks(), await talks()]
    first, second = both
    await does(first, JOIN, "j")
    assert await joined() == [True, False]
    await does(second, JOIN, "j")
    await does(first, LEAVE, "l")
    assert await joined() == [False, True]
