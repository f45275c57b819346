"""Sellers at servers on both backends: one server is quick, one sends a word every few milliseconds."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.integration.conversation.models import Remote, remote
from tests.integration.conversation.seller import Seller
from tests.parts.server import Backend, Served, apart, served

NewSeller = Callable[..., Seller]


@pytest.fixture(scope="module")
def slow_backend(backend: Backend) -> Iterator[Backend]:
    """Yield what the unhurried server stands on."""
    with apart(backend) as own:
        yield own


@pytest.fixture(scope="module")
def unhurried(slow_backend: Backend) -> Iterator[Served]:
    """Yield a server whose answers take about a second."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "30", **slow_backend.environment}) as running:
        yield running


@pytest.fixture(scope="module")
def swift(backend: Backend) -> Iterator[Served]:
    """Yield a server whose words come one by one, but fast."""
    with apart(backend) as own, served({"LOOPWIRE_DEMO_DELAY_MS": "2", **own.environment}) as running:
        yield running


@pytest.fixture
async def sellers() -> AsyncIterator[Callable[..., Seller]]:
    """Yield a factory of sellers whose sockets end with the test."""
    made: list[Seller] = []

    def make(at: Served, **options: object) -> Seller:
        made.append(Seller(at, **options))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


@pytest.fixture
def seller(loopwire: Served, sellers: NewSeller) -> Seller:
    """Return a new seller at the quick server."""
    return sellers(loopwire)


@pytest.fixture
def listener(unhurried: Served, sellers: NewSeller) -> Seller:
    """Return a new seller at the unhurried server."""
    return sellers(unhurried)


@dataclass(frozen=True)
class Held:
    """A server that says nothing but what a test lets its model say, and what it stands on."""

    remote: Remote
    backend: Backend


@pytest.fixture(scope="module")
def held(backend: Backend) -> Iterator[Held]:
    """Yield a server on each backend whose answers last as long as a test wants."""
    with apart(backend) as own, remote("responses", own.environment) as running:
        yield Held(running, own)


@pytest.fixture(scope="package", params=["responses", "chat"])
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each dialect of the wire to a model."""
    return str(request.param)


@pytest.fixture(scope="package")
def remote_model(backend: Backend, dialect: str) -> Iterator[Remote]:
    """Yield a server whose model is behind HTTP, in each dialect, on each backend."""
    with apart(backend) as own, remote(dialect, own.environment) as running:
        yield running


@pytest.fixture(scope="package")
def impatient(backend: Backend, dialect: str) -> Iterator[Remote]:
    """Yield a server that soon gives up a model that says nothing."""
    with apart(backend) as own, remote(dialect, own.environment, silence_s=3) as running:
        yield running


@pytest.fixture
def customer(remote_model: Remote, sellers: NewSeller) -> Seller:
    """Return a new seller at the server with the model behind HTTP."""
    return sellers(remote_model.served)
