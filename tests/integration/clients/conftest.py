"""The servers that the clients of others talk with; which parts these stand on makes no difference to a client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.integration.conversation.models import Remote, remote
from tests.modelserver import Scripted
from tests.parts.model import Model
from tests.parts.server import Served, served


@pytest.fixture(scope="module")
def demo() -> Iterator[Served]:
    """Yield a server with the demo model."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        yield running


@pytest.fixture(scope="module")
def scripted() -> Iterator[Remote]:
    """Yield a server whose model says what a test wants."""
    with remote("responses") as running:
        yield running


@pytest.fixture
async def model(scripted: Remote) -> AsyncIterator[Model]:
    """Yield the model of that server, with nothing to say yet."""
    async with scripted.model(Scripted()) as server:
        yield Model(server)
