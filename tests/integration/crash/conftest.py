"""One phoenix for each kind of parts under it, and sellers whose client never gives up."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from tests.integration.conversation.seller import Seller, clicked
from tests.integration.crash.phoenix import Phoenix
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
def phoenix(embedded: Backend) -> Iterator[Phoenix]:
    """Yield a server that dies with its own Valkey."""
    risen = Phoenix(embedded.environment)
    yield risen
    risen.close()


@pytest.fixture(scope="package")
def other_phoenix(configured: Backend) -> Iterator[Phoenix]:
    """Yield a server whose Redis and database stand elsewhere."""
    risen = Phoenix(configured.environment)
    yield risen
    risen.close()


@pytest.fixture
async def at() -> AsyncIterator[Callable[[Phoenix], Seller]]:
    """Yield a factory of sellers at a phoenix; they click, so that every answer is exact."""
    made: list[Seller] = []

    def make(phoenix: Phoenix) -> Seller:
        phoenix.live()
        made.append(Seller(phoenix.served, answer=clicked, patience=3))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()
