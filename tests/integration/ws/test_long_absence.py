"""A client that was away beyond the window and the life of its token gets the whole conversation and goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import redis

from server.auth import tokens
from server.bus.log.log import log_key, meta_key
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import Talk
from tests.parts.sampled import later

TEXTS = ["Quero vender um iPhone 13", "E uma Bimby", "E ainda uma bicicleta"]


async def opened(here: Inside, **position: object) -> Talk:
    """Open a socket with a new ticket; the server is in this loop, so nobody may wait for it here."""
    session = position.pop("session_id", None)
    ticket = await asyncio.to_thread(
        lambda: here.visitor.ticket(**({"session_id": session} if session else {}))
    )
    return await here.visitor.open(hello={"ticket": ticket["ticket"], **position})


async def say_and_wait(talk: Talk, number: int) -> None:
    """Say the next thing, and hear the whole answer."""
    await talk.say(TEXTS[number], f"c{number}")
    await talk.finished()


async def gone(talk: Talk) -> None:
    """Leave without a word."""
    talk.socket.transport.abort()
    await talk.socket.wait_closed()


@pytest.mark.once
@pytest.mark.parametrize(
    "forgotten",
    [
        later([log_key], id="an hour"),
        pytest.param([log_key, meta_key], id="more than a day"),
    ],
)
async def test_a_client_that_was_long_away_gets_everything_and_goes_on(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch, forgotten: list
) -> None:
    monkeypatch.setattr(tokens, "RESUME_SECONDS", -2 * tokens.LEEWAY_SECONDS)  # Over as soon as it is given.
    async with inside(tmp_path, capacity=8, **parts) as here:
        left = await opened(here)
        await say_and_wait(left, 0)
        await gone(left)
        other = await opened(here, session_id=left.session)
        await say_and_wait(other, 1)
        await gone(other)
        with redis.from_url(here.redis_url) as client:
            for key in forgotten:  # What becomes of it when its time is over.
                assert client.delete(key(left.session)) == 1

        late = Talk(await here.visitor.socket())
        position = {"last_seq": left.seq, "epoch": left.epoch}
        await late.send({"type": "hello", "resume_token": left.welcome["resume_token"], **position})
        assert await late.closed() == 4401, "what a client then does is to get a ticket"

        back = await opened(here, session_id=left.session, **position)
        assert not back.welcome["resumed"]
        assert back.transcript.messages == other.transcript.messages
        asked = [each["content"] for each in back.transcript.messages if each["role"] == "user"]
        assert len(asked) == 2
        await say_and_wait(back, 2)
        assert (await opened(here, session_id=left.session)).transcript.messages == back.transcript.messages
