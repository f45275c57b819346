"""The surroundings of the bus in these tests: a session's stored truth, a holder that runs, a viewer that folds.

The fold is a list: ITEM adds one, ALL replaces everything, END ends a run and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from server.bus import Bus, BusDown, Entry, LogWriter
from server.protocol.events import Event
from tests.parts.wait import PATIENCE_S, until_async


def item(value: int) -> Event:
    """Return one event of the list."""
    return {"type": "ITEM", "i": value}


def fold(items: list[int], event: Event) -> list[int]:
    """Return the list after an event."""
    match event["type"]:
        case "ALL":
            return list(event["items"])
        case "END":
            return items
    return [*items, event["i"]]


@dataclass
class Stored:
    """The rows of a session in the database."""

    session_id: str
    items: list[int] = field(default_factory=list)
    last_seq: int = 0
    fence: int = 0


class Holder:
    """One claimed run: appends, knows its own fold, and can begin a lost log again."""

    def __init__(self, bus: Bus, stored: Stored, writer: LogWriter) -> None:
        self.bus = bus
        self.stored = stored
        self.writer = writer
        self.items = list(stored.items)
        writer.recover = lambda: [{"type": "ALL", "items": self.items}]

    @classmethod
    async def claim(cls, bus: Bus, stored: Stored, *, tell: bool = False) -> Holder:
        """Take the session, and go on from what its log says."""
        stored.fence += 1
        writer = await bus.writer(stored.session_id, fence=stored.fence, floor=stored.last_seq)
        holder = cls(bus, stored, writer)
        for entry in await bus.reader.read(stored.session_id, stored.last_seq) or []:
            holder.items = fold(holder.items, entry.event)
        if tell and holder.items != stored.items:
            # As every take-over does: first a snapshot of the run as the new holder has it.
            await writer.publish({"type": "ALL", "items": holder.items})
        return holder

    def append(self, *values: int) -> None:
        for value in values:
            self.items = [*self.items, value]
            self.writer.append(item(value))

    async def publish(self, *values: int) -> None:
        self.items = [*self.items, *values]
        await self.writer.publish(*(item(each) for each in values))

    async def finish(self, *, end: bool = False) -> None:
        """Store the outcome, tell it, then let go."""
        await self.writer.publish()
        self.stored.items, self.stored.last_seq = list(self.items), self.writer.seq
        if end:
            await self.writer.publish({"type": "END"})
        await self.writer.aclose()


class Viewer:
    """A reader that acts as a room: watch, snapshot, then entries; a snapshot at every resync; resume after a pause."""

    def __init__(self, bus: Bus, stored: Stored, *, log_may_vanish: bool = False) -> None:
        self.bus = bus
        self.stored = stored
        self.log_may_vanish = log_may_vanish
        self.items: list[int] = []
        self.epoch = "0.0"
        self.seq = 0
        self.line: bytes | None = None
        """The event at its seq, when that came as one."""
        self.snapshots = 0
        self.frames: list[bytes] = []
        self.seen: list[int] = []
        self.wrong: list[str] = []
        self._waiting: list[Entry] | None = []
        self._wanted = 0
        self._loading: asyncio.Task[None] | None = None
        self._one = asyncio.Lock()

    async def open(self) -> Viewer:
        await self.bus.hub.watch(self.stored.session_id, self)
        await self._load()
        return self

    def leave(self) -> None:
        """Lose the connection."""
        self.bus.hub.unwatch(self.stored.session_id, self)
        if self._loading is not None:
            self._loading.cancel()
            self._loading = None
        self._waiting = []

    async def resume(self, bus: Bus) -> bool:
        """Come back, perhaps elsewhere; true when it was a replay."""
        self.bus = bus
        wanted = self._wanted
        await bus.hub.watch(self.stored.session_id, self)
        missed = await bus.reader.replay(self.stored.session_id, self.epoch, self.seq)
        if wanted != self._wanted:
            return False  # A resync came meanwhile, and its snapshot is on the way.
        if missed is None:
            await self._load()
            return False
        held, self._waiting = self._waiting or [], None
        self._apply(missed)
        self._apply(held)
        return True

    async def sees(self, items: list[int], *, seconds: float = PATIENCE_S) -> None:
        await until_async(
            lambda: self._waiting is None and self.items == items, seconds=seconds, what=f"{items} in {self}"
        )
        assert self.wrong == []

    def deliver(self, entries: Sequence[Entry]) -> None:
        if self._waiting is not None:
            self._waiting.extend(entries)
        else:
            self._apply(entries)

    def control(self, frame: bytes) -> None:
        self.frames.append(frame)

    def resync(self) -> None:
        self._waiting = []
        self._wanted += 1
        if self._loading is None or self._loading.done():
            self._loading = asyncio.ensure_future(self._load())

    def drop(self) -> None:
        raise AssertionError("dropped")

    async def _load(self) -> None:
        """Take a snapshot; what is delivered meanwhile waits, and only one is taken at a time."""
        async with self._one:
            await self._snapshot()

    async def _snapshot(self) -> None:
        done = -1
        self._waiting = self._waiting or []
        while done != self._wanted:
            done = self._wanted
            items, seq = list(self.stored.items), self.stored.last_seq
            try:
                entries = await self.bus.reader.read(self.stored.session_id, seq) or []
                position = await self.bus.reader.position(self.stored.session_id)
            except BusDown:
                entries, position = [], None
        for entry in entries:
            items, seq, self.epoch = fold(items, entry.event), entry.seq, entry.epoch
        if not entries:
            self.epoch = position.epoch if position is not None and position.seq == seq else "0.0"
        self.items, self.seq, self.line = items, seq, None
        self.snapshots += 1
        held, self._waiting = self._waiting or [], None
        self._apply(held)

    def _apply(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.seq <= self.seq:
                continue
            if entry.seq != self.seq + 1 and entry.event["type"] != "ALL":
                if self.log_may_vanish:
                    # Its snapshot came from the database alone; the next one has what the holder brought back.
                    self.resync()
                    return
                self.wrong.append(f"{entry.seq} after {self.seq}")
            self.items = fold(self.items, entry.event)
            self.seq, self.epoch, self.line = entry.seq, entry.epoch, entry.json
            self.seen.append(entry.seq)

    def __repr__(self) -> str:
        """Show what a failing test needs."""
        return (
            f"Viewer(at {self.epoch}-{self.seq}, {self.items}, waiting={self._waiting}, wrong={self.wrong})"
        )
