"""People at real servers: a quick one with the demo model, and one whose model says what and when a test wants."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.conversation.person import Person
from tests.modelserver import ModelServer, Scripted
from tests.parts.chromium import NewPage, Troubles
from tests.parts.model import KEY, Model
from tests.parts.ports import free_port
from tests.parts.server import Served, served

NewPerson = Callable[..., Awaitable[Person]]


@pytest.fixture(scope="session")
def quick() -> Iterator[Served]:
    """A server with the demo model, which says a word every two milliseconds."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "2"}) as running:
        yield running


@pytest.fixture(scope="session")
def model_port() -> int:
    """Where the scripted model is found."""
    return free_port()


@pytest.fixture(scope="session")
def remote(model_port: int) -> Iterator[Served]:
    """A server whose model is behind HTTP."""
    environment = {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model_port}/v1",
        "OPENAI_API_KEY": KEY,
        "LOOPWIRE_MODEL": "test-model",
        # A model that a test holds is silent for as long as the test takes.
        "LOOPWIRE_MODEL_SILENCE_SECONDS": "600",
    }
    with served(environment) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def model(model_port: int) -> AsyncIterator[Model]:
    """The model of this test: it says what it is given, and can be held in mid-sentence."""
    async with ModelServer(Scripted(), port=model_port, api_key=KEY) as server:
        yield Model(server)


@pytest.fixture
def person(new_page: NewPage, troubles: Troubles) -> NewPerson:
    """A factory of people; whatever their browser complains of fails the test."""

    def make(at: Served, **options: Any) -> Awaitable[Person]:
        return Person.at(at, new_page, troubles, **options)

    return make
