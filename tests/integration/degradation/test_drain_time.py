"""The time of an answer once its process leaves: as long as the setting says, no less and no more."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import Talk

TEXT = "Olá, o que é que posso vender aqui e como funciona?"


async def answering(here: Inside) -> tuple[Talk, str]:
    """Return a conversation in the middle of its first answer, and that answer's run."""
    ticket = await asyncio.to_thread(here.visitor.ticket)
    talk = await here.visitor.open(hello={"ticket": ticket["ticket"]})
    ack = await talk.say(TEXT, "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    return talk, ack["run_id"]


@pytest.mark.once
async def test_an_answer_that_ends_within_the_drain_is_waited_for(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, capacity=1, delay_ms=50, drain_s=60, **parts) as here:
        talk, run_id = await answering(here)
        await here.web.drain()
        run = await here.ready.parts.store.runs.get(run_id)
        assert (run.status, run.attempt) == ("finished", 1)
        assert await talk.closed() == 1012


@pytest.mark.once
async def test_an_answer_longer_than_the_drain_is_given_back(tmp_path: Path, parts: dict[str, str]) -> None:
    # It would end within the 25 s of the default: a drain that asked nobody would wait for it.
    async with inside(tmp_path, capacity=1, delay_ms=1000, drain_s=0.2, **parts) as here:
        talk, run_id = await answering(here)
        await here.web.drain()
        again = await here.ready.parts.store.runs.claim("another", 10)
        assert again is not None, "its lease is not waited for"
        assert again.run.id == run_id
        assert await talk.closed() == 1012
