"""Fair reading: a bound on the frames of one socket that are read in a turn of the loop."""

import asyncio
import logging
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Close, Frame, Opcode
from websockets.http11 import Request

from server.ws.frame_parser import FrameCounts, FrameParser

TURN_BYTES = 16 * 1024
TURN_FRAMES = 256
"""The bytes and frames of one socket that are parsed before all other sockets get a turn."""

LINGER_S = 1.0
LINGER_BYTES = 64 * 1024
"""Seconds and bytes for which the server reads and discards what a client sends after a broken frame."""

_BAD_HANDSHAKE = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_OTHER_VERSION = (
    b"HTTP/1.1 426 Upgrade Required\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nContent-Length: 0\r\n\r\n"
)


class Incoming:
    """The messages that wait for the application, in order. An asyncio.Queue would take four kilobytes a socket."""

    __slots__ = ("_items", "_waiter")

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._waiter: asyncio.Future[None] | None = None

    def put_nowait(self, item: Any) -> None:
        """Add a message."""
        self._items.append(item)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> Any:
        """Wait for the next message; only one may wait."""
        while not self._items:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._items.pop(0)

    def empty(self) -> bool:
        """Return whether nothing waits."""
        return not self._items


class FairReader(WebSocketsSansIOProtocol):
    """Parses a bounded part of the received bytes, message by message, and lets other tasks run before the next."""

    conn: FrameParser
    full = False
    """The client does not read what we send."""
    _turn: asyncio.Handle | None = None
    """The next turn, when this one was not enough."""
    _late_bytes = 0

    def __init__(self, *args: Any, counts: FrameCounts, **kwargs: Any) -> None:
        """Parse by RFC 6455; `counts` is the whole server's."""
        super().__init__(*args, **kwargs)
        self.queue = Incoming()  # type: ignore[assignment]
        self.conn = FrameParser(
            counts,
            max_size=self.config.ws_max_size,
            logger=logging.getLogger("uvicorn.error"),
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop what was not parsed."""
        super().connection_lost(exc)
        self.conn.forget()
        self.conn.parser.close()  # A suspended generator would keep its owner alive.

    def data_received(self, data: bytes) -> None:
        """Take received bytes, now or when it is the socket's turn."""
        if not self.handshake_initiated:
            self._shake_hands(data)
        elif self.conn.parser_exc is None:
            self.conn.keep(data)
            if self._turn is None:
                self._take_turn()
        else:
            self._late_bytes += len(data)
            if self._late_bytes > LINGER_BYTES:
                self.transport.close()

    def _shake_hands(self, head: bytes) -> None:
        """Answer a handshake that cannot be parsed; the parent would stay silent."""
        self.conn.receive_data(head)
        if self.conn.handshake_exc is None:
            self.handle_events()
        else:
            self._refuse_handshake(_BAD_HANDSHAKE)

    def _refuse_handshake(self, answer: bytes) -> None:
        self.transport.write(answer)
        self.handshake_initiated = self.handshake_complete = self.close_sent = True
        self.transport.close()

    def handle_connect(self, event: Request) -> None:
        """Refuse another version of the protocol with the one that we speak (RFC 6455, section 4.4)."""
        if event.headers.get_all("Sec-WebSocket-Version") != ["13"]:
            self._refuse_handshake(_OTHER_VERSION)
            return
        super().handle_connect(event)

    def _take_turn(self) -> None:
        """Parse frames up to the bounds of a turn, or to a message that the application has not read yet."""
        self._turn = None
        size, frames = TURN_BYTES, TURN_FRAMES
        while size > 0 and frames > 0 and not self._waits() and not self.transport.is_closing():
            taken = self.conn.take_frame(size)
            if taken == 0:
                self._set_reading(True)
                return
            size, frames = size - taken, frames - 1
            self.handle_events()
            if self.conn.parser_exc is not None:
                self.handle_parser_exception()
                return
        self._set_reading(False)
        self._read_on()

    def _waits(self) -> bool:
        """Return whether the next frame must wait for our answer, for the application, or for the client to read."""
        return not self.handshake_complete or self.full or not (self.close_sent or self.queue.empty())

    def _read_on(self) -> None:
        """Read on unless something has to be waited for: first what was kept, in the loop's next round."""
        if self._waits() or self._turn is not None or self.transport.is_closing():
            return
        if self.conn.has_kept():
            self._turn = self.loop.call_soon(self._take_turn)
        else:
            self._set_reading(True)

    def _set_reading(self, reads: bool) -> None:
        if reads is self.read_paused and not self.transport.is_closing():
            self.read_paused = not reads
            (self.transport.resume_reading if reads else self.transport.pause_reading)()

    def handle_events(self) -> None:
        """Hand on what was parsed, and send what the protocol answers by itself."""
        for event in self.conn.events_received():
            if isinstance(event, Request):
                self.handle_connect(event)
            elif isinstance(event, str):
                self._put({"type": "websocket.receive", "text": event})
            elif event.opcode is Opcode.PONG:  # type: ignore[union-attr]
                self.handle_pong(event)  # type: ignore[arg-type]
            elif event.opcode is Opcode.CLOSE:  # type: ignore[union-attr]
                self.handle_close(event)  # type: ignore[arg-type]
            elif event.opcode is not Opcode.PING:  # type: ignore[union-attr]
                self._put({"type": "websocket.receive", "bytes": b""})
        if output := b"".join(self.conn.data_to_send()):
            self.transport.write(output)

    def _put(self, message: Any) -> None:
        """Give the application a message, unless it has sent its close frame."""
        if not self.close_sent:
            self.queue.put_nowait(message)

    def handle_parser_exception(self) -> None:
        """Close with the right code."""
        sent: Close = self.conn.close_sent  # type: ignore[assignment]  # A parser that fails sends one.
        self._put({"type": "websocket.disconnect", "code": sent.code, "reason": sent.reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.conn.forget()
        self._linger()

    def _linger(self) -> None:
        """End our direction and read a little longer what is on its way (RFC 6455, section 7.1.1).

        A connection that is closed with unread bytes is reset, and its client may never see the close frame.
        """
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._set_reading(True)
        self.close_timer = self.loop.call_later(LINGER_S, self.transport.close)

    def handle_close(self, event: Frame) -> None:
        """Answer the close frame, or end a connection that this side closed. In both cases no frame follows."""
        super().handle_close(event)
        self.close_sent = True

    async def receive(self) -> Any:
        """Read on only when the application has taken all received messages and the client takes the sent ones."""
        message = await self.queue.get()
        if self.queue.empty():
            self._read_on()
        return message
