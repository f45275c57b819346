"""uvicorn's WebSocket protocol with deadlines and bounds against bad clients; it is also its connection's frame writer.

What an override adds is proven as `hardened` says.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from websockets.protocol import State

from server import metrics
from server.http.hardened import STALL_S, stop_timer
from server.proxies import counted_client
from server.rooms.frame_writer import EXTENSION
from server.ws.fair_reader import FairReader

CLOSE_S = 3.0

_ALWAYS = asyncio.Event()
"""Set for ever: the parent's `send` is for handshakes only, which no buffer is too full for."""
_ALWAYS.set()


class HardenedSocketProtocol(FairReader):
    """Aborts clients that stop reading, and bounds a client's frames per turn of the loop.

    It is also the frame writer of its connection: ready frames go straight to the transport, as long as it takes them.
    """

    _stall: asyncio.TimerHandle | None = None
    _on_writable: Callable[[], None] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.writable = _ALWAYS

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the closing handshake its time; the other one comes whole, from the protocol of requests."""
        super().connection_made(transport)
        self.close_timeout = CLOSE_S

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stall = stop_timer(self._stall)
        super().connection_lost(exc)
        self._flow()

    async def run_asgi(self) -> None:
        """Give the application its way around the messages of ASGI, as long as it runs."""
        extensions: dict[str, Any] = self.scope["extensions"]
        extensions[EXTENSION] = self
        try:
            await super().run_asgi()
        finally:
            del extensions[EXTENSION]

    async def send(self, message: Any) -> None:
        """Forget the handshake once it is answered: the application has read what it needs."""
        await super().send(message)
        if message["type"] == "websocket.accept":
            # `Forwarded` has resolved the address by now.
            self.conn.address = counted_client(self.scope)
            self.scope["headers"] = []
            self.request.headers.clear()  # The handshake's parser keeps the request object.
            del self.request, self.response
            self._read_on()
        elif message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # By a refusal, for which the parent class would log an error.

    def pause_writing(self) -> None:
        """Take nothing more from a client that does not read, and end it after a while."""
        self.full = True
        self._set_reading(False)
        self._stall = self.loop.call_later(STALL_S, self._abort, metrics.STALLED)

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        self._stall = stop_timer(self._stall)
        self._flow()
        self._read_on()

    def keepalive_timeout(self) -> None:
        """Abort the connection: a dead client reads no close frame either."""
        super().keepalive_timeout()
        self._abort(metrics.SILENT)

    # The interface of a frame writer.

    def send_frame(self, frame: bytes) -> bool:
        """Write a ready frame unless the transport has enough; nothing follows a close frame."""
        if self.full:
            return False
        if self.conn.state is State.OPEN and not self.transport.is_closing():
            self.transport.write(frame)
        return True

    def send_close(self, code: int, reason: str) -> None:
        """Begin the closing handshake, as the parent does for the message of ASGI, which would have to be awaited."""
        if self.close_sent or self.conn.state is not State.OPEN or self.transport.is_closing():
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.close_timer = self.loop.call_later(self.close_timeout, self.transport.close)
        self._read_on()

    def follow(self, on_writable: Callable[[], None] | None) -> None:
        """Call `on_writable` whenever the transport takes frames again."""
        self._on_writable = on_writable

    def _flow(self) -> None:
        self.full = False
        if self._on_writable is not None:
            self._on_writable()

    def _abort(self, reason: str) -> None:
        """End the connection without a close frame, which this client would not read."""
        metrics.CLOSED_READERS.labels(reason).inc()
        self.transport.abort()
