"""Workers that are killed one after the other: a reader at a web process sees the answer go on, without a reconnect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conversation.rows import items_of, runs_of
from tests.integration.conversation.seller import Seller, clicked
from tests.integration.crash.restarting_server import ENVIRONMENT, RestartingServer
from tests.parts import postgres
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, served
from tests.parts.wait import until_async

DEATHS = {
    0: "publish.TOOL_CALL_START",
    1: "append.ACTIVITY_SNAPSHOT",
    2: "append.TEXT_MESSAGE_CONTENT:2",
    3: "finish.after_commit",
}


@pytest.fixture
def elsewhere(redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield a redis-server and a database of this test."""
    with postgres.fresh_database(postgres_server) as durable:
        yield Backend("configured", {"REDIS_URL": redis_url, "DATABASE_URL": durable})


@pytest.fixture
def worker(elsewhere: Backend) -> Iterator[RestartingServer]:
    """Yield a worker that is started again whenever it dies."""
    running = RestartingServer(elsewhere.environment, command="worker")
    yield running
    running.close()


@pytest.fixture
def web(elsewhere: Backend) -> Iterator[Served]:
    """Yield a web process that executes nothing itself."""
    own = {"LOOPWIRE_WORKERS_IN_WEB": "0", **ENVIRONMENT, **elsewhere.environment}
    with served(own, command="web") as running:
        yield running


SAMPLE = {place: DEATHS[place] for place in (1, 3)}


@pytest.mark.parametrize("deaths", [pytest.param(SAMPLE, id="two"), later(DEATHS, id="four")])
async def test_the_answer_goes_on_with_the_next_worker(
    web: Served, worker: RestartingServer, elsewhere: Backend, sellers_here: Any, deaths: dict[int, str]
) -> None:
    seller: Seller = sellers_here(web)
    talk = await seller.begin()
    sent = 0
    while (content := seller.next_message()) is not None:
        if sent in deaths:
            worker.die_at(deaths[sent])
        await seller.say(content)
        await until_async(worker.died, what="the death")
        sent += 1
    assert seller.talk is talk
    assert talk.transcript.state["status"] == "complete"
    assert seller.stored() == talk.transcript.messages
    assert [each["status"] for each in await items_of(web, elsewhere, talk.session)] == ["complete"]
    runs = await runs_of(web, elsewhere, talk.session)
    assert [each["outcome"] for each in runs] == ["success"] * sent
    assert [each["attempt"] for each in runs] == [1 + (place in deaths and place < 3) for place in range(7)]
    assert worker.deaths >= len(deaths) - 1


@pytest.fixture
async def sellers_here() -> Any:
    """Yield a factory of sellers who click."""
    made: list[Seller] = []

    def make(at: Served) -> Seller:
        made.append(Seller(at, answer=clicked, patience=3))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()
