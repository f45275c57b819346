"""The outbox of one reader: the frames that wait to be sent, bounded, and merged while the reader is slow."""

import json
from collections import deque
from dataclasses import dataclass

from server import metrics
from server.bus import Entry
from server.protocol.codec import decode_event, encode_event
from server.protocol.envelope import durable
from server.protocol.events import text_content
from server.protocol.folds import EVENTS
from server.rooms.frame_writer import Framing, text_frame

MAX_BYTES = 1 << 20
MAX_FRAMES = 256
MERGE_ABOVE = 64

_DELTAS = tuple(f'{{"type":"{name}"'.encode() for name, kind in EVENTS.items() if kind.merged)
"""How the JSON of an event begins that may be merged with the one before it."""


class Slow(Exception):
    """The reader is too far behind to be waited for."""


@dataclass(slots=True)
class _QueuedFrame:
    """One ready frame; a text delta keeps its event, so that the next one can join it."""

    data: bytes
    first: Entry | None = None
    seq: int = 0
    told: str | None = None
    """The epoch, when the frame tells it."""
    message_id: str = ""
    texts: list[str] | None = None
    """The deltas that are merged in this frame; None while it is the one frame that was put in."""
    size: int = 0

    def frame(self, framing: Framing) -> bytes:
        """Give the bytes to send."""
        if self.texts is None or self.first is None:
            return self.data
        event = encode_event(text_content(self.message_id, "".join(self.texts)))
        payload = durable(self.seq, event, epoch=self.told, first=self.first.seq)
        return framing(payload, self.first.epoch, self.seq)


class Outbox:
    """At most 1 MiB or 256 frames; above 64 frames adjacent deltas of one text become one frame."""

    __slots__ = ("_bytes", "_framing", "_waiting")

    def __init__(self, framing: Framing = text_frame) -> None:
        self._framing = framing
        self._waiting: deque[_QueuedFrame] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Count the frames."""
        return len(self._waiting)

    @property
    def size(self) -> int:
        """The bytes of the frames, without those of snapshots and replays."""
        return self._bytes

    def put(self, data: bytes) -> None:
        """Add a frame that stays as it is. Raises Slow when there is no room."""
        self._add(_QueuedFrame(data, size=len(data)))

    def put_whole(self, data: bytes) -> None:
        """Add a snapshot or a replay, whose size is not the reader's fault. Raises Slow after too many."""
        self._add(_QueuedFrame(data))

    def put_event(self, data: bytes, entry: Entry, told: str | None) -> None:
        """Add the frame of an event; `told` is the epoch in it, if any. Raises Slow when there is no room."""
        delta = entry if entry.json.startswith(_DELTAS) else None
        if delta is not None and told is None and len(self._waiting) >= MERGE_ABOVE and self._merge(delta):
            return
        self._add(_QueuedFrame(data, delta, entry.seq, told, size=len(data)))

    def take(self) -> bytes | None:
        """Remove and return the next frame; None when nothing waits."""
        if not self._waiting:
            return None
        waiting = self._waiting.popleft()
        self._bytes -= waiting.size
        return waiting.frame(self._framing)

    def _add(self, waiting: _QueuedFrame) -> None:
        if len(self._waiting) >= MAX_FRAMES or self._bytes + waiting.size > MAX_BYTES:
            raise Slow
        self._waiting.append(waiting)
        self._bytes += waiting.size

    def _merge(self, delta: Entry) -> bool:
        """Let a delta join the last frame, when that is the delta just before it in the same text."""
        last = self._waiting[-1]
        if last.first is None or last.seq != delta.seq - 1:
            return False
        event = decode_event(delta.json)
        if last.texts is None:
            known = decode_event(last.first.json)
            last.message_id, last.texts = known["messageId"], [known["delta"]]
        if event["messageId"] != last.message_id:
            return False
        size = len(json.dumps(event["delta"], ensure_ascii=False).encode())
        if self._bytes + size > MAX_BYTES:
            raise Slow
        last.texts.append(event["delta"])
        metrics.MERGED_EVENTS.inc()
        last.seq = delta.seq
        last.size += size
        self._bytes += size
        return True
