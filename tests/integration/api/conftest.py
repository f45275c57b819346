"""A quick server with a shop that may call it, and what opens streams there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.integration.api.line import lines, over_stream
from tests.integration.conversation.seller import Seller
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts.server import Backend, Served, apart, served

SHOP = "https://shop.example"

UNHURRIED = {
    "LOOPWIRE_LIMIT_MESSAGES_PER_SESSION": "20/1h",
    "LOOPWIRE_LIMIT_REPEATS_PER_SESSION": "120/1h",
    "LOOPWIRE_LIMIT_FRAMES_PER_SOCKET": "120/1h",
}
"""The default counts over a longer time: a busy machine may need more than ten seconds for 21 messages."""

Opening = Callable[..., Awaitable[Talk]]


@pytest.fixture(scope="module")
def shop_server(backend: Backend) -> Iterator[Served]:
    """Yield a server on each backend whose answers take about a second, and whose API a shop's pages may call."""
    slowly = {"LOOPWIRE_DEMO_DELAY_MS": "30", "LOOPWIRE_ALLOWED_ORIGINS": SHOP, **UNHURRIED}
    with apart(backend) as own, served({**own.environment, **slowly}) as running:
        yield running
        assert "Traceback" not in running.log_text()


@pytest.fixture
async def guest(shop_server: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor of that server."""
    new = Seller(shop_server)
    yield new
    await new.aclose()


@pytest.fixture
async def opened(shop_server: Served) -> AsyncIterator[Any]:
    """Return a function that opens streams at that server and does not look at them."""
    async with lines(shop_server.url) as open_line:
        yield open_line


@pytest.fixture
def streamed(guest: Visitor, opened: Any) -> Opening:
    """Return a function that opens a conversation's stream, with a new ticket unless a credential is given."""

    async def start(
        session: str | None = None, *, credential: str = "", talk: Talk | None = None, **more: Any
    ) -> Talk:
        known: dict[str, Any] = {}
        if talk is not None:
            session, credential = talk.session, talk.welcome["resume_token"]
            known = {"transcript": talk.transcript, "seq": talk.seq, "epoch": talk.epoch}
            more.setdefault("last", f"{talk.epoch}-{talk.seq}")
        if not credential:
            ticket = guest.ticket(**({"session_id": session} if session else {}))
            session, credential = ticket["session_id"], ticket["ticket"]
        return await over_stream(await opened(session, credential, **more), **known)

    return start
