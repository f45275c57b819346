"""The outbox of one reader: the frames that wait to be sent, bounded, and merged while the reader is slow."""

import json
from collections import deque
from dataclasses import dataclass, field

from server import metrics
from server.bus import Entry
from server.protocol.codec import decode_event, encode_event
from server.protocol.envelope import durable
from server.protocol.event_kinds import EVENTS
from server.protocol.events import Event
from server.rooms.frame_writer import Framing, text_frame

MAX_BYTES = 1 << 20
MAX_FRAMES = 256
MERGE_ABOVE = 64

_DELTAS = tuple(f'{{"type":"{name}"'.encode() for name, kind in EVENTS.items() if kind.merged)
"""The beginnings of the JSON of events that may be merged with the one before them."""


class Slow(Exception):
    """The reader is too far behind to be waited for."""


@dataclass(slots=True)
class _QueuedFrame:
    """One ready frame; a delta keeps its event, so that the next one can join it."""

    data: bytes
    first: Entry | None = None
    seq: int = 0
    epoch: str | None = None
    """The epoch, when the frame names it."""
    event: Event | None = None
    """The first event, once another delta has followed it."""
    deltas: list[str] = field(default_factory=list)
    """The deltas that are merged in this frame, once another has followed it."""
    size: int = 0
    durable: bool = False
    """The frame has events of the log, or a snapshot of them."""
    whole: bool = False
    """The frame is a snapshot or a replay."""

    def frame(self, framing: Framing) -> bytes:
        """Return the bytes to send."""
        if self.first is None or self.event is None:
            return self.data
        event = encode_event({**self.event, "delta": "".join(self.deltas)})
        payload = durable(self.seq, event, epoch=self.epoch, first=self.first.seq)
        return framing(payload, self.first.epoch, self.seq)


class Outbox:
    """At most 1 MiB or 256 frames; above 64 frames adjacent deltas of one message become one frame.

    Beside these at most one snapshot waits and one replay behind it, or the two replays of a reader that resumed.
    """

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
        """Return the bytes of the frames, without those of snapshots and replays."""
        return self._bytes

    def put(self, data: bytes) -> None:
        """Add a frame that stays as it is. Raises Slow when there is no room."""
        self._add(_QueuedFrame(data, size=len(data)))

    def put_replay(self, data: bytes) -> None:
        """Add missed events, whose size is not the reader's fault. Raises Slow when too many frames wait."""
        self._add(_QueuedFrame(data, durable=True, whole=True))

    def put_snapshot(self, data: bytes) -> None:
        """Add a snapshot, whose size is not the reader's fault. Raises Slow when too many frames wait.

        It replaces the snapshot or replay that waits, and the events behind that, since it has all that they say:
        it takes the place of the first of them, and the control frames behind that keep their order.
        """
        snapshot = _QueuedFrame(data, durable=True, whole=True)
        place = next((place for place, each in enumerate(self._waiting) if each.whole), None)
        if place is None:
            self._add(snapshot)
            return
        waiting = list(self._waiting)
        kept = [*waiting[:place], snapshot, *(each for each in waiting[place:] if not each.durable)]
        metrics.DROPPED_FRAMES.inc(len(waiting) + 1 - len(kept))
        self._waiting = deque(kept)
        self._bytes = sum(each.size for each in kept)

    def put_event(self, data: bytes, entry: Entry, epoch: str | None, *, drawn: bool = False) -> None:
        """Add the frame of an event; `epoch` where the frame names it. Raises Slow when there is no room.

        One that is `drawn` is merged with no other.
        """
        delta = entry if not drawn and entry.json.startswith(_DELTAS) else None
        if delta is not None and epoch is None and len(self._waiting) >= MERGE_ABOVE and self._merge(delta):
            return
        self._add(_QueuedFrame(data, delta, entry.seq, epoch, size=len(data), durable=True))

    def pop(self) -> bytes | None:
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
        """Join a delta to the last frame, when that is the event just before it and differs in its delta alone."""
        last = self._waiting[-1]
        if last.first is None or last.seq != delta.seq - 1:
            return False
        event = decode_event(delta.json)
        if last.event is None:
            last.event = decode_event(last.first.json)
            last.deltas.append(last.event["delta"])
        if last.event | {"delta": event["delta"]} != event:
            return False
        size = len(json.dumps(event["delta"], ensure_ascii=False).encode())
        if self._bytes + size > MAX_BYTES:
            raise Slow
        last.deltas.append(event["delta"])
        metrics.MERGED_EVENTS.inc()
        last.seq = delta.seq
        last.size += size
        self._bytes += size
        return True
