"""One reading of a session's log from a position: the events after it, or a snapshot in place of all before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from server.api.durable_streams.offsets import BEGIN, BEGINNING, NO_LOG, NOW, LogPosition
from server.bus import Bus, BusDown
from server.protocol.envelope import Snapshot
from server.rooms.member import durable_frames
from server.runs import RunCommands

CHUNK_BYTES = 1 << 20
"""The most bytes of one answer, unless a single event is larger."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The frames after a position, as the wire has them, and the position after them."""

    frames: list[bytes]
    position: LogPosition
    is_last: bool
    """Whether nothing more was there when it was read."""


class LogReading:
    """Reads for clients what a room sends to its members: replays and snapshots."""

    def __init__(self, bus: Bus, runs: RunCommands) -> None:
        self._bus = bus
        self._runs = runs

    async def locate(self, session_id: str, offset: str) -> LogPosition:
        """Return the position that an offset names. Raises BadFrame."""
        if offset == NOW:
            taken = await self._runs.snapshot(session_id)
            return LogPosition.of(taken.epoch, taken.seq)
        position = BEGIN if offset == BEGINNING else LogPosition.parse(offset)
        if position.incarnation != NO_LOG:
            return position
        # A reader that has all stored events, or none, continues in a log that begins there; any other gets a snapshot.
        try:
            known = await self._bus.reader.position(session_id)
        except BusDown:
            known = None
        return position if known is None else position.of_log(known.epoch)

    async def read(self, session_id: str, after: LogPosition) -> Chunk:
        """Return what follows a position, as much as fits into one answer."""
        missed = await self._bus.reader.replay(session_id, after.epoch, after.seq)
        if missed is None:
            return await self._snapshot(session_id, after)
        sizes = accumulate(len(each.json) for each in missed)
        some = missed[: max(1, sum(size <= CHUNK_BYTES for size in sizes))]
        position = LogPosition.of(some[-1].epoch, some[-1].seq) if some else after
        return Chunk(durable_frames(some, after.epoch), position, len(some) == len(missed))

    async def _snapshot(self, session_id: str, after: LogPosition) -> Chunk:
        """Return the conversation as one frame, unless the reader has all of it."""
        taken = await self._runs.snapshot(session_id)
        position = LogPosition.of(taken.epoch, taken.seq)
        if after.reaches(position) or not position.seq:
            return Chunk([], after, is_last=True)
        frame = Snapshot(epoch=taken.epoch, seq=taken.seq, events=taken.events, before=taken.before)
        return Chunk([frame.encode()], position, is_last=True)
