"""The offsets of a session's log: opaque to clients, and sorted as texts in the order of the log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from server import patterns
from server.bus import epoch_of, parse_epoch
from server.errors import BadFrame

BEGINNING = "-1"
NOW = "now"

NO_LOG = "0"
"""The incarnation of what is stored, whether or not a log is there."""

_FENCE, _SEQ = 10, 16
"""Digits of a fence and a seq: with zeros before them, texts sort as numbers do."""

_OFFSET = patterns.compile(rf"([0-9]{{{_FENCE}}})_([0-9]{{{_SEQ}}})_([0-9a-z]{{1,32}})\Z")


@dataclass(frozen=True, slots=True, order=True)
class LogPosition:
    """A place between two events of a session, by the holder that wrote what is before it.

    The fence comes first: events that a dead holder showed and never wrote are before those of the next holder, for any
    numbers. A seq under one fence is used once. So a reader's offsets only grow.
    """

    fence: int
    seq: int
    incarnation: str = NO_LOG
    known_as: str = field(default="", compare=False)
    """The epoch under which a log is read from here, where that is not the one of the fence."""

    @classmethod
    def of(cls, epoch: str, seq: int) -> LogPosition:
        """Return the position of an epoch and a seq as the frames name them."""
        incarnation, fence = parse_epoch(epoch) or (NO_LOG, 0)
        return cls(fence, seq, incarnation)

    @classmethod
    def parse(cls, offset: str) -> LogPosition:
        """Read an offset that a client gives back. Raises BadFrame."""
        found = _OFFSET.match(offset)
        if found is None:
            raise BadFrame("offset is -1, now, or a Stream-Next-Offset of this log.")
        return cls(int(found[1]), int(found[2]), found[3])

    def of_log(self, epoch: str) -> LogPosition:
        """Return the same place in a log that has this epoch now."""
        return replace(self, incarnation=LogPosition.of(epoch, 0).incarnation, known_as=epoch)

    @property
    def epoch(self) -> str:
        """Return the epoch, as the frames name it."""
        return self.known_as or epoch_of(self.incarnation, self.fence)

    @property
    def offset(self) -> str:
        """Return the offset that a client gets."""
        return f"{self.fence:0{_FENCE}}_{self.seq:0{_SEQ}}_{self.incarnation}"

    def reaches(self, other: LogPosition) -> bool:
        """Return whether a reader at this position has everything up to another one; the same number of one holder is
        one place.
        """
        return (self.fence, self.seq) >= (other.fence, other.seq)


BEGIN = LogPosition(0, 0)
"""The place before the first event."""
