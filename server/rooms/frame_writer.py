"""The transport below a connection: it takes ready frames without a task, a queue or a copy."""

from collections.abc import Callable
from typing import Protocol

EXTENSION = "loopwire.frame_writer"
"""The ASGI extension under which a socket's scope has its frame writer."""

_TEXT = 0x81
_SHORT, _LONG = 126, 1 << 16


class Framing(Protocol):
    """The frames of a text for one transport."""

    def __call__(self, payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        """Frame a text; with an epoch it has the reader's position in the log after the text."""
        ...


class FrameWriter(Protocol):
    """The part of the protocol below that a connection uses. No method waits."""

    full: bool
    """The transport has enough: what is to be sent has to wait until `follow`'s callback."""

    def send_frame(self, frame: bytes) -> bool:
        """Hand over a ready frame; false when the transport is full. A socket that has ended swallows it."""
        ...

    def send_close(self, code: int, reason: str) -> None:
        """End the socket; only the first close counts. Not while the transport is full."""
        ...

    def follow(self, on_writable: Callable[[], None] | None) -> None:
        """Call back whenever the transport is no longer full, be it because the socket is lost."""
        ...


def text_frame(payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
    """Frame a text for a socket: whole, unmasked, not compressed (RFC 6455 §5.2). The position is in the text."""
    size = len(payload)
    if size < _SHORT:
        return bytes((_TEXT, size)) + payload
    if size < _LONG:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload
