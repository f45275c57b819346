"""One socket of the load: it notes when each frame came and looks into it only after the measurement."""

import asyncio
import time
from collections.abc import Callable
from typing import Self, cast

from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import enable_client_permessage_deflate
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.typing import Origin, Subprotocol
from websockets.uri import parse_uri

PATIENCE_S = 60.0
PLAIN_TEXT = 0x81
"""The first byte of a text frame that is whole and not compressed."""

Noted = tuple[int, bytes]
"""The monotonic time in ns at which a frame came, and its payload."""


class Wire(asyncio.Protocol):
    """A WebSocket client without queues or tasks, so that the load costs little and its clock is exact."""

    def __init__(
        self, url: str, origin: str, subprotocol: str | None, headers: dict[str, str], deflate: bool
    ) -> None:
        """Prepare a connection; `open` makes it."""
        named = [Subprotocol(subprotocol)] if subprotocol else None
        self._protocol = ClientProtocol(
            parse_uri(url),
            origin=Origin(origin),
            subprotocols=named,
            extensions=enable_client_permessage_deflate(None) if deflate else None,
            max_size=None,
        )
        self._headers = headers
        self._transport: asyncio.Transport
        self._wanted: Callable[[bytes], bool] = _nothing
        self._left = 0
        self._is_open, self._rest = False, b""
        self._came: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.frames: list[Noted] = []

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        origin: str = "http://localhost",
        subprotocol: str | None = None,
        headers: dict[str, str] | None = None,
        deflate: bool = False,
    ) -> Self:
        """Connect, and return when the handshake is done."""
        wire = cls(url, origin, subprotocol, headers or {}, deflate)
        where = parse_uri(url)
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: wire, where.host, where.port)
        async with asyncio.timeout(PATIENCE_S):
            await wire._came
        return wire

    @property
    def deflates(self) -> bool:
        """Return whether the server has taken the offer to compress."""
        return bool(self._protocol.extensions)

    def send(self, text: str) -> int:
        """Send a text frame and return when, in ns."""
        self._protocol.send_text(text.encode())
        at = time.monotonic_ns()
        self._write()
        return at

    def expect(self, wanted: Callable[[bytes], bool], times: int = 1) -> asyncio.Future[None]:
        """Forget what came, and give a future of the moment when so many wanted frames have come."""
        self.frames = []
        self._wanted, self._left = wanted, times
        self._came = asyncio.get_running_loop().create_future()
        return self._came

    def close(self) -> None:
        """Close politely."""
        self._wanted = _nothing
        if not self._transport.is_closing():
            self._protocol.send_close(1000)
            self._write()

    def abort(self) -> None:
        """Be gone without a word."""
        self._wanted = _nothing
        self._transport.abort()

    # What asyncio tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say hello by HTTP."""
        self._transport = cast(asyncio.Transport, transport)
        request = self._protocol.connect()
        request.headers.update(self._headers)
        self._protocol.send_request(request)
        self._write()

    def data_received(self, data: bytes) -> None:
        """Note every frame. Plain text is taken here, since the load must stay cheap; the rest is the protocol's."""
        at = time.monotonic_ns()
        if not self._is_open:
            self._pass_on(data, at)
            return
        data = self._rest + data if self._rest else data
        while (end := frame_end(data)) is not None:
            start, stop = end
            if data[0] == PLAIN_TEXT:
                self._note(at, data[start:stop])
            else:
                self._pass_on(data[:stop], at)
            data = data[stop:]
        self._rest = data

    def _pass_on(self, data: bytes, at: int) -> None:
        """Let the protocol handle handshake, control frames and what is compressed."""
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                self._opened()
            elif isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self._note(at, bytes(event.data))
        self._write()

    def _note(self, at: int, payload: bytes) -> None:
        self.frames.append((at, payload))
        if self._left and self._wanted(payload):
            self._left -= 1
            if not self._left:
                _done(self._came)

    def connection_lost(self, _error: Exception | None) -> None:
        """Let nobody wait for what will not come."""
        if not self._came.done():
            self._came.set_exception(ConnectionError(f"closed: {self._protocol.close_code}"))
            self._came.exception()  # It may be that nobody waits.

    def _opened(self) -> None:
        if self._protocol.handshake_exc is None:
            self._is_open = True
            _done(self._came)
        else:
            self._came.set_exception(self._protocol.handshake_exc)

    def _write(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:
                self._transport.close()


def frame_end(data: bytes) -> tuple[int, int] | None:
    """Return where the payload of the first frame begins and ends; None until all of it is there (RFC 6455 section
    5.2).
    """
    if len(data) < 2:
        return None
    size, start = data[1], 2
    if size >= 126:
        start = 4 if size == 126 else 10
        if len(data) < start:
            return None
        size = int.from_bytes(data[2:start], "big")
    return (start, start + size) if len(data) >= start + size else None


def _nothing(_payload: bytes) -> bool:
    return False


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
