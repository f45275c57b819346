"""A spent daily budget is refused before anything is stored, and the text stays in the composer (G19)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from server.store import Checkpoint, Finish, Interrupt, Store
from server.store.conversations.budgets import today
from server.store.tables import sessions
from tests.integration.ws.inside import inside

ASKED = Interrupt("int_1", "c1", "approval", "give", "Give bread?", {"type": "object"}, "blk_1", 2**52)


@pytest.mark.once
async def test_a_message_over_the_budget_is_refused_with_when_to_come_back(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, **parts) as here:
        store = here.ready.parts.store
        ticket = await asyncio.to_thread(here.visitor.ticket)
        talk = await here.visitor.open(hello={"ticket": ticket["ticket"]})
        await spent(store, 10**9)
        await talk.send({"type": "message", "id": "c1", "content": [{"type": "text", "text": "olá"}]})
        error = await talk.until(lambda frame: frame.get("type") == "error")
        assert (error["code"], error["id"], error["retry"]) == ("budget", "c1", False)
        assert 0 < error["retry_after"] <= 24 * 3600
        assert await store.runs.queue(talk.session) == []
        await spent(store, 0)
        assert (await talk.say("olá", "c1"))["type"] == "ack"


@pytest.mark.once
async def test_an_answer_over_the_budget_is_refused_and_its_card_stays_open(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, **parts) as here:
        store = here.ready.parts.store
        ticket = await asyncio.to_thread(here.visitor.ticket)
        talk = await here.visitor.open(hello={"ticket": ticket["ticket"]})
        await talk.say("olá", "c1")
        await asks(store)
        await spent(store, 10**9)
        frame = {"type": "resume", "id": "r1", "entries": [{"interrupt_id": "int_1", "status": "cancelled"}]}
        await talk.send(frame)
        error = await talk.until(lambda each: each.get("id") == "r1")
        assert (error["type"], error["code"], error["retry"]) == ("error", "budget", False)
        assert 0 < error["retry_after"] <= 24 * 3600
        assert await store.runs.queue(talk.session) == []
        assert await store.interrupts.open_in(talk.session) == [ASKED]
        await spent(store, 0)
        await talk.send(frame)
        assert (await talk.until(lambda each: each.get("id") == "r1"))["type"] == "ack"
        assert await store.interrupts.open_in(talk.session) == []


async def spent(store: Store, tokens: int) -> None:
    """Let every conversation have cost this much today."""
    async with store.database.write() as connection:
        await connection.execute(update(sessions).values(spent=tokens, spent_on=today()))


async def asks(store: Store) -> None:
    """End the run of the last message with a question."""
    claim = await store.runs.claim("me", 60)
    assert claim is not None
    held, point = (claim.run.id, claim.run.fence), Checkpoint("{}", [], {}, [], None)
    await store.runs.checkpoint(*held, point)
    nothing = Finish("interrupt", None, messages=[], state={}, items=[], agent=None)
    await store.runs.finish(*held, replace(nothing, interrupts=[ASKED], resume=point))
    await store.runs.mark_published(*held)
