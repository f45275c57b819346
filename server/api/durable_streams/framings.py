"""The frames of a reader's connection in the form of Durable Streams: only frames that have a place in the log."""

from server.api.durable_streams.offsets import LogPosition
from server.protocol.codec import encode_json
from server.protocol.envelope import frames_of_batch

_QUEUE = b'{"type":"queue"'
"""The beginning of the frame that ends a welcome."""

_NOTHING = b":\n\n"


class EventFraming:
    """Frames for server-sent events: the items, then where the reader is.

    Frames up to `start` are left out: the reader has them.
    """

    def __init__(self, start: LogPosition, cursor: str) -> None:
        self._start = start
        self._cursor = cursor
        self._has_begun = False

    def __call__(self, payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        """Frame the items of a place; the end of the welcome says where the reader is if nothing did before."""
        position = LogPosition.of(epoch, seq) if epoch else self._start
        if not self._start.reaches(position):
            self._has_begun = True
            return b"event: data\ndata:[%b]\n\n%b" % (frames_of_batch(payload), self._control(position))
        if payload.startswith(_QUEUE) and not self._has_begun:
            self._has_begun = True
            return self._control(self._start)
        return _NOTHING

    def _control(self, position: LogPosition) -> bytes:
        told = {"streamNextOffset": position.offset, "streamCursor": self._cursor, "upToDate": True}
        return b"event: control\ndata:%b\n\n" % encode_json(told).encode()


class ItemFraming:
    """Frames for one response: the offset after the items, a line break, and the items with commas between them.

    Both are in one frame, since a connection that is closing drops frames that were made for it.
    """

    def __init__(self, start: LogPosition) -> None:
        self._start = start

    def __call__(self, payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        """Frame the items of a place; nothing of another frame."""
        position = LogPosition.of(epoch, seq) if epoch else self._start
        if self._start.reaches(position):
            return b""
        return b"%b\n%b" % (position.offset.encode(), frames_of_batch(payload))
