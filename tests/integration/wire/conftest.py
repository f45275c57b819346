"""One server on each column of parts, and at it a person in the middle of an answer."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from tests.integration.conversation.seller import Seller
from tests.parts.server import Backend, Served, apart, served

SHOP = "http://shop.example"


@pytest.fixture(scope="module")
def place(backend: Backend) -> Iterator[Served]:
    """Yield a server on each backend whose answers take a moment, and where a shop may open sockets too.

    Whatever is sent to it, its log ends without a failure of ours.
    """
    settings = {"LOOPWIRE_DEMO_DELAY_MS": "5", "LOOPWIRE_ALLOWED_ORIGINS": SHOP}
    with apart(backend) as own, served({**own.environment, **settings}) as running:
        yield running
        log = running.log_text()
    assert "Traceback" not in log, "something that was sent was a failure of ours"
    assert '"level": "ERROR"' not in log


@pytest.fixture
async def people(place: Served) -> AsyncIterator[Callable[[], Seller]]:
    """Yield a factory of people, each from an address of their own."""
    made: list[Seller] = []

    def make() -> Seller:
        made.append(Seller(place))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


@pytest.fixture
async def person(people: Callable[[], Seller]) -> Seller:
    """A visitor with an open socket."""
    new = people()
    await new.begin()
    return new
