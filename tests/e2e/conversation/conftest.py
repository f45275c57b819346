"""People at real servers on each column of parts: a quick one with the demo model, one whose model a test holds."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.conversation.person import Person
from tests.modelserver import ModelServer, Scripted
from tests.parts.chromium import NewPage, Troubles
from tests.parts.model import KEY, Model
from tests.parts.ports import free_port
from tests.parts.server import Backend, Served, apart, served

SWIFT = {"LOOPWIRE_DEMO_DELAY_MS": "2"}
MINE = ("list_my_items", "list_my_conversations")

NewPerson = Callable[..., Awaitable[Person]]


@contextmanager
def _over(backend: Backend, *more: Mapping[str, str]) -> Iterator[Served]:
    """Yield a server on these parts, with a database of its own."""
    with apart(backend) as own, served({**own.environment, **ChainMap(*map(dict, more))}) as running:
        yield running


@pytest.fixture(scope="module")
def quick(backend: Backend) -> Iterator[Served]:
    """Yield a server with the demo model, which says a word every two milliseconds."""
    with _over(backend, SWIFT) as running:
        yield running


@pytest.fixture(scope="module")
def asking(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server with the demo model that wants a yes before it makes an item."""
    with _over(backend, SWIFT, asks_before(tmp_path_factory, "create_item")) as running:
        yield running


@pytest.fixture(scope="session")
def model_port() -> int:
    """Return where the scripted model is found."""
    return free_port()


@pytest.fixture(scope="module")
def remote(backend: Backend, model_port: int) -> Iterator[Served]:
    """Yield a server whose model is behind HTTP."""
    with _over(backend, behind(model_port)) as running:
        yield running


@pytest.fixture(scope="module")
def chat(backend: Backend, model_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server of the assistant: its model is behind HTTP, and it asks before it reads a person's items."""
    with _over(backend, behind(model_port), asks_before(tmp_path_factory, *MINE, service="chat")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def model(model_port: int) -> AsyncIterator[Model]:
    """Yield the model of this test: it says what it is given, and can be held in mid-sentence."""
    async with ModelServer(Scripted(), port=model_port, api_key=KEY) as server:
        yield Model(server)


@pytest.fixture
def person(new_page: NewPage, troubles: Troubles) -> NewPerson:
    """Return a factory of people; whatever their browser complains of fails the test."""

    def make(at: Served, **options: Any) -> Awaitable[Person]:
        return Person.at(at, new_page, troubles, **options)

    return make


@pytest_asyncio.fixture(loop_scope="session")
async def kept_person(kept_page: NewPage, troubles: Troubles) -> AsyncIterator[NewPerson]:
    """Yield the same for tests that change nothing of a browser for good: they share one, as `kept_page` says."""
    people: list[Person] = []

    async def make(at: Served, **options: Any) -> Person:
        people.append(await Person.at(at, kept_page, troubles, **options))
        return people[-1]

    yield make
    for each in people:
        await each.leave()
    assert not troubles, "the browser complained:\n" + "\n".join(troubles)


def behind(port: int) -> dict[str, str]:
    """Return what a server needs whose model is the one of the tests."""
    return {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "OPENAI_API_KEY": KEY,
        "LOOPWIRE_MODEL": "test-model",
        # A model that a test holds is silent for as long as the test takes.
        "LOOPWIRE_MODEL_SILENCE_SECONDS": "600",
    }


def asks_before(folders: pytest.TempPathFactory, *tools: str, service: str = "submission") -> dict[str, str]:
    """Return what a server needs whose app asks before these tools are called."""
    file: Path = folders.mktemp("apps") / "apps.toml"
    file.write_text(f'[demo]\nservice = "{service}"\napprovals = {list(tools)}\n')
    return {"LOOPWIRE_APPS": str(file)}
