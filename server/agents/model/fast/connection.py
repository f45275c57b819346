"""One connection to a model's server: HTTP/1.1 on asyncio's own transport, parsed by llhttp, all of a read at once."""

import asyncio
from contextvars import Context
from typing import cast

import httptools
import httpx2

_MOST_WAITING = 262_144
"""Bytes that may wait for their reader before the server is slowed down."""


class ModelConnection(asyncio.Protocol):
    """Serves one request after the other; an error is raised in the call that waits, as httpx2 names it."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._waiting_since: float
        self._patience: float | None
        self._clock: asyncio.TimerHandle | None = None
        self._writable: asyncio.Future[None] | None = None
        """Only while the server reads too slowly."""
        self._fault: Exception | None = None
        self.paused = False
        self._begin()

    def _begin(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._body: list[bytes] = []
        self.unread_bytes = 0
        self._open = False
        self.headers: list[tuple[bytes, bytes]] = []
        self.status: int
        self.complete = False

    @property
    def usable(self) -> bool:
        """Return whether another request can be sent."""
        is_open = self._transport is not None and not self._transport.is_closing()
        return is_open and self.complete and self._keeps and self._fault is None

    async def send(self, head: bytes, body: bytes, patience: float | None) -> None:
        """Send a request; `wait_for_head` and `read` give its answer."""
        self._begin()
        self._stop_clock()
        transport = cast(asyncio.Transport, self._transport)
        if transport.is_closing():  # uvloop reports a write here as a programming error.
            raise httpx2.WriteError("The server hung up before the request.")
        transport.write(head + body)
        if self._writable is not None:
            try:
                async with asyncio.timeout(patience):
                    await self._writable
            except TimeoutError as error:
                raise httpx2.WriteTimeout("The request could not be sent in time.") from error

    async def wait_for_head(self, patience: float | None) -> None:
        """Wait for status and headers."""
        self._patience = patience
        while not self._open:
            await self._wait_for_more()

    async def read(self) -> bytes:
        """Return all that has come of the body; nothing at its end."""
        while not self._body:
            if self.complete:
                return b""
            await self._wait_for_more()
        whole = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        self._body.clear()
        self.unread_bytes = 0
        if self.paused:
            self.paused = False
            cast(asyncio.Transport, self._transport).resume_reading()
        return whole

    async def _wait_for_more(self) -> None:
        """Wait for something new."""
        if self._fault is not None:
            raise self._fault
        self._waiter = self._loop.create_future()
        self._waiting_since = self._loop.time()
        if self._clock is None and self._patience is not None:
            self._clock = self._loop.call_later(self._patience, self._look, context=Context())
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _look(self) -> None:
        """Check seldom, with one timer for all reads, how long a read has waited."""
        self._clock = None
        if self._waiter is None:
            return
        left = self._waiting_since + cast(float, self._patience) - self._loop.time()
        if left <= 0:
            self._fail(httpx2.ReadTimeout("The server was silent for too long."))
            self.close()
        else:
            self._clock = self._loop.call_later(left, self._look, context=Context())

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, fault: Exception) -> None:
        self._fault = self._fault or fault
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(self._fault)

    def close(self) -> None:
        """Hang up at once."""
        self._stop_clock()
        if self._transport is not None:
            self._transport.abort()
        self._fault = self._fault or httpx2.ReadError("The connection is closed.")

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport of a new connection."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Take the bytes that were received."""
        if self.complete:  # No request is open: the next one must not read these bytes as its answer.
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if self.complete:  # The answer was complete before the fault.
                self._wake()
            else:
                kind = type(error).__name__
                self._fail(httpx2.RemoteProtocolError(f"The server does not speak HTTP: {kind}."))
            self.close()
            return
        if self.unread_bytes > _MOST_WAITING and not self.paused:
            self.paused = True
            cast(asyncio.Transport, self._transport).pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        """Note that the server closed its side: the end of a body without a length, else a body that was cut off."""
        if self._open and self._ends_with_connection():
            self.complete = True
            self._wake()
        self._fault = self._fault or httpx2.RemoteProtocolError("The server hung up.")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is lost."""
        self.resume_writing()
        if exc is None:
            self._fail(httpx2.RemoteProtocolError("The server hung up before its answer ended."))
        else:
            self._fail(httpx2.ReadError("The connection broke."))

    def pause_writing(self) -> None:
        """Note that the server reads slowly."""
        self._writable = self._loop.create_future()

    def resume_writing(self) -> None:
        """Note that the server has caught up."""
        waited, self._writable = self._writable, None
        if waited is not None and not waited.done():
            waited.set_result(None)

    def _ends_with_connection(self) -> bool:
        return not {b"content-length", b"transfer-encoding"} & {name.lower() for name, _ in self.headers}

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        """Refuse what follows a whole answer: it is not parsed, and ends the connection."""
        if self.complete:
            raise httptools.HttpParserError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; those of a trailer arrive after the body and are ignored."""
        if not self._open:
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note that all headers have arrived; an answer below 200 only announces another."""
        self.status = self._parser.get_status_code()
        self._keeps = self._parser.should_keep_alive()
        self._open = self.status >= 200  # noqa: PLR2004  # HTTP
        if not self._open:
            self.headers = []

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        self._body.append(body)
        self.unread_bytes += len(body)

    def on_message_complete(self) -> None:
        """Note the end of an answer."""
        self.complete = self._open
