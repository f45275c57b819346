"""One reading of a session's log, and the rule that says who may continue from where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from server.bus.entries import Entry, Position, epoch_of, parse_epoch


@dataclass(frozen=True, slots=True)
class LogView:
    """What a log held at one moment, from some seq on.

    `base` is the last seq before this incarnation's first event. `covers` is lower when the incarnation was begun
    by a holder in the middle of its run: its first events then stand for everything after `covers`.
    """

    incarnation: str
    last: int
    fence: int
    base: int
    covers: int
    starts: dict[int, int]
    pruned: int
    entries: list[Entry]

    @classmethod
    def of(cls, reply: list[Any]) -> LogView:
        """Read the answer of the script."""
        incarnation = reply[0].decode()
        starts = dict(_pair(each) for each in (reply[5] or b"").split())
        return cls(
            incarnation=incarnation,
            last=int(reply[1]),
            fence=int(reply[2] or 0),
            base=int(reply[3] or 0),
            covers=int(reply[4] or 0),
            starts=starts,
            pruned=int(reply[6] or 0),
            entries=_entries(incarnation, reply[7] or []),
        )

    @property
    def position(self) -> Position:
        """Where the log ends."""
        return Position(epoch_of(self.incarnation, self.fence), self.last)

    def after(self, seq: int) -> list[Entry] | None:
        """Return every event after one; None when the log does not reach back to it."""
        found = [each for each in self.entries if each.seq > seq]
        if not found:
            return [] if seq >= self.last else None
        first = found[0].seq
        reaches = first == seq + 1 or (first == self.base + 1 and self.covers <= seq < first)
        return found if reaches else None

    def follow(self, epoch: str, seq: int) -> list[Entry] | None:
        """Return what follows for somebody who saw everything up to `seq` under `epoch`; None for a snapshot.

        Whoever is past the end of their fence saw events that never reached the log.
        """
        known = parse_epoch(epoch)
        if known is None or known[0] != self.incarnation or known[1] > self.fence:
            return None
        if seq > self.end_of(known[1]):
            return None
        found = self.after(seq)
        # Events that stand for others are for those who start afresh.
        if found and found[0].seq != seq + 1:
            return None
        return found

    def end_of(self, fence: int) -> int:
        """Return the last seq that was written under a fence; -1 when that is no longer known."""
        if fence >= self.fence:
            return self.last
        if fence < self.pruned:
            return -1
        return min((at for each, at in self.starts.items() if each > fence), default=0) - 1


def _pair(text: bytes) -> tuple[int, int]:
    fence, _, start = text.partition(b":")
    return int(fence), int(start)


def _entries(incarnation: str, batches: list[Any]) -> list[Entry]:
    found: list[Entry] = []
    for _, fields in batches:
        head, _, payload = fields[1].partition(b"\n")
        _, fence, _, first, _ = head.split(b" ")
        epoch = epoch_of(incarnation, int(fence))
        found.extend(Entry(seq, epoch, line) for seq, line in enumerate(payload.split(b"\n"), int(first)))
    return found
