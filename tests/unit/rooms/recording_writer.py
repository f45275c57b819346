"""A frame writer that records the frames, and becomes full when a test says so."""

import json
from collections.abc import Callable
from typing import Any


class RecordingWriter:
    """Keeps what a connection sends."""

    def __init__(self) -> None:
        self.full = False
        self.sent: list[bytes] = []
        self.closed: tuple[int, str] | None = None
        self.on_writable: Callable[[], None] | None = None
        self.room = 0
        """After so many frames it is full; 0 for never."""

    def send_frame(self, frame: bytes) -> bool:
        if self.full:
            return False
        self.sent.append(frame)
        self.full = len(self.sent) == self.room
        return True

    def send_close(self, code: int, reason: str) -> None:
        assert not self.full
        assert self.closed is None
        self.closed = (code, reason)

    def follow(self, on_writable: Callable[[], None] | None) -> None:
        self.on_writable = on_writable

    def resume(self, room: int = 0) -> None:
        """Take frames again."""
        self.full, self.room = False, len(self.sent) + room if room else 0
        if self.on_writable is not None:
            self.on_writable()

    def frames(self) -> list[dict[str, Any]]:
        return [json.loads(read(each)) for each in self.sent]


def read(frame: bytes) -> bytes:
    """Return the payload of a text frame, which is whole and unmasked."""
    assert frame[0] == 0x81
    size, start = frame[1], 2
    if size == 126:
        size, start = int.from_bytes(frame[2:4], "big"), 4
    elif size == 127:
        size, start = int.from_bytes(frame[2:10], "big"), 10
    assert len(frame) == start + size
    return frame[start:]
