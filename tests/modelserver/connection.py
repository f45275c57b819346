"""As much HTTP/1.1 as a provider's API needs, with a hand on every byte that leaves."""

import asyncio
import json
import logging
import socket
import struct
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

logger = logging.getLogger(__name__)

_HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request with its whole body; header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Serve = Callable[[HttpRequest, "Connection"], Coroutine[Any, Any, None]]


class Connection(asyncio.Protocol):
    """One client. A request's task ends when its client goes away, as a provider's does."""

    def __init__(self, serve: Serve, live: set["Connection"]) -> None:
        """`live` is the server's set of open connections."""
        self._serve = serve
        self._live = live
        self._buffer = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._transport: asyncio.Transport | None = None

    @property
    def transport(self) -> asyncio.Transport:
        """Return the open transport."""
        assert self._transport is not None, "not connected yet"
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be counted."""
        # Not asserted: uvloop's transports are no subclass of asyncio's.
        self._transport = cast(asyncio.Transport, transport)
        self._live.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop what was being answered."""
        self._writable.set()
        if self._task is None:
            self._live.discard(self)
        else:
            self._task.cancel()

    def pause_writing(self) -> None:
        """The client reads too slowly."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """Collect; a complete request starts its task, one at a time."""
        self._buffer += data
        self._next()

    def _next(self) -> None:
        if self._task is not None or self.transport.is_closing():
            return
        try:
            request = self._take()
        except ValueError:
            logger.warning("unreadable request")
            self.transport.close()
            return
        if request is not None:
            # The connection owns this task: connection_lost cancels it, the server awaits it.
            self._task = asyncio.get_running_loop().create_task(self._serve(request, self))
            self._task.add_done_callback(self._served)

    def _take(self) -> HttpRequest | None:
        end = self._buffer.find(_HEAD_END)
        if end < 0:
            return None
        first, *lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        pairs = (line.split(":", 1) for line in lines)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        if "transfer-encoding" in headers:
            raise ValueError("chunked requests are not read")
        start = end + len(_HEAD_END)
        stop = start + int(headers.get("content-length", 0))
        if len(self._buffer) < stop:
            return None
        body = bytes(self._buffer[start:stop])
        del self._buffer[:stop]
        return HttpRequest(method, target.split("?", 1)[0], headers, body)

    def _served(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("request failed", exc_info=error)
            self.transport.abort()
        if self.transport.is_closing():
            self._live.discard(self)
        else:
            self._next()

    def open(self, status: int, headers: dict[str, str]) -> None:
        """Send status and headers; `content-length` absent means chunks follow."""
        if "content-length" not in headers:
            headers = headers | {"transfer-encoding": "chunked"}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        self.transport.write(f"{line}{head}\r\n".encode("latin-1"))

    def chunks(self, pieces: list[bytes]) -> None:
        """Send each piece as an HTTP chunk of its own, all in one write."""
        framed = (b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece)
        self.transport.write(b"".join(framed))

    def end(self) -> None:
        """End a chunked body."""
        self.transport.write(b"0\r\n\r\n")

    async def drain(self) -> None:
        """Wait until the client takes more."""
        await self._writable.wait()

    def answer(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        """A whole JSON answer."""
        body = json.dumps(value, ensure_ascii=False).encode()
        fixed = {"content-type": "application/json", "content-length": str(len(body))}
        self.open(status, fixed | (headers or {}))
        self.transport.write(body)

    def hang_up(self, *, reset: bool = False) -> None:
        """Close without ending the body; `reset` sends RST instead of FIN."""
        if not reset:
            self.transport.close()
            return
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    async def stop(self) -> None:
        """Drop the client and wait for what was being answered."""
        task = self._task
        self.transport.abort()
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
