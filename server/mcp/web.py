"""The transport's HTTP to an MCP server: through the guard of addresses, with bounded time and bytes for each answer.

A failure becomes an answer of status 503, so that it costs one call: an exception would end the library's connection.
"""

import asyncio
import math
import ssl
import time
from collections.abc import AsyncIterator, Callable

import httpcore2
import httpx2

from server import __version__
from server.callbacks import Guard
from server.callbacks.sparing_network import MOST_SMALL_PARTS, SparingNetwork, answer_parts
from server.errors import TooLong, Unavailable, UrlNotAllowed
from server.mcp.flood_budget import EVENT_LINE_COST, MOST_MESSAGE, PART_COST, REQUEST_COST, Flood, FloodBudget
from server.mcp.message_values import EventValues, MessageValues
from server.protocol.codec import read_json

QUICK_S = 5.0
"""Seconds for a request that asks for no work: a notification."""

LEAVE_S = 1.0
"""Seconds for the request that ends the session."""

UNAVAILABLE = 503
_LOST = frozenset({401, 403, 404})
_FAULTS = 500
_NETWORK = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    OSError,
    ssl.SSLError,
)


class McpTransport(httpx2.AsyncBaseTransport):
    """Sends the requests of one MCP client. `on_lost` is called when a status means that the session is lost."""

    def __init__(
        self, guard: Guard, budget: FloodBudget, on_lost: Callable[[], None], *, patience_s: float
    ) -> None:
        """`patience_s` is how long one answer may take, from the request to its last byte."""
        self._budget = budget
        self._on_lost = on_lost
        self._patience_s = patience_s
        self._pool = httpcore2.AsyncConnectionPool(
            network_backend=SparingNetwork(guard), max_connections=32, retries=0
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; whatever goes wrong is an answer of status 503."""
        await request.aread()  # That of a redirect has the bytes of the one before as a stream.
        patience = self._patience_of(request)
        try:
            self._budget.spend(REQUEST_COST)
            async with asyncio.timeout(patience):
                answer = await self._send(request)
        except (*_NETWORK, TimeoutError, UrlNotAllowed, Unavailable, Flood):
            return self._judge(request, httpx2.Response(UNAVAILABLE, request=request))
        headers = httpx2.Headers(answer.headers)
        if headers.get("content-encoding", "identity") != "identity":
            # The size of a compressed answer would be known only after it was expanded.
            await answer.aclose()
            return self._judge(request, httpx2.Response(UNAVAILABLE, request=request))
        # The library would decode events by the charset that the server names, and their values were counted in UTF-8.
        kind = headers.get("content-type", "").partition(";")[0]
        headers["content-type"] = kind
        ends_at = None if request.method == "GET" else time.monotonic() + patience
        body = _Body(answer, kind, self._budget, ends_at)
        return self._judge(request, httpx2.Response(answer.status, headers=headers, stream=body))

    async def _send(self, request: httpx2.Request) -> httpcore2.Response:
        url = httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        answer = await self._pool.handle_async_request(
            httpcore2.Request(request.method, url, headers=request.headers.raw, content=await request.aread())
        )
        if not _can_be_read(httpx2.Headers(answer.headers).get("location", "")):
            await answer.aclose()
            raise httpcore2.RemoteProtocolError("The address of a redirect cannot be read.")
        return answer

    def _patience_of(self, request: httpx2.Request) -> float:
        if request.method == "DELETE":
            return LEAVE_S
        return self._patience_s if request.method == "GET" or _waits(request.content) else QUICK_S

    def _judge(self, request: httpx2.Request, answer: httpx2.Response) -> httpx2.Response:
        if request.method == "POST" and (answer.status_code in _LOST or answer.status_code >= _FAULTS):
            self._on_lost()
        return answer

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pool.aclose()


def _can_be_read(location: str) -> bool:
    """Return whether the library can read the host of a redirect: it would raise a UnicodeError."""
    try:
        return httpx2.URL(location).host is not None
    except (httpx2.InvalidURL, UnicodeError):
        return False


def _waits(body: bytes) -> bool:
    """Return whether a message is a request, which gets an answer, and no notification."""
    try:
        message = read_json(body)
    except ValueError:
        return False
    return isinstance(message, dict) and "id" in message and "method" in message


class _Body(httpx2.AsyncByteStream):
    """The bytes of an answer, counted: an answer that is late, too large or of too many values breaks off."""

    def __init__(
        self, answer: httpcore2.Response, kind: str, budget: FloodBudget, ends_at: float | None
    ) -> None:
        self._answer = answer
        self._budget = budget
        self._ends_at = ends_at
        """By the monotonic clock; None for a stream that stays open, which the budget alone bounds."""
        self._has_events = kind.lower().startswith("text/event-stream")
        self._values = EventValues(budget) if self._has_events else MessageValues(budget)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        parts = answer_parts(self._answer, math.inf if self._ends_at is None else MOST_SMALL_PARTS)
        while True:
            left = None if self._ends_at is None else self._ends_at - time.monotonic()
            try:
                async with asyncio.timeout(left):
                    part = await anext(parts, b"")
                self._budget.spend(self._cost_of(part))
                self._values.feed(part)
            except (*_NETWORK, TimeoutError, Flood, TooLong) as error:
                raise httpx2.StreamError("The answer broke off.") from error
            if not part:
                return
            size += len(part)
            if self._ends_at is not None and size > 2 * MOST_MESSAGE:
                raise httpx2.StreamError("The answer is too large.")
            yield part

    def _cost_of(self, part: bytes) -> int:
        if not part:
            return 0
        lines = part.count(b"\n") + part.count(b"\r") if self._has_events else 0
        return len(part) + PART_COST + lines * EVENT_LINE_COST

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._answer.aclose()


def open_client(
    guard: Guard, budget: FloodBudget, on_lost: Callable[[], None], headers: dict[str, str], patience_s: float
) -> httpx2.AsyncClient:
    """Return the HTTP client of one connection; it follows no redirect to another origin, and asks no proxy."""
    return httpx2.AsyncClient(
        transport=McpTransport(guard, budget, on_lost, patience_s=patience_s),
        headers={**headers, "accept-encoding": "identity", "user-agent": f"Loopwire/{__version__}"},
        trust_env=False,
        timeout=None,
    )
