"""A line of the log for each request, and the id by which its caller and the log name it."""

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

_SHAPE = re.compile(rb"[A-Za-z0-9_.:-]{1,64}")

log = logging.getLogger(__name__)


class RequestLog:
    """An ASGI middleware around everything else; sockets log their own lines."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

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
            _tell(scope, status, time.monotonic() - began)


def _tell(scope: Scope, status: int, seconds: float) -> None:
    """Count and log a request; what a flood brings is logged at DEBUG, so that refusals do not fill the disk."""
    count_request(scope["path"], scope["method"], status, seconds)
    quiet = scope["path"].startswith(QUIET) or status == HTTPStatus.TOO_MANY_REQUESTS
    fields = {
        "method": scope["method"],
        "path": scope["path"][:MOST_PATH],
        "status": status,
        "ms": round(1000 * seconds, 1),
        "app": scope.get("state", {}).get("app"),
    }
    told = {name: value for name, value in fields.items() if value is not None}
    log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={"fields": told})
