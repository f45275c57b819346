"""Callers of services over REST: programs without a browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conversation.seller import new_address
from tests.integration.ws.visitor import Answer, Visitor
from tests.parts.server import Served


class RestCaller(Visitor):
    """A program at an address of its own that keeps no cookies and sends no Origin."""

    def __init__(self, served: Served) -> None:
        super().__init__(served)
        self.address = new_address()

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask over HTTP."""
        self.cookie = ""
        own = {"x-forwarded-for": self.address, "origin": self.served.url}
        return super().request(method, path, body, headers={**own, **(headers or {})})


@pytest.fixture
def caller(loopwire: Served) -> Iterator[RestCaller]:
    """Yield a caller of the shared server."""
    yield RestCaller(loopwire)
