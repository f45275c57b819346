"""The entries that Redis confirmed last: when a log lost its tail, the writer writes them again."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator

from server.bus.log.entries import Entry

KEPT_S = 2.5
"""A little longer than an append-only file that is written every second may lag behind what it acknowledged."""

LATEST_S = 2.8
"""Then all entries that are old enough are dropped together: not with every flush."""

KEPT_EVENTS = 8192


class RecentEntries:
    """Entries of one log that are written, without a gap, for 2.5 s each at least and at most 8,192 of them.

    Of an entry only its JSON is kept, with the moment it was written: each session that streams has this, and it is
    looked at once in a hundred flushes.
    """

    __slots__ = ("_epoch", "_first", "_lines", "_times")

    def __init__(self) -> None:
        self._epoch = ""
        self._first = 0
        self._lines: list[bytes] = []
        self._times = array("d")

    def __iter__(self) -> Iterator[Entry]:
        """Return what is held, the oldest first."""
        return iter(self.after(0))

    def move_from(self, tail: list[Entry], last: int, now: float) -> None:
        """Take all up to the seq `last` from the front of `tail`, which goes on from here; drop what is old."""
        lines, times, count = self._lines, self._times, 0
        for entry in tail:
            if entry.seq > last:
                break
            if not lines:
                self._first, self._epoch = entry.seq, entry.epoch
            entry.known = None  # A slow reader that still holds the entry decodes it again.
            lines.append(entry.json)
            times.append(now)
            count += 1
        del tail[:count]
        if times and (times[0] < now - LATEST_S or len(times) > KEPT_EVENTS):
            self._forget(max(bisect_left(times, now - KEPT_S), len(times) - KEPT_EVENTS))

    def _forget(self, count: int) -> None:
        del self._lines[:count]
        del self._times[:count]
        self._first += count

    def after(self, seq: int) -> list[Entry]:
        """Return what follows a seq, as far as it is held."""
        begin = max(seq + 1, self._first)
        lines = self._lines[begin - self._first :]
        return [Entry(begin + index, self._epoch, line) for index, line in enumerate(lines)]

    def reaches(self, last: int) -> bool:
        """Return whether the entries after `last` are held, from the first one on."""
        return self._first <= last + 1 < self._first + len(self._lines)

    def give_back(self, last: int) -> list[Entry]:
        """Return all that follows `last` and hold it no more; nothing when it does not begin right there."""
        if not self.reaches(last):
            return []
        back = self.after(last)
        del self._lines[-len(back) :]
        del self._times[-len(back) :]
        return back

    def clear(self) -> None:
        """Drop everything."""
        self._lines.clear()
        del self._times[:]
