"""The last moments of what Redis has confirmed: a log that lost its tail is given it again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from server.bus.entries import Entry

KEPT_S = 2.5
"""A little longer than an append-only file that is written every second may lag behind what it acknowledged."""

KEPT_EVENTS = 8192


class Written:
    """Entries of one log that are written, in order, for 2.5 s each and at most 8,192 of them."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._entries: deque[tuple[float, Entry]] = deque()

    def __iter__(self) -> Iterator[Entry]:
        """Give what is held, the oldest first."""
        return (entry for _, entry in self._entries)

    def take(self, tail: deque[Entry], last: int, now: float) -> None:
        """Take from the front of `tail` all up to the seq `last`, and let go of what is older than 2.5 s."""
        held = self._entries
        while tail and tail[0].seq <= last:
            entry = tail.popleft()
            entry.known = None  # Who looks back reads it anew: for one in a hundred it is not kept twice.
            held.append((now, entry))
        oldest = now - KEPT_S
        while held and (held[0][0] < oldest or len(held) > KEPT_EVENTS):
            held.popleft()

    def after(self, seq: int) -> list[Entry]:
        """Return what follows a seq, as far as it is held."""
        return [entry for _, entry in self._entries if entry.seq > seq]

    def give_back(self, last: int) -> list[Entry]:
        """Return all that follows `last` and hold it no more; nothing when it does not begin right there."""
        back = self.after(last)
        if not back or back[0].seq != last + 1:
            return []
        self._entries = deque(each for each in self._entries if each[1].seq <= last)
        return back

    def clear(self) -> None:
        """Let go of everything."""
        self._entries.clear()
