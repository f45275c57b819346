"""The work of the database for a run does not grow with its conversation: steps are counted, not time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from bench.seeding import seed
from server.store import Store
from tests.contract.store.conftest import Talk, Talks
from tests.parts.postgres import copy_tables
from tests.parts.steps import sqlite_steps

SHORT, LONG = 30, 1000
MORE = 1.05
"""Indexes of more rows are a level deeper."""


async def talk_of(store: Store, turns: int) -> Talk:
    talk = await Talks(store)()
    await seed(store, talk.session.id, turns)
    return talk


async def take_in(talk: Talk, steps: Callable[[], int]) -> int:
    before = steps()
    await talk.say("one more")
    return steps() - before


async def claim(talk: Talk, steps: Callable[[], int]) -> int:
    await talk.say("one more")
    before = steps()
    await talk.claim()
    return steps() - before


async def end(talk: Talk, steps: Callable[[], int]) -> int:
    await talk.say("one more")
    held = await talk.claim()
    before = steps()
    await talk.finish(held, "done")
    return steps() - before


async def page(talk: Talk, steps: Callable[[], int]) -> int:
    before = steps()
    await talk.store.messages.page(talk.session.id, talk.session.principal, 4)
    return steps() - before


@pytest.mark.parametrize("work", [take_in, claim, end, page])
async def test_a_long_conversation_asks_the_database_for_no_more_work(work, tmp_path: Path) -> None:
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    try:
        short, long = await talk_of(store, SHORT), await talk_of(store, LONG)
        with sqlite_steps() as steps:
            few = await work(short, lambda: steps.count)
            many = await work(long, lambda: steps.count)
        assert 0 < many <= few * MORE, (few, many)
    finally:
        await store.aclose()


async def test_no_statement_names_all_runs_of_a_long_conversation(tmp_path: Path) -> None:
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    named: list[int] = []

    def executed(
        _connection: Any, _cursor: Any, _text: Any, parameters: Any, _context: Any, _many: bool
    ) -> None:
        named.append(len(parameters))

    try:
        talk = await talk_of(store, 300)
        event.listen(Engine, "before_cursor_execute", executed)
        history = await store.messages.history(talk.session.id)
    finally:
        event.remove(Engine, "before_cursor_execute", executed)
        await store.aclose()
    assert len(history) >= 300
    assert 128 <= max(named) < 140
