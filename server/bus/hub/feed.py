"""One watched session on one instance: its watchers, their positions, and the entries that wait for a hole to close."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum, auto

from server.bus.hub.subscription import Subscription
from server.bus.hub.watchers import Watchers
from server.bus.log.entries import Entry, Position, parse_epoch
from server.bus.log.log import NOWHERE
from server.bus.log.view import LogView

MOST_HELD = 1024
"""Batches that wait for a hole to close; beyond that they are dropped, since the log has them too."""


class PositionKnowledge(Enum):
    """The hub's knowledge of the session's position in its log."""

    NOTHING_YET = auto()
    LOST = auto()
    NO_LOG = auto()
    POSITION = auto()


class Verdict(Enum):
    """The relation of a batch to a feed's position."""

    FITS = auto()
    OLD = auto()
    HOLE = auto()


class Feed:
    """The watchers of one session in this process and the seq that they get next.

    `lock` is held by a task that subscribes, reads the log or hands the session over to a writer. What changes a state
    is a method; the hub and its repair read, and change nothing themselves.
    """

    __slots__ = (
        "_absent", "_epoch", "_held", "_known", "_next", "_stale", "lock", "session_id", "subscription", "watchers",
    )  # fmt: skip

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.watchers = Watchers()
        self.lock = asyncio.Lock()
        self.subscription = Subscription()
        self._known = PositionKnowledge.NOTHING_YET
        self._epoch = ""
        self._next = 1
        self._stale = False
        """The log has to be looked at, whatever its position is."""
        self._absent = False  # There was no log at the last comparison.
        self._held: list[tuple[Sequence[Entry], int]] | None = None
        """Batches that are received while the log is read; None while it is not read."""

    def close(self) -> None:
        """Forget the subscription and the position: no reader watches any more, or the opening did not succeed."""
        self.subscription.close()
        self._known = PositionKnowledge.NOTHING_YET

    @property
    def missed_nothing(self) -> bool:
        """Return whether no entry of the log was missed while this process wrote it, and the position is known."""
        return self.subscription.missed_nothing and self._known is PositionKnowledge.POSITION

    @property
    def is_reading(self) -> bool:
        """Return whether the log is being read, so that arriving entries have to wait."""
        return self._held is not None

    def begin_reading(self) -> None:
        """Hold what comes, and what is held already, until the reading ends."""
        self._held = self._held or []

    def end_reading(self) -> None:
        """Let through what comes; what is still held is old."""
        self._held = None

    def receive(self, entries: Sequence[Entry], start: int) -> bool:
        """Give a batch to all watchers, hold it, or drop it as old; true when the entries before it have to be read."""
        if self._held is not None:
            self.hold(entries, start)
        elif self.follows(entries[0]):
            self.send_batch(entries)
        else:
            match self.verdict(entries, start):
                case Verdict.FITS:
                    self.send_batch(entries)
                case Verdict.HOLE:
                    self.hold(entries, start)
                    return True
        return False

    def let_in(self) -> bool:
        """Take what was held; true when another hole showed up that was not there at the reading."""
        held, self._held = self._held or [], []
        for at, (entries, start) in enumerate(held):
            match self.verdict(entries, start):
                case Verdict.FITS:
                    self.send_batch(entries)
                case Verdict.HOLE:
                    self._held = held[at + 1 :]
                    return True
        return False

    def read_from(self) -> int:
        """Return the seq after which the log has to be read."""
        match self._known:
            case PositionKnowledge.NOTHING_YET:
                return NOWHERE
            case PositionKnowledge.POSITION:
                return self._next - 1
            case _:
                return 0

    def set_position(self, epoch: str, last: int) -> None:
        """Set the position: everything up to `last` has been seen."""
        self._known, self._epoch, self._next, self._stale = PositionKnowledge.POSITION, epoch, last + 1, False

    def ends_at(self, incarnation: str, last: int) -> bool:
        """Return whether the feed has seen all of a log that ends here."""
        mine = (
            parse_epoch(self._epoch)
            if self._known is PositionKnowledge.POSITION and not self._stale
            else None
        )
        return mine is not None and mine[0] == incarnation and self._next == last + 1

    def lose(self) -> None:
        """Forget the position; the next look at the log ends in a resync."""
        self._known, self._epoch = PositionKnowledge.LOST, ""

    def demand_snapshot(self) -> None:
        """Forget the position, and have the log looked at soon: a reader was served without it."""
        self.lose()
        self._stale = True

    def note_unreadable(self) -> None:
        """Note that the log could not be read: it has to be looked at again."""
        self._stale = True
        if self._known is PositionKnowledge.NOTHING_YET:
            self.lose()

    @property
    def is_stale(self) -> bool:
        """Return whether the log has to be looked at soon."""
        return self._stale

    def compare(self, position: Position | None) -> bool:
        """Compare with where the log ends; return whether there is something to be read.

        A log that is absent twice in a row is given up: no process brings it back, and what was missed is in SQL.
        """
        knows = self._known is PositionKnowledge.POSITION
        absent = position is None and knows
        if absent and self._absent:
            self.demand_snapshot()
        self._absent = absent and not self._stale
        behind = position is not None and (
            not knows or position.epoch != self._epoch or position.seq >= self._next
        )
        return behind or self._stale

    def hold(self, entries: Sequence[Entry], start: int) -> None:
        """Keep a batch until the hole before it is closed."""
        if self._held is None:
            self._held = []
        if len(self._held) < MOST_HELD:
            self._held.append((entries, start))

    def verdict(self, entries: Sequence[Entry], start: int) -> Verdict:
        """Judge a batch of one epoch; `start` is where its fence begins, 0 when that is unknown."""
        first, last = entries[0], entries[-1]
        if self._known is not PositionKnowledge.POSITION:
            return Verdict.HOLE
        if first.epoch == self._epoch:
            if last.seq < self._next:
                return Verdict.OLD
            return Verdict.FITS if first.seq <= self._next else Verdict.HOLE
        mine, theirs = parse_epoch(self._epoch), parse_epoch(first.epoch)
        if mine is None or theirs is None or mine[0] != theirs[0]:
            return Verdict.HOLE
        if theirs[1] < mine[1]:
            return Verdict.OLD
        # A fence that begins exactly at this feed's position withdrew no event.
        return Verdict.FITS if start == self._next == first.seq else Verdict.HOLE

    def follows(self, entry: Entry) -> bool:
        """Return whether this is exactly the next entry. Nearly every entry is."""
        return (
            entry.seq == self._next
            and entry.epoch == self._epoch
            and self._known is PositionKnowledge.POSITION
        )

    def send_batch(self, entries: Sequence[Entry]) -> None:
        """Give a batch that fits to all watchers."""
        fresh, last = [each for each in entries if each.seq >= self._next], entries[-1]
        self._epoch, self._next = last.epoch, last.seq + 1
        self.watchers.deliver(fresh)

    def catch_up(self, view: LogView | None) -> None:
        """Move to where the log ends: by what was missed, or by a resync when that is unknown."""
        before, self._stale = self._known, False
        if view is None:
            if before is not PositionKnowledge.POSITION:
                self._known = PositionKnowledge.NO_LOG
            if before is PositionKnowledge.LOST:
                self.watchers.resync()
            return
        missed = self._missed_entries(view)
        if missed:
            self._next = missed[0].seq
            self.send_batch(missed)
        self.set_position(view.position.epoch, view.last)
        if missed is None:
            self.watchers.resync()

    def _missed_entries(self, view: LogView) -> list[Entry] | None:
        match self._known:
            case PositionKnowledge.NOTHING_YET:
                return []
            case PositionKnowledge.LOST:
                return None
            case PositionKnowledge.NO_LOG:
                return view.after(view.covers)
            case PositionKnowledge.POSITION:
                return view.follow(self._epoch, self._next - 1)
