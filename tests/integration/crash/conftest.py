"""One restarting server for each kind of parts under it, and sellers whose client never gives up."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from tests.integration.conversation.seller import Seller, clicked
from tests.integration.crash.restarting_server import RestartingServer
from tests.parts import postgres
from tests.parts.server import Backend


@pytest.fixture(scope="package")
def embedded() -> Backend:
    """Return nothing configured."""
    return Backend("embedded")


@pytest.fixture(scope="package")
def configured(redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield a redis-server and a PostgreSQL, which live on when Loopwire dies."""
    with postgres.fresh_database(postgres_server) as durable:
        yield Backend("configured", {"REDIS_URL": redis_url, "DATABASE_URL": durable})


@pytest.fixture(scope="package")
def restarting(embedded: Backend) -> Iterator[RestartingServer]:
    """Yield a server that dies with its own Valkey."""
    running = RestartingServer(embedded.environment)
    yield running
    running.close()


@pytest.fixture(scope="package")
def other_restarting(configured: Backend) -> Iterator[RestartingServer]:
    """Yield a server whose Redis and database stand elsewhere."""
    running = RestartingServer(configured.environment)
    yield running
    running.close()


@pytest.fixture
async def at() -> AsyncIterator[Callable[[RestartingServer], Seller]]:
    """Yield a factory of sellers at a restarting server; they click, so that every answer is exact."""
    made: list[Seller] = []

    def make(restarting: RestartingServer) -> Seller:
        restarting.live()
        made.append(Seller(restarting.served, answer=clicked, patience=3))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()
