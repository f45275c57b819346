"""The compression of responses: whole bodies of text, by gzip, for clients that accept it.

A body that the application sends at once is compressed; a stream (SSE, AG-UI, `/chat` as a stream) never is, since
a compressor would hold its events back. Files of the page have their own way (`assets`): they are compressed once.

BREACH reads a secret out of a compressed body, when an attacker can have text of its own choice written beside it and
sees the sizes. The responses in `SECRET`, which are tickets, therefore stay uncompressed. Keys are never in a
response, resume tokens only in streams and on sockets. Other bodies have no secret: no page has a token against
forgery (the shield judges Origin and Sec-Fetch-Site instead), and no page or list that a visitor's cookie opens
repeats text of its own address. The page of a frame has a token, and repeats nothing of its address.
"""

import asyncio
import zlib
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

import brotli

from server.asgi import Asgi, Receive, Scope, Send

TYPES = frozenset(
    {
        "application/javascript",
        "application/json",
        "application/manifest+json",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "text/plain",
    }
)
KEPT_CODINGS = ("br", "gzip")
"""The codings of files that are compressed once and kept, the smallest first."""

SECRET = ("/v1/tickets",)
"""Paths whose responses have a secret beside words of the caller."""

SMALLEST = 1024
"""Bytes; a smaller body fits into one packet anyway."""

AT_ONCE_HERE = 8 * 1024
"""Bytes of a body that are compressed in the event loop, in about 0.15 ms; a larger one is compressed in a thread."""

MOST_WAITING = 16
"""Bodies that wait for the thread; the next ones are sent as they are, so that a flood costs no more than one core."""

LEVEL = 5
"""The level of gzip: of a page of 64 KiB it leaves 24 %, in half the time of level 6, which leaves 23.6 %."""

Headers = list[tuple[bytes, bytes]]


def accepts_gzip(value: str) -> bool:
    """Return whether Accept-Encoding allows gzip."""
    return preferred_coding(value, ("gzip",)) is not None


def preferred_coding(value: str, offered: Iterable[str]) -> str | None:
    """Return which coding Accept-Encoding gives the greatest weight, of those in `offered` the first among equals.

    By RFC 9110 §12.5.3 an exact name wins over `*`, and q=0 refuses. None when all are refused.
    """
    weights = dict(_weights(value))
    weights.setdefault("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    allowed = {each: weights.get(each, weights.get("*", 0.0)) for each in offered}
    best = max(allowed, key=lambda each: allowed[each], default=None)
    return best if best is not None and allowed[best] > 0 else None


def compress(data: bytes, level: int = LEVEL) -> bytes:
    """Return the gzip of a body. The header has no time, so that the same body is the same bytes."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def compress_once(data: bytes, coding: str) -> bytes:
    """Return the smallest form of a file that is kept: by Brotli (`br`: 12 % less, 1 s a MB) or by gzip."""
    return brotli.compress(data, quality=11) if coding == "br" else compress(data, 9)


def with_vary(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers that say that the response depends on Accept-Encoding, beside what it depended on before."""
    varied = [value for name, value in headers if name.lower() == b"vary"]
    others = [each for each in headers if each[0].lower() != b"vary"]
    return [*others, (b"vary", b", ".join([*varied, b"Accept-Encoding"]))]


class Compression:
    """An ASGI middleware outside of those that add headers."""

    def __init__(self, app: Asgi) -> None:
        self._app = app
        self._turn = asyncio.Semaphore()
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, and compress what comes of it where that may be."""
        if scope["path"].startswith(SECRET):
            await self._app(scope, receive, send)
            return
        accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
        wanted = accepts_gzip(accepted.decode("latin-1"))
        start: MutableMapping[str, Any] | None = None

        async def send_compressed(message: MutableMapping[str, Any]) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _may_be_compressed(message):
                start = message  # The headers depend on the body, which comes next.
                return
            if start is not None:
                begun, start = start, None
                begun, message = await self._choose_form(begun, message, wanted=wanted)
                await send(begun)
            await send(message)

        await self._app(scope, receive, send_compressed)

    async def _choose_form(
        self, start: MutableMapping[str, Any], message: MutableMapping[str, Any], *, wanted: bool
    ) -> tuple[MutableMapping[str, Any], MutableMapping[str, Any]]:
        """Return the start and the body of a response as they are sent."""
        body = message.get("body", b"")
        if message.get("more_body", False) or len(body) < SMALLEST:
            return start, message
        headers = with_vary(start["headers"])
        packed = await self._compress(body) if wanted else None
        if packed is not None and len(packed) < len(body):
            kept = [each for each in headers if each[0].lower() != b"content-length"]
            length = (b"content-length", str(len(packed)).encode())
            headers = [*kept, length, (b"content-encoding", b"gzip")]
            message = {**message, "body": packed}
        return {**start, "headers": headers}, message

    async def _compress(self, body: bytes) -> bytes | None:
        """Return the gzip of a body; None when others wait already."""
        if len(body) <= AT_ONCE_HERE:
            return compress(body)
        if self._waiting >= MOST_WAITING:
            return None
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(compress, body)
        finally:
            self._waiting -= 1


def _may_be_compressed(start: Mapping[str, Any]) -> bool:
    """Return whether a response is plain text of one form.

    An ETag would name two forms; a part of a body is not compressed.
    """
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
    fixed = (b"content-encoding", b"content-range", b"etag")
    return media_type in TYPES and not any(name in headers for name in fixed)


def _weights(value: str) -> Iterable[tuple[str, float]]:
    """Yield each coding of Accept-Encoding with its weight; one that cannot be read refuses its coding."""
    for part in value.split(","):
        coding, _, parameter = part.partition(";")
        name, _, weight = parameter.partition("=")
        try:
            yield coding.strip().lower(), float(weight) if name.strip().lower() == "q" else 1.0
        except ValueError:
            yield coding.strip().lower(), 0.0
