"""A visitor for each server of a test, whose sockets end with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from tests.integration.ws.visitor import Visitor
from tests.parts.server import Served


@pytest.fixture
async def visit() -> AsyncIterator[Callable[[Served], Visitor]]:
    """Yield a factory of visitors."""
    made: list[Visitor] = []

    def make(served: Served) -> Visitor:
        made.append(Visitor(served))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()
