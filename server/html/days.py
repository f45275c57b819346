"""The days of a conversation by the reader's clock, and the rows with which they begin."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

MOST_MINUTES = 840
"""No clock is further from UTC."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a reader: what time it is, and how many minutes it is ahead of UTC."""

    now_ms: int
    offset_minutes: int = 0

    def date_of(self, milliseconds: int) -> dt.date:
        """Return the day that a moment is of."""
        minutes = max(-MOST_MINUTES, min(MOST_MINUTES, self.offset_minutes))
        zone = dt.timezone(dt.timedelta(minutes=minutes))
        return dt.datetime.fromtimestamp(milliseconds / 1000, zone).date()

    def name_of(self, date: dt.date) -> str:
        """Return `today` or `yesterday`; empty for other days."""
        days = (self.date_of(self.now_ms) - date).days
        return {0: "today", 1: "yesterday"}.get(days, "")


def days_before(moments: Sequence[int | None], clock: Clock) -> list[dt.date | None]:
    """Return for each row the day that begins with it, or None.

    Rows without a moment are of the day of the row before. A conversation that begins today begins without a line.
    """
    found: list[dt.date | None] = []
    last = clock.date_of(clock.now_ms)
    for at in moments:
        date = last if at is None else clock.date_of(at)
        found.append(date if date != last else None)
        last = date
    return found
