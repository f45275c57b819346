"""uvicorn's protocols with what they lack against bad clients: deadlines, aborts, answers to broken handshakes.

They override methods of classes that uvicorn does not promise to keep, so its minor version is pinned. What an override
adds is proven in tests/integration on real connections: bad, slow and endless heads and handshakes in ws/test_bad_wire,
who stops reading in ws/test_vanished, ws/test_hardship and api/test_hardship, what is let go of in ws/test_let_go, the
end of a process in degradation/test_drain.
"""

import asyncio
import re
import sys
from collections.abc import Callable
from typing import Any

from httptools import HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from websockets.http11 import Request
from websockets.protocol import State

from server.proxies import counted_address
from server.rooms.wire import EXTENSION
from server.ws.fair_reading import FairReader

HEAD_S = 5.0
BODY_S = 60.0
STALL_S = 10.0
CLOSE_S = 3.0
LEAVE_S = 2.0
"""For answers that are still under way when the process goes; less than uvicorn waits before it cancels them."""

HEAD_BYTES = 32 * 1024
HEAD_FIELDS = 128
PIPELINED = 32
"""Requests of one connection that wait for the answer before them."""

PIECES = 16_384
"""Parts in which one body may come: a chunk costs as much work as a thousand bytes."""

WAKE_BYTES = 16 * 1024
"""The application is woken for so much of a body, or for its end: not for each byte of a slow one."""

REST_BYTES = 256 * 1024
"""So much of a body may still come after its answer; a client that sends more does not read."""

_ALWAYS = asyncio.Event()
"""Set for ever: the parent's `send` is for handshakes only, which no buffer is too full for."""
_ALWAYS.set()

_end_of_authority = re.compile(rb"[/?#]")


class TooMuch(Exception):
    """A client sends more parts of something than anybody needs; the parser stops and the request is malformed."""


class HardHTTP(HttpToolsProtocol):
    """Ends whoever does not finish a request's head or body, and whoever stops reading the answer."""

    _deadline: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    _head: int | None = 0
    """Bytes of the head so far; None while no head is being read."""
    _fields = 0
    _pieces = 0
    _rest = 0
    _upgraded_at: int | None = None
    """Where the frames of a socket begin in what came with the end of its head."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first request's head its time."""
        super().connection_made(transport)
        self._expect(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._expect(None)
        self._stall = _stop(self._stall)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse a head without end, and what still comes of a body that is answered."""
        super().data_received(data)
        if self._upgraded_at is not None:  # The parent drops what came with the head.
            if early := data[self._upgraded_at :]:
                self.transport.get_protocol().data_received(early)  # type: ignore[attr-defined]
            return
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.response_complete and cycle.more_body:
            self._rest += len(data)
            if self._rest > REST_BYTES:
                self.transport.abort()
        if self._head is not None and not self.transport.is_closing():
            self._head += len(data)
            if self._head > HEAD_BYTES:
                self.send_400_response("Request head is too large.")

    def on_message_begin(self) -> None:
        """Begin a request: its head has its time."""
        if len(self.pipeline) >= PIPELINED:
            raise TooMuch
        self._head = 0 if self._head is None else self._head
        self._fields = self._pieces = self._rest = 0
        self._expect(HEAD_S)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take one header; the parser calls this as often as a client likes."""
        self._fields += 1
        if self._fields > HEAD_FIELDS:
            raise TooMuch
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there; the body has its time."""
        self._head = None
        self._expect(BODY_S)
        self._add_target()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body, and wake the application when it is worth it."""
        self._pieces += 1
        if self._pieces > PIECES:
            raise TooMuch
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:  # Of a handshake, which has none; the parent ignores it.
            super().on_body(body)
            return
        woken = cycle.message_event.is_set()
        super().on_body(body)
        if not woken and len(cycle.body) < WAKE_BYTES and cycle.more_body and not cycle.response_complete:
            cycle.message_event.clear()

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._expect(None)
        super().on_message_complete()

    def _get_upgrade(self) -> bytes | None:
        """Return what is asked for in however many lines; HTTP/1.0 knows no upgrades (RFC 9110, section 7.8)."""
        if self.parser.get_http_version() != "1.1" or b"upgrade" not in self._tokens(b"connection"):
            return None
        asked = self._tokens(b"upgrade")
        return b"websocket" if b"websocket" in asked else b",".join(asked) or None

    def _tokens(self, header: bytes) -> list[bytes]:
        lines = b",".join(value for name, value in self.headers if name == header)
        return [token for each in lines.lower().split(b",") if (token := each.strip())]

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: who asks for another protocol gets the answer of this one."""

    def handle_websocket_upgrade(self) -> None:
        """Leave the deadlines to the socket's protocol."""
        self._expect(None)
        upgrade = sys.exception()
        self._upgraded_at = upgrade.args[0] if isinstance(upgrade, HttpParserUpgrade) else None
        super().handle_websocket_upgrade()
        # The parser holds us: nobody tells us when the connection is lost, and only a full collection would find both.
        self.parser = None  # type: ignore[assignment]

    def shutdown(self) -> None:
        """End whoever has not said yet what it wants; an answer that is under way has a little time."""
        super().shutdown()
        if self.transport.is_closing():  # By the parent: nothing is under way.
            return
        if self.cycle.more_body:
            self.transport.abort()
        else:
            self._expect(LEAVE_S)

    def pause_writing(self) -> None:
        """Give a reader that has stopped its time."""
        super().pause_writing()
        if self._stall is None:
            self._stall = self.loop.call_later(STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        self._stall = _stop(self._stall)
        super().resume_writing()

    def _add_target(self) -> None:
        """Take the host out of an absolute address: it counts like a Host header, so it is the same one or a second."""
        scheme, absolute, rest = self.url.partition(b"://")
        if not absolute or b"/" in scheme:
            return
        named = _end_of_authority.split(rest, maxsplit=1)[0]
        path = rest[len(named) :]
        self.url, named = path if path.startswith(b"/") else b"/" + path, named.lower()
        known = {value.lower().removesuffix(b":80") for name, value in self.headers if name == b"host"}
        if named.removesuffix(b":80") not in known:
            self.headers.append((b"host", named))

    def _expect(self, seconds: float | None) -> None:
        self._deadline = _stop(self._deadline)
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


class HardWS(FairReader):
    """Answers broken handshakes, aborts who stops reading, and gives no client more than its turn of the loop.

    It is also the wire of its connection: ready frames go straight to the transport, for as long as that takes them.
    """

    _handshake: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    _moved: Callable[[], None] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.writable = _ALWAYS

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the handshake its time."""
        super().connection_made(transport)
        self.close_timeout = CLOSE_S
        self._handshake = self.loop.call_later(HEAD_S, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._handshake, self._stall = _stop(self._handshake), _stop(self._stall)
        super().connection_lost(exc)
        self._flow()

    def handle_connect(self, event: Request) -> None:
        """The handshake is there."""
        self._handshake = _stop(self._handshake)
        super().handle_connect(event)

    async def run_asgi(self) -> None:
        """Give the application its way around the messages of ASGI, as long as it runs."""
        extensions: dict[str, Any] = self.scope.setdefault("extensions", {})
        extensions[EXTENSION] = self
        try:
            await super().run_asgi()
        finally:
            del extensions[EXTENSION]

    async def send(self, message: Any) -> None:
        """Forget the handshake once it is answered: the application has read what it needs."""
        await super().send(message)
        if message["type"] == "websocket.accept":
            # Known by now: before it came to the application, `Forwarded` has asked the proxies.
            self.conn.address = counted_address(str((self.scope.get("client") or ("",))[0]))
            self.scope["headers"] = []
            self.request.headers.clear()  # The parser of the handshake keeps the request itself.
            del self.request, self.response
            self._read_on()
        elif message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # By a refusal; the parent would log an error for each.

    def pause_writing(self) -> None:
        """The client does not read: take nothing more from it, and end it after a while."""
        self.full = True
        self._set_reading(False)
        if self._stall is None:
            self._stall = self.loop.call_later(STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        self._stall = _stop(self._stall)
        self._flow()
        self._read_on()

    def keepalive_timeout(self) -> None:
        """A dead client reads no close frame either."""
        super().keepalive_timeout()
        self.transport.abort()

    # As a wire.

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

    def follow(self, moved: Callable[[], None] | None) -> None:
        """Tell the connection when it may go on."""
        self._moved = moved

    def _flow(self) -> None:
        self.full = False
        if self._moved is not None:
            self._moved()

    def _late(self) -> None:
        if not self.handshake_initiated:
            self.transport.abort()


def _stop(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, and give what stands for no timer."""
    if timer is not None:
        timer.cancel()
    return None
