"""One watched session on one instance: its watchers, their positions, and the entries that wait for a hole to close."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from server.bus.log.entries import Entry, parse_epoch
from server.bus.log.log import NOWHERE
from server.bus.log.view import LogView

log = logging.getLogger(__name__)

MOST_HELD = 1024
"""Batches that wait for a hole to close; beyond that they are dropped, since the log has them too."""

MOST_FAILURES = 3
"""A watcher that has failed so often is dropped; before, it gets a resync, which makes good what it missed."""


class Watcher(Protocol):
    """Somebody here who follows a session. None of these may block or await."""

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Take the next entries: in order, without a hole since the position at which the watching began."""
        ...

    def control(self, frame: bytes) -> None:
        """Take a control frame: no seq, may be lost."""
        ...

    def resync(self) -> None:
        """The position is lost: take a snapshot; entries up to its seq are to be ignored afterwards."""
        ...

    def drop(self) -> None:
        """It failed too often: nothing comes any more, and whoever stands behind it is to come back."""
        ...


class PositionKnowledge(Enum):
    """How much is known about the session's position in its log."""

    NOTHING_YET = auto()
    LOST = auto()
    NO_LOG = auto()
    POSITION = auto()


class Verdict(Enum):
    """What a batch is to a feed."""

    FITS = auto()
    OLD = auto()
    HOLE = auto()


@dataclass(slots=True, eq=False)
class Feed:
    """The watchers of one session in this process and the seq that they get next."""

    session_id: str
    watchers: dict[Watcher, int] = field(default_factory=dict)
    """How often each has failed."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: bool = False
    stale: bool = False
    gone: bool = False
    hears: bool = False
    """Is the channel of the log subscribed?"""
    doubted: bool = False
    """Something may have been missed while the session was written here."""
    known: PositionKnowledge = PositionKnowledge.NOTHING_YET
    epoch: str = ""
    next: int = 1
    held: list[tuple[Sequence[Entry], int]] | None = None
    """Batches that came while the log is read; None while it is not."""

    @property
    def reading(self) -> bool:
        """Whether the log is read, and what comes has to wait for that."""
        return self.held is not None

    def begin_reading(self) -> None:
        """Hold what comes, and what is held already, until the reading ends."""
        self.held = self.held or []

    def end_reading(self) -> None:
        """Let through what comes; what is still held is old."""
        self.held = None

    def receive(self, entries: Sequence[Entry], start: int) -> bool:
        """Give a batch to everybody, hold it, or drop it as old; true when what is before it has to be read."""
        if self.held is not None:
            self.hold(entries, start)
        elif self.follows(entries[0]):
            self.take(entries)
        else:
            match self.verdict(entries, start):
                case Verdict.FITS:
                    self.take(entries)
                case Verdict.HOLE:
                    self.hold(entries, start)
                    return True
        return False

    def let_in(self) -> bool:
        """Take what was held; true when another hole showed up that was not there at the reading."""
        held, self.held = self.held or [], []
        for at, (entries, start) in enumerate(held):
            match self.verdict(entries, start):
                case Verdict.FITS:
                    self.take(entries)
                case Verdict.HOLE:
                    self.held = held[at + 1 :]
                    return True
        return False

    def read_from(self) -> int:
        """The seq after which the log has to be read."""
        match self.known:
            case PositionKnowledge.NOTHING_YET:
                return NOWHERE
            case PositionKnowledge.POSITION:
                return self.next - 1
            case _:
                return 0

    def reset(self) -> None:
        """Nobody watches any more."""
        self.opened = self.hears = False
        self.known = PositionKnowledge.NOTHING_YET

    def set_position(self, epoch: str, last: int) -> None:
        """Set the position: everything up to `last` has been seen."""
        self.known, self.epoch, self.next, self.stale = PositionKnowledge.POSITION, epoch, last + 1, False

    def ends_at(self, incarnation: str, last: int) -> bool:
        """Was everything seen of a log that ends here?"""
        mine = (
            parse_epoch(self.epoch) if self.known is PositionKnowledge.POSITION and not self.stale else None
        )
        return mine is not None and mine[0] == incarnation and self.next == last + 1

    def lose(self) -> None:
        """Forget the position; the next look at the log ends in a resync."""
        self.known, self.epoch = PositionKnowledge.LOST, ""

    def note_absence(self, gone: bool) -> None:
        """Note whether the log was there: gone twice in a row, nobody brings it back, and what was missed is in SQL."""
        if gone and self.gone:
            self.lose()
            self.stale = True
        self.gone = gone and not self.stale

    def hold(self, entries: Sequence[Entry], start: int) -> None:
        """Keep a batch until the hole before it is closed."""
        if self.held is None:
            self.held = []
        if len(self.held) < MOST_HELD:
            self.held.append((entries, start))

    def verdict(self, entries: Sequence[Entry], start: int) -> Verdict:
        """Judge a batch of one epoch; `start` is where its fence begins, 0 when that is unknown."""
        first, last = entries[0], entries[-1]
        if self.known is not PositionKnowledge.POSITION:
            return Verdict.HOLE
        if first.epoch == self.epoch:
            if last.seq < self.next:
                return Verdict.OLD
            return Verdict.FITS if first.seq <= self.next else Verdict.HOLE
        mine, theirs = parse_epoch(self.epoch), parse_epoch(first.epoch)
        if mine is None or theirs is None or mine[0] != theirs[0]:
            return Verdict.HOLE
        if theirs[1] < mine[1]:
            return Verdict.OLD
        # A fence that begins exactly at this feed's position withdrew no event.
        return Verdict.FITS if start == self.next == first.seq else Verdict.HOLE

    def follows(self, entry: Entry) -> bool:
        """Is this just the next one? Nearly every one is."""
        return (
            entry.seq == self.next and entry.epoch == self.epoch and self.known is PositionKnowledge.POSITION
        )

    def take(self, entries: Sequence[Entry]) -> None:
        """Give a batch that fits to everybody."""
        first, last = entries[0], entries[-1]
        fresh = entries if first.seq == self.next else [each for each in entries if each.seq >= self.next]
        self.epoch, self.next = last.epoch, last.seq + 1
        for watcher in tuple(self.watchers):
            try:
                watcher.deliver(fresh)
            except Exception:
                self._fail(watcher)

    def control(self, frame: bytes) -> None:
        """Give a control frame to everybody."""
        self._call_each(lambda watcher: watcher.control(frame))

    def resync(self) -> None:
        """Send everybody to a snapshot."""
        self._call_each(lambda watcher: watcher.resync())

    def catch_up(self, view: LogView | None) -> None:
        """Move to where the log ends: by what was missed, or by a resync when that is unknown."""
        before, self.stale = self.known, False
        if view is None:
            if before is not PositionKnowledge.POSITION:
                self.known = PositionKnowledge.NO_LOG
            if before is PositionKnowledge.LOST:
                self.resync()
            return
        missed = self._missed_entries(view)
        if missed:
            if before is PositionKnowledge.NO_LOG:
                self.next = missed[0].seq
            self.take(missed)
        self.set_position(view.position.epoch, view.last)
        if missed is None:
            self.resync()

    def _missed_entries(self, view: LogView) -> list[Entry] | None:
        match self.known:
            case PositionKnowledge.NOTHING_YET:
                return []
            case PositionKnowledge.LOST:
                return None
            case PositionKnowledge.NO_LOG:
                return view.after(view.covers)
            case PositionKnowledge.POSITION:
                return view.follow(self.epoch, self.next - 1)

    def _call_each(self, call: Callable[[Watcher], None]) -> None:
        """Do something with every watcher; one that fails stops neither the run nor the others."""
        for watcher in tuple(self.watchers):
            try:
                call(watcher)
            except Exception:
                self._fail(watcher)

    def _fail(self, watcher: Watcher) -> None:
        """Send a watcher that failed to a snapshot, or away; it is never left silent."""
        log.exception("a watcher failed")
        failures = self.watchers.get(watcher, 0) + 1
        try:
            if failures < MOST_FAILURES:
                self.watchers[watcher] = failures
                watcher.resync()
                return
        except Exception:
            log.exception("bringing a watcher up to date failed")
        self.watchers.pop(watcher, None)
        try:
            watcher.drop()
        except Exception:
            log.exception("dropping a watcher failed")
