"""A line of the log for each request, and the id by which its caller and the log name it."""

import asyncio
import logging
import re
import time
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any

from server import log as logs
from server.asgi import Asgi, Receive, Scope, Send
from server.metrics import count_request
from server.protocol.ids import new_id
from server.tracing.trace_context import take_headers

HEADER = "x-request-id"
QUIET = ("/static/", "/health", "/readyz", "/favicon")
"""Paths whose requests are logged at DEBUG only."""

MOST_PATH = 200
"""Characters of a path that the log shows. A query is never shown: it may hold a caller's own names."""

MOST_REFUSALS = 5
"""Refusals with 429 of one address in one period that have a line at INFO; the others are counted."""

MOST_ADDRESSES = 100
"""Addresses that are told apart in one period; all others share one count."""

PERIOD_S = 60.0

_SHAPE = re.compile(rb"[A-Za-z0-9_.:-]{1,64}")

log = logging.getLogger(__name__)


class Refusals:
    """Counts the requests that were refused with 429, and tells in one line those that had no line at INFO.

    A flood is refused as fast as it is sent: a line for each would fill the disk.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of addresses that are counted."""
        return len(self._counts)

    def may_write(self, address: str) -> bool:
        """Count a refusal of an address, and return whether its line is written."""
        if not self._counts:
            asyncio.get_running_loop().call_later(PERIOD_S, self._tell)
        key = address if address in self._counts or len(self._counts) < MOST_ADDRESSES else ""
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] <= MOST_REFUSALS

    def _tell(self) -> None:
        """Log how many more there were, and begin to count anew."""
        counts, self._counts = self._counts, {}
        if more := sum(max(0, each - MOST_REFUSALS) for each in counts.values()):
            about = {"status": int(HTTPStatus.TOO_MANY_REQUESTS), "more": more, "addresses": len(counts)}
            log.info("more requests were refused", extra={"fields": about})


class RequestLog:
    """An ASGI middleware around everything else; sockets log their own lines."""

    def __init__(self, app: Asgi) -> None:
        self._app = app
        self._refusals = Refusals()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give a request its id, serve it, and log how it was answered."""
        given = next((value for name, value in scope["headers"] if name == HEADER.encode()), b"")
        request_id = given.decode() if _SHAPE.fullmatch(given) else new_id("req")
        logs.request_id.set(request_id)
        take_headers(scope["headers"])
        began, status = time.monotonic(), 0

        async def send_named(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                named = (HEADER.encode(), request_id.encode())
                message = {**message, "headers": [*message.get("headers", ()), named]}
            await send(message)

        try:
            await self._app(scope, receive, send_named)
        finally:
            self._tell(scope, status, time.monotonic() - began)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request, and log it."""
        count_request(scope["path"], scope["method"], status, seconds)
        quiet = scope["path"].startswith(QUIET)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            quiet = not self._refusals.may_write(str((scope.get("client") or ("",))[0])) or quiet
        _write(scope, status, seconds, logging.DEBUG if quiet else logging.INFO)


def _write(scope: Scope, status: int, seconds: float, level: int) -> None:
    fields = {
        "method": scope["method"],
        "path": scope["path"][:MOST_PATH],
        "status": status,
        "ms": round(1000 * seconds, 1),
        "app": scope.get("state", {}).get("app"),
    }
    told = {name: value for name, value in fields.items() if value is not None}
    log.log(level, "request", extra={"fields": told})
