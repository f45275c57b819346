"""A transport of httpx2 to a model's server without its layers: one future a read, for any number of chunks.

Everything else is httpx2's: the client, its TLS context, its timeouts and the names of its errors. Where a proxy is
set, its own transport is used instead.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextvars import Context
from functools import cached_property
from urllib.request import getproxies

import httpx2

from server.agents.model.fast.connection import ModelConnection
from server.tasks import Tasks

KEPT_S = 15.0
"""Seconds for which an idle connection is kept: less than servers keep it."""

_PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str, int]


class Transport(httpx2.AsyncBaseTransport):
    """Connections of one process, used again for the same origin."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._given = tls
        self._opening = Tasks()
        self._idle: dict[Origin, list[tuple[ModelConnection, asyncio.TimerHandle]]] = {}

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = self._given or httpx2.create_ssl_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and wait for the head of its answer."""
        scheme, host = request.url.scheme, request.url.host
        if scheme not in _PORTS:
            raise httpx2.UnsupportedProtocol("Only http and https are spoken.")
        origin = (scheme, host, request.url.port or _PORTS[scheme])
        patience = request.extensions["timeout"]
        body = await request.aread()
        head = _head(request)
        connection = self._take_idle(origin) or await self._connect(origin, patience.get("connect"))
        try:
            await connection.send(head, body, patience.get("write"))
            await connection.wait_for_head(patience.get("read"))
        except BaseException:
            # A cancellation too leaves a connection with half an exchange, which no other request may use.
            connection.close()
            raise
        return httpx2.Response(
            connection.status,
            headers=connection.headers,
            stream=AnswerBody(self, origin, connection),
        )

    def _take_idle(self, origin: Origin) -> ModelConnection | None:
        idle = self._idle.get(origin, [])
        while idle:
            connection, clock = idle.pop()
            clock.cancel()
            if connection.usable:
                return connection
        return None

    async def _connect(self, origin: Origin, patience: float | None) -> ModelConnection:
        try:
            async with asyncio.timeout(patience):
                # The connection outlives this run: with a context of its own it keeps none of the run's values.
                opened = await self._opening.spawn(
                    self._try_to_connect(origin), name="connect", context=Context()
                )
        except TimeoutError as error:
            raise httpx2.ConnectTimeout("The server did not answer in time.") from error
        if isinstance(opened, OSError):
            raise httpx2.ConnectError("The server cannot be reached.") from opened
        return opened

    async def _try_to_connect(self, origin: Origin) -> ModelConnection | OSError:
        """Connect, or hand the error to the waiting caller, which raises it; this task does not fail by it."""
        scheme, host, port = origin
        tls = self._tls if scheme == "https" else None
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                ModelConnection, host, port, ssl=tls, server_hostname=host if tls else None
            )
        except OSError as error:
            return error
        return connection

    def keep(self, origin: Origin, connection: ModelConnection) -> None:
        """Keep a connection for the next request, or hang up when it is in the middle of an answer."""
        if not connection.usable:
            connection.close()
            return
        loop = asyncio.get_running_loop()
        clock = loop.call_later(KEPT_S, self._forget, origin, connection, context=Context())
        self._idle.setdefault(origin, []).append((connection, clock))

    def _forget(self, origin: Origin, connection: ModelConnection) -> None:
        self._idle[origin] = [kept for kept in self._idle[origin] if kept[0] is not connection]
        connection.close()

    async def aclose(self) -> None:
        """Hang up."""
        await self._opening.aclose()
        for kept in self._idle.values():
            for connection, clock in kept:
                clock.cancel()
                connection.close()
        self._idle.clear()


class AnswerBody(httpx2.AsyncByteStream):
    """The body of an answer, a read at a time."""

    def __init__(self, transport: Transport, origin: Origin, connection: ModelConnection) -> None:
        self._transport = transport
        self._origin = origin
        self._connection: ModelConnection | None = connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the bytes of each read."""
        while self._connection is not None:
            piece = await self._connection.read()
            if not piece:
                return
            yield piece

    async def aclose(self) -> None:
        """Let the connection go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._transport.keep(self._origin, connection)


def http_client() -> httpx2.AsyncClient:
    """Return a client of models."""
    transport = None if {"http", "https", "all"} & set(getproxies()) else Transport()
    return httpx2.AsyncClient(transport=transport, follow_redirects=True)


def _head(request: httpx2.Request) -> bytes:
    """Return the first lines of a request. Headers are raw here: one with a line end would begin another."""
    lines = [b"%b %b HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)]
    lines += [b"%b: %b" % header for header in request.headers.raw]
    if any(b"\r" in line or b"\n" in line for line in lines):
        raise httpx2.LocalProtocolError("A header holds a line end.")
    return b"\r\n".join((*lines, b"", b""))
