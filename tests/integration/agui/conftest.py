"""Callers at servers on both backends."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from tests.integration.agui.caller import Caller
from tests.integration.conversation.conftest import Held
from tests.integration.conversation.models import remote
from tests.parts.agui_client import Client
from tests.parts.server import Backend, Served, apart


@pytest.fixture
async def caller(agui: Client) -> AsyncIterator[Callable[..., Caller]]:
    """Yield a factory of callers."""
    made: list[Caller] = []

    def make(at: Served, **options: object) -> Caller:
        made.append(Caller(at, client=agui, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


@pytest.fixture(scope="module")
def held(backend: Backend) -> Iterator[Held]:
    """Yield a server on each backend whose answers last as long as a test wants."""
    with apart(backend) as own, remote("responses", own.environment) as running:
        yield Held(running, own)
