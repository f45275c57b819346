"""What waits to be sent to one socket: bounded, and merged while its reader is slow."""

import json
from collections import deque
from dataclasses import dataclass

from server.protocol.codec import decode_event, encode_event
from server.protocol.envelope import durable
from server.protocol.events import text_content
from server.ws.wire import text_frame

MAX_BYTES = 1 << 20
MAX_FRAMES = 256
MERGE_ABOVE = 64

_DELTA = b'{"type":"TEXT_MESSAGE_CONTENT"'


class Slow(Exception):
    """The reader is too far behind to be waited for."""


@dataclass(slots=True)
class _Waiting:
    """One ready frame; a text delta keeps its event, so that the next one can join it."""

    data: bytes
    first: int = 0
    seq: int = 0
    epoch: str | None = None
    delta: bytes | None = None
    message_id: str = ""
    texts: list[str] | None = None
    """The deltas that this frame stands for; None while it is the one frame that was put in."""
    size: int = 0

    def frame(self) -> bytes:
        """Give the bytes to send."""
        if self.texts is None:
            return self.data
        event = encode_event(text_content(self.message_id, "".join(self.texts)))
        return text_frame(durable(self.seq, event, epoch=self.epoch, first=self.first))


class Outbox:
    """At most 1 MiB or 256 frames; above 64 frames adjacent deltas of one text become one frame."""

    __slots__ = ("_bytes", "_waiting")

    def __init__(self) -> None:
        """Start empty."""
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Count the frames."""
        return len(self._waiting)

    def put(self, data: bytes) -> None:
        """Add a frame that stays as it is. Raises Slow when there is no room."""
        self._add(_Waiting(data, size=len(data)))

    def put_whole(self, data: bytes) -> None:
        """Add a snapshot or a replay, whose size is not the reader's fault. Raises Slow after too many."""
        self._add(_Waiting(data))

    def put_event(self, data: bytes, seq: int, event_json: bytes, epoch: str | None) -> None:
        """Add the frame of an event. Raises Slow when there is no room."""
        delta = event_json if event_json.startswith(_DELTA) else None
        if delta is not None and len(self._waiting) >= MERGE_ABOVE and self._merge(seq, delta, epoch):
            return
        self._add(_Waiting(data, seq, seq, epoch, delta, size=len(data)))

    def take(self) -> bytes | None:
        """Remove and return the next frame; None when nothing waits."""
        if not self._waiting:
            return None
        waiting = self._waiting.popleft()
        self._bytes -= waiting.size
        return waiting.frame()

    def _add(self, waiting: _Waiting) -> None:
        if len(self._waiting) >= MAX_FRAMES or self._bytes + waiting.size > MAX_BYTES:
            raise Slow
        self._waiting.append(waiting)
        self._bytes += waiting.size

    def _merge(self, seq: int, delta: bytes, epoch: str | None) -> bool:
        """Let a delta join the last frame, when that is the delta just before it in the same text."""
        last = self._waiting[-1]
        if last.delta is None or last.seq != seq - 1 or epoch is not None:
            return False
        event = decode_event(delta)
        if last.texts is None:
            known = decode_event(last.delta)
            last.message_id, last.texts = known["messageId"], [known["delta"]]
        if event["messageId"] != last.message_id:
            return False
        size = len(json.dumps(event["delta"], ensure_ascii=False).encode())
        if self._bytes + size > MAX_BYTES:
            raise Slow
        last.texts.append(event["delta"])
        last.seq = seq
        last.size += size
        self._bytes += size
        return True
