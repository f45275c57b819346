"""Entries that wait for a reader, bounded by their number and the bytes of their JSON."""

from __future__ import annotations

from collections.abc import Sequence

from server.bus import Entry
from server.rooms.outbox import MAX_BYTES

MOST_PENDING = 4096


class PendingEntries:
    """Entries of one log in their order. When they are too many, a snapshot replaces them."""

    __slots__ = ("_bytes", "_entries")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._bytes = 0

    def __bool__(self) -> bool:
        """Return whether something waits."""
        return bool(self._entries)

    @property
    def size(self) -> int:
        """Return the bytes of the JSON of what waits."""
        return self._bytes

    def add(self, entries: Sequence[Entry]) -> bool:
        """Keep these after the others; false, and nothing is kept, when they would be too much."""
        size = self._bytes + sum(len(each.json) for each in entries)
        if len(self._entries) + len(entries) > MOST_PENDING or size > MAX_BYTES:
            self.clear()
            return False
        self._entries.extend(entries)
        self._bytes = size
        return True

    def pop_all(self) -> list[Entry]:
        """Return what waits, the oldest first, and keep nothing."""
        entries, self._entries, self._bytes = self._entries, [], 0
        return entries

    def clear(self) -> None:
        """Keep nothing."""
        self._entries.clear()
        self._bytes = 0
