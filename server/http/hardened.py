"""uvicorn's HTTP protocol with deadlines, bounds and aborts against bad clients.

It overrides methods of a class that uvicorn does not promise to keep, as `hardened_socket` does, so its minor version
is pinned. What an override adds is proven in tests/integration on real connections: bad, slow and endless heads and
handshakes in ws/test_bad_wire, clients that stop reading in ws/test_lost_peers, ws/test_slow_readers and
api/test_stalled_streams, memory that is freed in ws/test_released_rooms, the end of a process in
degradation/test_drain.
"""

import asyncio
import re
import sys

from httptools import HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEAD_S = 5.0
BODY_S = 60.0
STALL_S = 10.0
LEAVE_S = 2.0
"""For answers that are still under way when the process goes; less than uvicorn waits before it cancels them."""

HEAD_BYTES = 32 * 1024
HEAD_FIELDS = 128
HEAD_READS = 256
"""Parts in which one head may come: a part costs as much work as a thousand bytes, however small it is."""

PIPELINED = 32
"""Requests of one connection that wait for the answer before them."""

PIECES = 16_384
"""Parts in which one body may come: a chunk costs as much work as a thousand bytes."""

SMALL_PIECES = 1024
PIECE_BYTES = 32
"""A body may come in so many parts of any size; if in more, they have so many bytes each, on the average."""

SWIFT_SEGMENTS = 32
"""Segments of one body that are read as they come, however small they are."""

SMALL_SEGMENT = 1024
GATHER_S = 0.05
"""A segment of fewer bytes than `SMALL_SEGMENT` costs as much as one of so many: after it the connection is read again
so much later, and what the client sent meanwhile is one segment. A hundred slow bodies take little of the loop so."""

BESIDE_BYTES = 256 * 1024
"""Bytes of one body that are sizes of chunks, what follows these, and trailers: 16,384 chunks need a third of it."""

REST_BYTES = 256 * 1024
"""Bytes of a body that are read after its answer; a client that sends more does not read."""

_end_of_authority = re.compile(rb"[/?#]")


class TooManyParts(Exception):
    """A client sends more parts of something than any client needs; the parser stops and the request is malformed."""


class HardenedHttpProtocol(HttpToolsProtocol):
    """Ends a client that does not finish a request's head or body, or stops reading the answer."""

    _deadline: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    _head: int | None = 0
    """Bytes of the reads of this head so far; None while no head is being read."""
    _said = 0
    """Bytes of its address and its headers so far, in however many reads."""
    _reads = 0
    """Parts in which this head has come so far."""
    _fields = 0
    _pieces = 0
    _bytes = 0
    """Bytes of the body so far."""
    _beside = 0
    """Bytes of the reads of this body that are none of it."""
    _rest = 0
    _segments = 0
    """Segments of the network in which this body has come so far."""
    _gathering: asyncio.TimerHandle | None = None
    _ended_here = False
    """Whether a request ended in this read: so much of it is not of the head that follows."""
    _upgraded_at: int | None = None
    """The offset of a socket's first frame in the bytes received with the end of its head."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first request's head its time."""
        super().connection_made(transport)
        self._expect(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._expect(None)
        self._stall = stop_timer(self._stall)
        self._gathering = stop_timer(self._gathering)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse a head without end or in too many parts, and what still comes of a body that is answered."""
        before: RequestResponseCycle | None = self.cycle
        body_before, self._ended_here = self._bytes, False
        if self._head is None and self._deadline is None and (before is None or before.response_complete):
            self._expect_head()  # The parser skips empty lines before a head, and does not say that it begins.
        super().data_received(data)
        if self._upgraded_at is not None:  # The parent class drops the bytes that it received with the head.
            if early := data[self._upgraded_at :]:
                self.transport.get_protocol().data_received(early)  # type: ignore[attr-defined]
            return
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.more_body:
            if cycle is before:
                self._beside += len(data) - (self._bytes - body_before)
            self._take_segment(len(data), is_answered=cycle.response_complete)
        if self._head is not None and not self.transport.is_closing():
            self._head += 0 if self._ended_here else len(data)
            self._reads += 1
            if self._head > HEAD_BYTES or self._reads > HEAD_READS:
                self.send_400_response("Request head is too large.")

    def on_message_begin(self) -> None:
        """Begin a request: its head has its time."""
        if len(self.pipeline) >= PIPELINED:
            raise TooManyParts
        self._expect_head()
        self._fields = self._said = self._pieces = self._bytes = self._beside = self._rest = (
            self._segments
        ) = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take one header; the parser calls this as often as a client likes."""
        self._fields += 1
        if self._fields > HEAD_FIELDS:
            raise TooManyParts
        self._count_head(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Note that the head is there; now the body has its time."""
        self._head = None
        self._expect(BODY_S)
        self._add_target()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._pieces += 1
        self._bytes += len(body)
        if self._pieces > SMALL_PIECES and self._pieces > min(PIECES, self._bytes / PIECE_BYTES):
            raise TooManyParts
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is complete."""
        self._ended_here = True
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
        """Log nothing: a client that asks for another protocol gets the answer of this one."""

    def handle_websocket_upgrade(self) -> None:
        """Leave the deadlines to the socket's protocol."""
        self._expect(None)
        upgrade = sys.exception()
        self._upgraded_at = upgrade.args[0] if isinstance(upgrade, HttpParserUpgrade) else None
        super().handle_websocket_upgrade()
        # Drop the parser, which refers back to this protocol: only a full collection would free the two.
        self.parser = None  # type: ignore[assignment]

    def shutdown(self) -> None:
        """End a client that has not sent its request yet; an answer that is under way has a little time."""
        super().shutdown()
        if self.transport.is_closing():
            # The parent class closes a connection on which nothing is in progress.
            return
        if self.cycle.more_body:
            self.transport.abort()
        else:
            self._expect(LEAVE_S)

    def pause_writing(self) -> None:
        """Give a reader that has stopped its time."""
        super().pause_writing()
        self._stall = self.loop.call_later(STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        self._stall = stop_timer(self._stall)
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

    def _count_head(self, size: int) -> None:
        """Bound a head that comes whole in one read, which has up to 250 KB, and the trailers of a body with it."""
        self._said += size
        if self._said > HEAD_BYTES:
            raise TooManyParts

    def _take_segment(self, size: int, *, is_answered: bool) -> None:
        """Bound what is read of an answered body, and how often one is read that comes in small segments."""
        self._segments += 1
        if is_answered:
            self._rest += size
            if self._rest > REST_BYTES:
                self.transport.abort()
        elif self._beside > BESIDE_BYTES:
            self.send_400_response("The parts beside the body are too large.")
        if self._segments > SWIFT_SEGMENTS and size < SMALL_SEGMENT and not self.transport.is_closing():
            self.transport.pause_reading()
            stop_timer(self._gathering)
            self._gathering = self.loop.call_later(GATHER_S, self._go_on)

    def _go_on(self) -> None:
        """Read what the client sent meanwhile, unless the application has not taken what it has."""
        self._gathering = None
        if not self.flow.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def _expect_head(self) -> None:
        self._head = self._reads = 0
        self._expect(HEAD_S)

    def _expect(self, seconds: float | None) -> None:
        self._deadline = stop_timer(self._deadline)
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


def stop_timer(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, and return None, the value of no timer."""
    if timer is not None:
        timer.cancel()
    return None
