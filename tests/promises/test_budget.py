"""A spent day is said before anything is stored, and the text stays with its writer (G19)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import update

from server.store.budgets import today
from server.store.tables import sessions
from tests.integration.ws.inside import inside


async def test_a_message_over_the_budget_is_refused_with_when_to_come_back(tmp_path: Path) -> None:
    async with inside(tmp_path) as here:
        store = here.ready.parts.store
        ticket = await asyncio.to_thread(here.visitor.ticket)
        talk = await here.visitor.open(hello={"ticket": ticket["ticket"]})
        async with store._database.write() as connection:
            await connection.execute(update(sessions).values(spent=10**9, spent_on=today()))
        await talk.send({"type": "message", "id": "c1", "content": [{"type": "text", "text": "olá"}]})
        error = await talk.until(lambda frame: frame.get("type") == "error")
        assert (error["code"], error["id"], error["retry"]) == ("budget", "c1", False)
        assert 0 < error["retry_after"] <= 24 * 3600
        assert await store.runs.queue(talk.session) == []
        async with store._database.write() as connection:
            await connection.execute(update(sessions).values(spent=0))
        assert (await talk.say("olá", "c1"))["type"] == "ack"
