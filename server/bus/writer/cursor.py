"""The position of a writer in its log: what was appended, shown and written, without any I/O.

The methods after which more entries may be shown (`append`, `release`, `confirm`) return these entries, and the writer
delivers them. Times are those of the caller's clock, in seconds.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from itertools import islice

from server.bus.log.entries import Entry, epoch_of
from server.bus.log.log import ClaimedLog
from server.bus.writer.backlog import SizeWatch
from server.bus.writer.recent import RecentEntries
from server.protocol.codec import encode_event
from server.protocol.events import Event

FLUSH_EVENTS = 32
FLUSH_BYTES = 64 * 1024


class LogEnd(Enum):
    """The relation of the log's end in Redis to the written entries."""

    AHEAD = auto()
    """At or after the last confirmation: an answer was lost."""
    BEHIND = auto()
    """Before it, by no more than is still kept: Redis lost the newest."""
    ELSEWHERE = auto()
    """Before the kept entries, or after all that were ever appended: it is not the log that was written."""


class LogCursor:
    """Counts the events of one log under one fence, and keeps them until they are written.

    `seq` is the last that was appended, `delivered` the last that was shown here, `acked` the last that is written;
    neither is after `seq`. What is not written is in `tail`, in order. A barrier is at a seq: nothing from there
    on is shown until it is lifted.
    """

    def __init__(self, claimed: ClaimedLog, *, floor: int, reaches: int) -> None:
        """Begin where the claimed log ends. SQL has all up to `floor`, and a log was written up to `reaches`."""
        self.incarnation = claimed.incarnation
        self.fence = claimed.fence
        self.epoch = epoch_of(claimed.incarnation, claimed.fence)
        self.start = claimed.start
        """The first seq under this fence."""
        self.covers = claimed.covers
        """The seq up to which SQL has all events that the log has not."""
        self.birth = claimed.born
        """The next write makes the log."""
        self.seq = claimed.last
        self.acked = claimed.last
        self.delivered = claimed.last
        self.tail: list[Entry] = []
        self.recent = RecentEntries()
        self.size: SizeWatch | None = None
        """The size of what is not written, once it had to be counted."""
        self._floor = floor
        self._reaches = max(floor, reaches)
        self._unshown: deque[Entry] = deque()
        self._barriers: list[int] = []
        self._opened_at = claimed.last
        self._base = claimed.last if claimed.born else None

    @property
    def has_appended(self) -> bool:
        """Return whether any event was appended."""
        return self.seq > self._opened_at

    @property
    def has_gap(self) -> bool:
        """Return whether an unwritten event was dropped."""
        return bool(self.tail) and self.tail[0].seq > self.acked + 1

    # Appending.

    def append(self, event: Event) -> list[Entry]:
        """Append a delta; return the entries that may be shown now, this one included where no barrier is before it."""
        if self._unshown:
            self._add(event)
            return self._take_shown()
        # The path of every token while no barrier is open.
        seq = self.seq = self.delivered = self.seq + 1
        entry = Entry(seq, self.epoch, encode_event(event), event)
        self.tail.append(entry)
        return [entry]

    def append_barrier(self, event: Event) -> None:
        """Append what is shown once it is written."""
        self._barriers.append(self._add(event))

    def release(self, last: int) -> list[Entry]:
        """Lift the barriers up to `last`, whether it is written or not; returns what they held back."""
        while self._barriers and self._barriers[0] <= last:
            self._barriers.pop(0)
        return self._take_shown()

    # Writing.

    def lines(self) -> tuple[list[bytes], bool]:
        """Return the JSON of what is written next, and whether there is more than one flush takes."""
        lines: list[bytes] = []
        size = 0
        for entry in islice(self.tail, 0 if self.has_gap else FLUSH_EVENTS):
            size += len(entry.json)
            if lines and size > FLUSH_BYTES:
                return lines, True
            lines.append(entry.json)
        return lines, len(self.tail) > FLUSH_EVENTS

    def confirm(self, last: int, now: float) -> list[Entry]:
        """Note that all up to `last` is in the log since `now`; returns what that lets be shown."""
        self.birth = False
        self.recent.move_from(self.tail, last, now)
        self.acked = max(self.acked, last)
        return self.release(self.acked) if self._barriers or self._unshown else []

    def compare(self, last: int) -> LogEnd:
        """Judge a log that ends at `last`."""
        if last >= self.acked:
            return LogEnd.AHEAD if last <= self.seq else LogEnd.ELSEWHERE
        return LogEnd.BEHIND if self.recent.reaches(last) else LogEnd.ELSEWHERE

    def rewind(self, last: int) -> int:
        """Write again what follows `last`, which Redis had confirmed and lost; returns how many events."""
        back = self.recent.give_back(last)
        self.tail[:0] = back
        self.acked = last
        return len(back)

    # A lost log.

    def begin_again(self, incarnation: str, snapshot: list[Event] | None) -> None:
        """Begin a new log under a new incarnation: with a snapshot of the run, or with what is kept of it.

        Every watcher is sent to a snapshot of the conversation: nothing of the new log was shown before.
        """
        self.incarnation = incarnation
        self.epoch = epoch_of(incarnation, self.fence)
        self.birth = True
        known = [*self.recent, *self.tail]
        self.recent.clear()
        self.tail.clear()
        self._unshown.clear()
        if snapshot is not None:
            self._barriers.clear()
            self._begin_at(self.seq, covers=self._floor)
            for each in snapshot:
                self._add(each)
            self._unshown.clear()
            self.delivered = self.seq
        elif not known and not self.has_appended:
            # Start as if the log had been missing at the claim.
            self.seq = self.delivered = self._opened_at = self._reaches
            self._begin_at(self.seq, covers=self._floor)
        else:
            base = known[0].seq - 1 if known else self.seq
            self._begin_at(base, covers=base)
            self.tail.extend(Entry(each.seq, self.epoch, each.json, each.known) for each in known)
            self._unshown.extend(each for each in self.tail if each.seq > self.delivered)

    def drop_excess(self) -> bool:
        """Drop the oldest unwritten entries when they are too many; true when some were dropped, which leaves a gap."""
        if not self.tail:
            return False
        self.size = self.size or SizeWatch()
        if not self.size.drop_excess(self.tail):
            return False
        self.recent.clear()
        return True

    def drop(self) -> None:
        """Forget what is not written: it never was."""
        self.tail.clear()
        self._unshown.clear()

    # Readers of this instance.

    def memory(self, after: int) -> list[Entry] | None:
        """Return what was shown after a seq, from memory; None when memory does not reach back."""
        if after >= self.delivered:
            return []
        held = self.recent.after(after)
        held += [each for each in self.tail if after < each.seq <= self.delivered]
        whole = bool(held) and (
            held[0].seq == after + 1 or (held[0].seq - 1 == self._base and after >= self.covers)
        )
        return held if whole else None

    def _add(self, event: Event) -> int:
        self.seq += 1
        entry = Entry(self.seq, self.epoch, encode_event(event), event)
        self.tail.append(entry)
        self._unshown.append(entry)
        return self.seq

    def _take_shown(self) -> list[Entry]:
        """Take what no barrier holds back."""
        limit = self._barriers[0] - 1 if self._barriers else self.seq
        entries: list[Entry] = []
        while self._unshown and self._unshown[0].seq <= limit:
            entries.append(self._unshown.popleft())
        self.delivered = limit
        return entries

    def _begin_at(self, base: int, *, covers: int) -> None:
        self._base = self.acked = base
        self.start = base + 1
        self.covers = covers
