"""Bounds on what is buffered while Redis is down. What is dropped can be rebuilt from SQL."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Protocol

from server.bus.log.entries import Entry

MOST_ENDED = 2_000
MOST_ENDED_BYTES = 16 << 20
"""Bounds on the events that ended runs have not written yet: their number, and the bytes of their JSON."""

MOST_EVENTS = 4096
MOST_BYTES = 1 << 20
"""Bounds on one active run's unwritten events, by number and by JSON; beyond them it drops the older half."""

log = logging.getLogger(__name__)


class ClosedWriter(Protocol):
    """A writer that is closed and has something left to write."""

    def fence_off(self) -> None:
        """Write it no more: it is stored, and a client that has not read it gets it from there."""
        ...


class WriterBacklog:
    """The closed writers of a process that wait for Redis; beyond the bounds the oldest are forgotten."""

    def __init__(self) -> None:
        self._sizes: dict[ClosedWriter, int] = {}
        self._bytes = 0
        self._warned = False

    def __len__(self) -> int:
        """Return how many closed writers wait."""
        return len(self._sizes)

    def __iter__(self) -> Iterator[ClosedWriter]:
        """Walk over them, the oldest first."""
        return iter(self._sizes)

    def add(self, writer: ClosedWriter, entries: list[Entry]) -> None:
        """Keep a writer and the JSON of these entries; the oldest writers are dropped while the buffer is too large."""
        self.drop(writer)
        for each in entries:
            each.known = None
        self._sizes[writer] = size = sum(len(each.json) for each in entries)
        self._bytes += size
        while len(self._sizes) > MOST_ENDED or self._bytes > MOST_ENDED_BYTES:
            oldest = next(iter(self._sizes))
            self.drop(oldest)
            if not self._warned:
                self._warned = True
                log.warning(
                    "the buffer for redis is full: readers get the oldest ends from the database only"
                )
            oldest.fence_off()

    def drop(self, writer: ClosedWriter) -> None:
        """Forget a writer, which waits no longer."""
        self._bytes -= self._sizes.pop(writer, 0)
        if not self._sizes:
            self._warned = False


class SizeWatch:
    """Looks at what a run that goes on has not written, each time only at what is new."""

    __slots__ = ("_bytes", "_first", "_next")

    def __init__(self) -> None:
        self._bytes = self._first = self._next = 0

    def drop_excess(self, tail: list[Entry]) -> bool:
        """Keep of each entry its JSON alone, and of too many the younger half; true when some were dropped.

        Of a tail that had an entry one is left at least: it shows that those before it are missing.
        """
        if not tail or tail[0].seq != self._first:
            self._bytes, self._first, self._next = 0, tail[0].seq if tail else 0, 0
        for entry in tail[self._next :]:
            entry.known = None
            self._bytes += len(entry.json)
        count = len(tail)
        while len(tail) > 1 and (len(tail) > MOST_EVENTS or self._bytes > MOST_BYTES):
            older = tail[: len(tail) // 2]
            self._bytes -= sum(len(each.json) for each in older)
            del tail[: len(older)]
        self._first, self._next = tail[0].seq if tail else 0, len(tail)
        return len(tail) < count
