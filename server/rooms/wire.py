"""The way out to a reader: ready frames, handed to a transport without a task, a queue or a copy."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Protocol

from server.asgi import Send

EXTENSION = "loopwire.wire"
"""The ASGI extension under which a socket's scope has its wire."""

_TEXT = 0x81
_SHORT, _LONG = 126, 1 << 16


class Framing(Protocol):
    """How a text stands on a wire."""

    def __call__(self, payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        """Frame a text; with an epoch it is the position in the log after which the reader stands."""
        ...


class Wire(Protocol):
    """What a connection needs of the protocol below it. Nothing here waits."""

    full: bool
    """The transport has enough: what is to be sent has to wait until `follow`'s callback."""

    def send_frame(self, frame: bytes) -> bool:
        """Hand over a ready frame; false when the wire is full. A socket that has ended swallows it."""
        ...

    def send_close(self, code: int, reason: str) -> None:
        """End the socket; only the first close counts. Not while the wire is full."""
        ...

    def follow(self, moved: Callable[[], None] | None) -> None:
        """Call back whenever the wire is no longer full, be it because the socket is lost."""
        ...


async def deny(send: Send, status: HTTPStatus) -> None:
    """Refuse a socket before it is accepted: a browser sees only that it failed."""
    headers = [(b"content-type", b"text/plain")]
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", b"2"))
    await send({"type": "websocket.http.response.start", "status": status.value, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b""})


def text_frame(payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
    """Frame a text for a socket: whole, unmasked, not compressed (RFC 6455 §5.2). The position is in the text."""
    size = len(payload)
    if size < _SHORT:
        return bytes((_TEXT, size)) + payload
    if size < _LONG:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload
