"""One quick server and one that answers slowly, each shared by the tests that leave it as they found it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.integration.ws.visitor import Visitor
from tests.parts import postgres
from tests.parts.server import Backend, Served, served


@pytest.fixture(scope="package")
def bare() -> Iterator[Served]:
    """Yield a server with nothing configured, for what does not reach the parts behind it."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        yield running


@pytest.fixture(scope="module")
def quick(loopwire: Served) -> Served:
    """Return a server whose demo model does not pause, on each backend."""
    return loopwire


@pytest.fixture(scope="module")
def leisurely(backend: Backend, request: pytest.FixtureRequest) -> Iterator[Served]:
    """Yield a server whose answers take a second or two, on each backend."""
    with alone(backend, request, delay_ms=100) as running:
        yield running


@pytest.fixture(scope="module")
def endless(backend: Backend, request: pytest.FixtureRequest) -> Iterator[Served]:
    """Yield a server whose answers last as long as any test needs, on each backend."""
    with alone(backend, request, delay_ms=2000) as running:
        yield running


@contextmanager
def alone(backend: Backend, request: pytest.FixtureRequest, *, delay_ms: int) -> Iterator[Served]:
    """Serve with a database of its own: over a shared one, another server might execute its runs."""
    environment = {**backend.environment, "LOOPWIRE_DEMO_DELAY_MS": str(delay_ms)}
    with ExitStack() as stack:
        if "DATABASE_URL" in environment:
            fresh = postgres.fresh_database(request.getfixturevalue("postgres_server"))
            environment["DATABASE_URL"] = stack.enter_context(fresh)
        yield stack.enter_context(served(environment))


@pytest.fixture
async def waiting(endless: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor of the endless server."""
    new = Visitor(endless)
    yield new
    await new.aclose()


@pytest.fixture
async def visitor(quick: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor of the quick server."""
    new = Visitor(quick)
    yield new
    await new.aclose()


@pytest.fixture
async def patient(leisurely: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor of the leisurely server."""
    new = Visitor(leisurely)
    yield new
    await new.aclose()
