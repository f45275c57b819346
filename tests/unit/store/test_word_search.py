"""A search of one's own conversations, or of an operator: linear in what was said, few at once, and none for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import Connection, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite

from server.errors import RateLimited, Unavailable
from server.limits import Limits
from server.store import Store
from server.store.conversations import word_search
from server.store.conversations.word_search import (
    AT_ONCE,
    OPERATORS_AT_ONCE,
    Searches,
    session_has,
)
from server.store.engine.engines import READERS
from server.store.tables import messages, runs, sessions
from tests.contract.store.conftest import Talk, Talks
from tests.parts.postgres import copy_tables
from tests.parts.sampled import one_of

OF_CALLER = Limits().searches_per_visitor


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    talk = await Talks(store)("ana")
    await talk.turn("tenho uma bicicleta")
    yield talk
    await store.aclose()


async def find(talk: Talk, words: str, principal: str = "ana") -> int:
    """Return how many conversations are found."""
    return len(await talk.store.sessions.list_summaries("demo", principal, 10, words=words))


@pytest.mark.parametrize(("dialect", "function"), [(sqlite, "instr"), (postgresql, "strpos")])
def test_no_text_is_looked_through_once_for_each_letter_of_a_word(dialect: ModuleType, function: str) -> None:
    """LIKE took 0.2 s for 800,000 letters `a` and a word of 198 and a `b`; a search in these functions takes 8 ms."""
    said = str(session_has("a" * 198 + "b").compile(dialect=dialect.dialect()))
    assert said.count(f"{function}(") == 2
    assert "LIKE" not in said.upper()


async def find_in_inbox(talk: Talk, words: str, account: str = "acc_1") -> int:
    """Return how many conversations the inbox lists."""
    return len(await talk.store.inbox.list_lines(account, ["demo"], 10, without=[], words=words))


async def find_titles(talk: Talk, words: str, app: str = "demo") -> int:
    """Return how many conversations an app finds by their titles."""
    return len(await talk.store.app_sessions.list_newest(app, 10, words=words))


Find = Callable[[Talk, str], Awaitable[int]]


@pytest.mark.parametrize(
    ("search", "other"), [(find, "eva"), (find_in_inbox, "acc_2"), (find_titles, "other")]
)
async def test_a_caller_has_few_searches_and_others_are_served(
    talk: Talk, search: Callable[..., Awaitable[int]], other: str
) -> None:
    await talk.store.sessions.title(talk.session.id, "bicicleta")
    asked = [search(talk, "bicicleta") for _ in range(OF_CALLER + 1)]
    found = await asyncio.gather(*asked, search(talk, "bicicleta", other), return_exceptions=True)
    assert [each if isinstance(each, int) else type(each) for each in found[:-1]] == [
        *[1] * OF_CALLER,
        RateLimited,
    ]
    assert found[-1] == (search is find_in_inbox)
    assert await search(talk, "bicicleta") == 1


async def test_an_operator_says_how_many_searches_a_caller_has(tmp_path: Path) -> None:
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path, limits=Limits(searches_per_visitor=1))
    talk = await Talks(store)("ana")
    for search in (find, find_in_inbox):
        found = await asyncio.gather(search(talk, "z"), search(talk, "z"), return_exceptions=True)
        assert [type(each) for each in found] == [int, RateLimited]
    await store.aclose()


async def test_searches_leave_connections_for_other_reads(talk: Talk) -> None:
    searches, reading = Searches(talk.store.database, AT_ONCE, OF_CALLER), 0
    most = 0

    async def read(principal: str) -> None:
        nonlocal reading, most
        async with searches.one(principal):
            reading += 1
            most = max(most, reading)
            await asyncio.sleep(0)
            reading -= 1

    await asyncio.gather(*(read(f"vis_{each}") for each in range(20)))
    assert most == AT_ONCE < READERS - OPERATORS_AT_ONCE


@pytest.mark.parametrize("search", one_of(3, [find, find_in_inbox, find_titles]))
async def test_a_search_that_takes_long_is_ended_and_is_no_outage(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, search: Find
) -> None:
    await fill(talk)
    assert await search(talk, "z") == 0
    monkeypatch.setattr(word_search, "SEARCH_S", 0.001)
    async with asyncio.timeout(60):
        with pytest.raises(Unavailable):
            while (
                True
            ):  # On a busy machine a search may end before this process notices that its time is over.
                await search(talk, "z")
    monkeypatch.undo()
    assert await find(talk, "bicicleta") == 1
    assert caplog.messages == []


async def test_a_search_whose_caller_leaves_is_ended(talk: Talk) -> None:
    """A statement without an end: who waits for the connection to come back sees that it was interrupted."""
    database, begun = talk.store.database, asyncio.Event()
    loop = asyncio.get_running_loop()

    def count_for_ever(connection: Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        connection.exec_driver_sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        )

    search = asyncio.create_task(Searches(database, AT_ONCE, OF_CALLER).read("ana", count_for_ever))
    await begun.wait()
    search.cancel()
    async with asyncio.timeout(60):
        with pytest.raises(asyncio.CancelledError):
            await search
    assert await asyncio.gather(*(find(talk, "bicicleta") for _ in range(READERS))) == [1] * READERS


async def test_a_list_without_words_has_the_time_of_a_search(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The statement takes a second or more, as the inbox does where there are millions of conversations."""
    monkeypatch.setattr(word_search, "SEARCH_S", 0.05)
    counting = text(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000) SELECT max(i) FROM n"
    )
    with pytest.raises(Unavailable):
        await Searches(talk.store.database, AT_ONCE, OF_CALLER).fetch("ana", counting, ())
    assert await find_in_inbox(talk, "") == 1
    assert caplog.messages == []


async def fill(talk: Talk) -> None:
    """Let a search take a while: messages without end, and other conversations with long titles."""
    async with talk.store.database.write() as connection:
        row = (await connection.execute(select(messages))).first()
        assert row is not None
        body = {**row._mapping["body"], "content": "a" * 8000}
        rows = [
            {**row._mapping, "id": f"msg_{each}", "position": 1000 + each, "body": body}
            for each in range(3000)
        ]
        await connection.execute(insert(messages), rows)
        session = (await connection.execute(select(sessions))).one()._mapping
        run = (await connection.execute(select(runs))).one()._mapping
        more = [{**session, "id": f"ses_{each}", "title": "a" * 8000} for each in range(3000)]
        await connection.execute(insert(sessions), more)
        await connection.execute(
            insert(runs), [{**run, "id": f"run_{each}", "session_id": f"ses_{each}"} for each in range(3000)]
        )
