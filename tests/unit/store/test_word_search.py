"""A search of one's own conversations: linear in what was said, few at once, and none for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import insert, select
from sqlalchemy.dialects import postgresql, sqlite

from server.errors import RateLimited, Unavailable
from server.store import Store
from server.store.conversations import word_search
from server.store.conversations.word_search import AT_ONCE, OF_CALLER, SearchTurns, session_has
from server.store.engine.engines import READERS
from server.store.tables import messages
from tests.contract.store.conftest import Talk, Talks
from tests.parts.postgres import copy_tables


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


async def test_a_principal_has_few_searches_and_others_are_served(talk: Talk) -> None:
    asked = [find(talk, "bicicleta") for _ in range(OF_CALLER + 1)]
    found = await asyncio.gather(*asked, find(talk, "bicicleta", "eva"), return_exceptions=True)
    assert [each if isinstance(each, int) else type(each) for each in found] == [
        *[1] * OF_CALLER,
        RateLimited,
        0,
    ]
    assert await find(talk, "bicicleta") == 1


async def test_searches_leave_connections_for_other_reads() -> None:
    turns, reading = SearchTurns(), 0
    most = 0

    async def read(principal: str) -> None:
        nonlocal reading, most
        async with turns.one(principal):
            reading += 1
            most = max(most, reading)
            await asyncio.sleep(0)
            reading -= 1

    await asyncio.gather(*(read(f"vis_{each}") for each in range(20)))
    assert most == AT_ONCE < READERS


async def test_a_search_that_takes_long_is_ended_and_is_no_outage(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with talk.store.database.write() as connection:
        row = (await connection.execute(select(messages))).first()
        assert row is not None
        body = {**row._mapping["body"], "content": "a" * 8000}
        rows = [
            {**row._mapping, "id": f"msg_{each}", "position": 1000 + each, "body": body}
            for each in range(3000)
        ]
        await connection.execute(insert(messages), rows)
    assert await find(talk, "z") == 0
    monkeypatch.setattr(word_search, "SEARCH_S", 0.001)
    with pytest.raises(Unavailable):
        await find(talk, "z")
    monkeypatch.undo()
    assert await find(talk, "bicicleta") == 1
    assert caplog.messages == []
