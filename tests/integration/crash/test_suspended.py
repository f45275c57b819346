"""A process that stood still beyond its lease leaves its run to the next attempt, whatever ran out meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from tests.integration.conversation.models import Remote, remote
from tests.integration.conversation.rows import runs_of
from tests.integration.conversation.seller import Seller, deltas, ended, text_parts
from tests.modelserver import Scripted
from tests.parts.model import Model, sentences
from tests.parts.sampled import later
from tests.parts.server import Backend
from tests.parts.wait import paced

pytestmark = [pytest.mark.once, pytest.mark.conformance]

LEASE_S = 3
SILENCE_S = 6
"""How long the model may say nothing: that is over too when the process looks again."""

TEXT = sentences(8)


@pytest.fixture
def impatient(backend: Backend) -> Iterator[Remote]:
    """Yield a Loopwire with a short lease, which waits for its model for a shorter time."""
    own = {**backend.environment, "LOOPWIRE_LEASE_SECONDS": str(LEASE_S)}
    with remote("chat", own, silence_s=SILENCE_S) as running:
        yield running


@pytest.fixture
async def sellers(impatient: Remote) -> AsyncIterator[list[Seller]]:
    """Two browsers."""
    made = [Seller(impatient.served, service="chat", patience=3) for _ in range(2)]
    async with aclosing(made[0]), aclosing(made[1]):
        yield made


@pytest.mark.parametrize("words", [later(0, id="asked"), pytest.param(6, id="in mid-sentence")])
async def test_runs_whose_model_was_silent_meanwhile_are_left_to_the_next_attempt(
    impatient: Remote, sellers: list[Seller], backend: Backend, words: int
) -> None:
    async with impatient.model(Scripted()) as server:
        model = Model(server)
        talks, runs = [], []
        for seller in sellers:
            model.held(TEXT).let(words)
            asked = len(server.requests) + 1
            talks.append(await seller.begin())
            await talks[-1].send({"type": "message", "id": "c1", "content": text_parts("conte")})
            runs.append((await talks[-1].until(lambda each: each.get("id") == "c1"))["run_id"])
            await server.until(lambda asked=asked: len(server.requests) == asked)
            await deltas(talks[-1], min(words, 1))
        for _ in sellers:
            model.will_say(TEXT)
        pid = impatient.served.process.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            await paced(SILENCE_S + 1)
        finally:
            os.kill(pid, signal.SIGCONT)
        for seller, talk, run_id in zip(sellers, talks, runs, strict=True):
            await ended(talk, run_id, seller.patience)
            (run,) = await runs_of(impatient.served, backend, talk.session)
            assert (run["outcome"], run["attempt"]) == ("success", 1), "a stall of the process costs none"
            assert talk.transcript.messages == seller.stored()
