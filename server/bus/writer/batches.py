"""The next batch of a writer: the entries to write, or the question whether the log is still what it should be."""

from __future__ import annotations

from server.bus.log.log import Batch, log_key, meta_key
from server.bus.writer.cursor import LogCursor

TOUCH_S = 60.0
"""So often at most the log's time to live begins anew while it is written."""


class Batches:
    """Makes the batches of one log, and remembers what the last one left for the next."""

    def __init__(self, session_id: str, holder: str, cursor: LogCursor) -> None:
        self._cursor = cursor
        self._holder = holder
        self._keys = (log_key(session_id), meta_key(session_id))
        self._touch_at = 0.0
        self.asks = False
        """The log is asked after even with nothing to write."""
        self.more: bool
        """The last batch did not take all."""

    def next(self, now: float) -> Batch | None:
        """Return what comes next, within the caps of one flush; None when nothing is to be written or asked."""
        at = self._cursor
        if not (at.tail or self.asks):
            return None
        lines, self.more = at.lines()
        return Batch(
            self._keys,
            at.incarnation,
            at.fence,
            at.start,
            self._holder,
            at.acked + 1,
            lines,
            at.covers,
            at.birth,
            now >= self._touch_at,
        )

    def note_answer(self, batch: Batch, now: float, *, taken: bool) -> None:
        """Note that this batch was answered, and whether the log took it."""
        self.asks = False
        if taken and batch.touch:
            self._touch_at = now + TOUCH_S
