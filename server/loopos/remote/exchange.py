"""One request to LoopOS Core and its answer, with a bound on time and size; nothing is tried twice here."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import httpcore2

from server import __version__
from server.callbacks import Guard
from server.callbacks.guard import parse_url
from server.callbacks.sparing_network import SparingNetwork, WastefulAnswer, answer_parts
from server.errors import TooLong, Unavailable, UrlNotAllowed
from server.loopos.remote.failures import CoreFailure
from server.protocol.codec import encode_json
from server.tracing.trace_context import outgoing_headers
from server.value_count import ValueCount

MOST_BYTES = 2 * 1024 * 1024
"""Of an answer."""

MOST_VALUES = 100_000
"""Lists, objects, members and elements of an answer."""

MOST_CONNECTIONS = 32
KEEP_ALIVE_S = 15.0
MOST_RETRY_AFTER_S = 3600.0


@dataclass(frozen=True)
class CoreTimes:
    """The time that a call may take, in seconds."""

    connect_s: float = 2.0
    attempt_s: float = 4.0
    """From the first byte sent to the last byte of the answer."""
    total_s: float = 8.0
    """Of all attempts, with the pauses between them."""


@dataclass(frozen=True)
class CoreRequest:
    """A request as the contract describes it; the path begins with `/v1/`."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class CoreReply:
    """A whole answer, its body not read yet; `retry_after` in seconds."""

    status: int
    body: bytes
    retry_after: float | None


class CoreExchange:
    """Sends requests to one base address, over connections that it keeps. Released by `aclose`."""

    def __init__(
        self,
        base_url: str,
        guard: Guard,
        *,
        token: str | None = None,
        times: CoreTimes | None = None,
        most_bytes: int = MOST_BYTES,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`base_url` is normalised, without a slash at its end; `token` is sent as a bearer token."""
        self._base = base_url
        self._times = times or CoreTimes()
        self._most_bytes = most_bytes
        self._headers = {"accept": "application/json", "user-agent": f"Loopwire/{__version__}"}
        # The size of a compressed answer would be known only after it was expanded.
        self._headers["accept-encoding"] = "identity"
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls,
            network_backend=SparingNetwork(guard),
            max_connections=MOST_CONNECTIONS,
            keepalive_expiry=KEEP_ALIVE_S,
            retries=0,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def send(self, request: CoreRequest) -> CoreReply:
        """Send a request once; redirects are not followed. Raises CoreFailure without a whole answer."""
        try:
            async with asyncio.timeout(self._times.attempt_s):
                return await self._send(request, self._url_of(request))
        except UrlNotAllowed as error:
            raise CoreFailure("address", retry=False) from error
        except (TimeoutError, httpcore2.TimeoutException) as error:
            raise CoreFailure("timeout", retry=True) from error
        except (httpcore2.ConnectError, Unavailable) as error:
            raise CoreFailure("connect", retry=True) from error
        except WastefulAnswer as error:
            raise CoreFailure("unreadable", retry=False) from error
        except TooLong as error:
            raise CoreFailure("too_large", retry=False) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ssl.SSLError) as error:
            raise CoreFailure("cut", retry=True) from error

    def _url_of(self, request: CoreRequest) -> httpcore2.URL:
        """Return the URL in the parts that will be used; the guard judges its host when a connection is opened."""
        query = f"?{urlencode(request.query, errors='replace')}" if request.query else ""
        url = parse_url(f"{self._base}{request.path}{query}")
        return httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)

    async def _send(self, request: CoreRequest, url: httpcore2.URL) -> CoreReply:
        headers, content = {**self._headers, **outgoing_headers(), **request.headers}, None
        if request.body is not None:
            content = encode_json(request.body).encode()
            headers["content-type"] = "application/json"
        seconds = self._times
        extensions = {"timeout": {"connect": seconds.connect_s, "pool": seconds.attempt_s}}
        async with self._pool.stream(
            request.method, url, headers=list(headers.items()), content=content, extensions=extensions
        ) as response:
            told = {name.lower(): value for name, value in response.headers}
            if told.get(b"content-encoding", b"identity") != b"identity":
                raise CoreFailure("unreadable", retry=False)
            body, values = bytearray(), ValueCount(b"[{,", MOST_VALUES, "This answer has too many values.")
            async for part in answer_parts(response):
                body += part
                if len(body) > self._most_bytes:
                    raise CoreFailure("too_large", retry=False)
                values.feed(part)
            again = _seconds_in(told.get(b"retry-after", b"").decode("latin-1"))
            return CoreReply(response.status, bytes(body), again)


def _seconds_in(text: str) -> float | None:
    """Return the seconds that a Retry-After names, by a number or a date; None for anything else."""
    try:
        seconds = float(text) if text.isdigit() else _until(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, seconds), MOST_RETRY_AFTER_S)


def _until(moment: datetime) -> float:
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()


RETRIED = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS, *range(500, 600)}
)
"""Statuses after which the same request may succeed."""
