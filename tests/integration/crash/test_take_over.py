"""Kill -9 of the process that is writing an answer: how soon another, which already runs, begins the next attempt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from tests.integration.conversation.rows import runs_of
from tests.integration.conversation.seller import Seller, deltas, ended, text_parts
from tests.integration.ws.visitor import Talk
from tests.parts import postgres
from tests.parts.server import Backend, Servers

PROMISED_S = 15
"""What docs/promises.md promises of any process that is set up as it comes; nothing is added for the machine."""

LONG = "Olá, o que é que posso vender aqui e como funciona?"


@pytest.fixture
def shared(redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield what both processes stand on; the lease is the default one, which is what the promise is made with."""
    pace = {
        "LOOPWIRE_DEMO_DELAY_MS": "100",
        "LOOPWIRE_SECRET": "one secret for all",
        "LOOPWIRE_LOG_LEVEL": "DEBUG",
    }
    with postgres.fresh_database(postgres_server) as durable:
        yield Backend("configured", {**pace, "REDIS_URL": redis_url, "DATABASE_URL": durable})


@pytest.fixture
async def sellers(shared: Backend, serve: Servers) -> AsyncIterator[tuple[Seller, Seller]]:
    """Yield one browser at the process that will die and at the one that lives."""
    here = Seller(serve(shared.environment))
    async with aclosing(here):
        elsewhere = Seller(serve(shared.environment), address=here.address, patience=3)
        async with aclosing(elsewhere):
            yield here, elsewhere


async def test_the_next_attempt_begins_within_fifteen_seconds_of_a_kill(
    sellers: tuple[Seller, Seller], shared: Backend
) -> None:
    here, elsewhere = sellers
    talk = await here.begin()
    elsewhere.cookie = here.cookie
    watching = await elsewhere.begin(session=talk.session)
    await talk.send({"type": "message", "id": "c1", "content": text_parts(LONG)})
    run_id = (await talk.until(lambda each: each.get("id") == "c1"))["run_id"]
    # The lease is still nearly whole: a longer wait for its end there is not.
    await asyncio.gather(deltas(talk, 2), deltas(watching, 2))
    assert here.served.logged_at('"run started"', run_id) is not None
    assert elsewhere.served.logged_at('"run started"', run_id) is None
    killed_at = time.time()
    here.served.process.kill()
    await attempt(watching, 2)
    begun_at = elsewhere.served.logged_at('"run started"', '"INFO"', '"attempt": 2', run_id)
    assert begun_at is not None and begun_at - killed_at < PROMISED_S
    await ended(watching, run_id, elsewhere.patience)
    (run,) = await runs_of(elsewhere.served, shared, talk.session)
    assert (run["status"], run["outcome"], run["attempt"]) == ("finished", "success", 2)
    assert watching.transcript.messages == elsewhere.stored()


async def attempt(talk: Talk, number: int) -> None:
    """Take frames until an attempt has begun."""

    def begins(frame: dict[str, object]) -> bool:
        event = frame.get("event")
        told = event.get("metadata", {}).get("loopwire", {}) if isinstance(event, dict) else {}
        return bool(told.get("attempt") == number)

    await talk.until(begins)
