"""One reading of a session's log, and the rule for the positions from which a reader may continue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from server.bus.log.entries import Entry, Position, epoch_of, parse_epoch


@dataclass(frozen=True, slots=True)
class LogView:
    """The contents of a log at one moment, from some seq on.

    `base` is the last seq before this incarnation's first event. `covers` is lower when the incarnation was begun
    by a holder in the middle of its run: its first events then stand for everything after `covers`. `under` is the
    fence under which the event `asked` was written, after which the log was read; 0 when nothing is before it.
    """

    incarnation: str
    last: int
    fence: int
    base: int
    covers: int
    asked: int
    under: int
    entries: list[Entry]

    @classmethod
    def of(cls, reply: list[Any], asked: int) -> LogView:
        """Read the answer of the script."""
        incarnation = reply[0].decode()
        return cls(
            incarnation=incarnation,
            last=int(reply[1]),
            fence=int(reply[2]),
            base=int(reply[3]),
            covers=int(reply[4]),
            asked=asked,
            under=int(reply[5]),
            entries=_entries(incarnation, reply[6]),
        )

    @property
    def position(self) -> Position:
        """Return the end of the log."""
        return Position(epoch_of(self.incarnation, self.fence), self.last)

    def after(self, seq: int) -> list[Entry] | None:
        """Return every event after one; None when the log does not reach back to it."""
        found = [each for each in self.entries if each.seq > seq]
        if not found:
            return [] if seq >= self.last else None
        first = found[0].seq
        reaches = first == seq + 1 or (first == self.base + 1 and self.covers <= seq)
        return found if reaches else None

    def follow(self, epoch: str, seq: int) -> list[Entry] | None:
        """Return what follows for a client that saw everything up to `seq` under `epoch`; None for a snapshot.

        A client that saw up to a seq that a younger fence wrote saw events that never reached the log.
        """
        known = parse_epoch(epoch)
        if known is None or known[0] != self.incarnation or known[1] > self.fence:
            return None
        if seq > self.last or known[1] < self._under(seq):
            return None
        found = self.after(seq)
        # Merged events are only for readers that start from a snapshot.
        if found and found[0].seq != seq + 1:
            return None
        return found

    def _under(self, seq: int) -> int:
        """Return the fence under which an event was written; the present one when that is unknown."""
        if seq == self.asked:
            return self.under
        entry = next((each for each in self.entries if each.seq == seq), None)
        known = parse_epoch(entry.epoch) if entry is not None else None
        return known[1] if known is not None else self.fence


def _entries(incarnation: str, batches: list[Any]) -> list[Entry]:
    found: list[Entry] = []
    for _, fields in batches:
        head, _, payload = fields[1].partition(b"\n")
        _, fence, _, first, _ = head.split()
        epoch = epoch_of(incarnation, int(fence))
        found.extend(Entry(seq, epoch, line) for seq, line in enumerate(payload.split(b"\n"), int(first)))
    return found
