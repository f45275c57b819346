"""The watchers of one session in this process: what each is given, and how a failing one is dropped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from server.bus.log.entries import Entry

MOST_FAILURES = 3
"""A watcher that has failed so often is dropped; before, it gets a resync, which makes good what it missed."""

log = logging.getLogger(__name__)


class Watcher(Protocol):
    """A reader on this instance that follows a session. None of these may block or await."""

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Take the next entries: in order, without a hole since the position at which the watching began."""
        ...

    def control(self, frame: bytes) -> None:
        """Take a control frame: no seq, may be lost."""
        ...

    def resync(self) -> None:
        """Take a snapshot, since the position is lost, and ignore entries up to its seq afterwards."""
        ...

    def drop(self) -> None:
        """Drop a watcher that failed too often: it gets nothing any more, and its client is to connect again."""
        ...


class Watchers:
    """The watchers of a session. One that fails stops neither the run nor the others."""

    __slots__ = ("_failures",)

    def __init__(self) -> None:
        self._failures: dict[Watcher, int] = {}
        """The number of failures of each watcher."""

    def __len__(self) -> int:
        """Count them."""
        return len(self._failures)

    def __iter__(self) -> Iterator[Watcher]:
        """Walk over them."""
        return iter(self._failures)

    def add(self, watcher: Watcher) -> None:
        """Add a watcher, with no failure so far."""
        self._failures[watcher] = 0

    def remove(self, watcher: Watcher) -> None:
        """Give nothing more to a watcher, if it is one."""
        self._failures.pop(watcher, None)

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Give the next entries to all watchers."""
        for watcher in tuple(self._failures):
            try:
                watcher.deliver(entries)
            except Exception:
                # A watcher draws and sends for one client: its error must reach neither the run nor the others.
                log.exception("a watcher failed")
                self._fail(watcher)

    def control(self, frame: bytes) -> None:
        """Give a control frame to all watchers."""
        self._call_each(lambda watcher: watcher.control(frame))

    def resync(self) -> None:
        """Make all watchers take a snapshot."""
        self._call_each(lambda watcher: watcher.resync())

    def _call_each(self, call: Callable[[Watcher], None]) -> None:
        for watcher in tuple(self._failures):
            if not _try_to(call, watcher):
                self._fail(watcher)

    def _fail(self, watcher: Watcher) -> None:
        """Send a watcher that failed to a snapshot, or away; it is never left silent."""
        if watcher not in self._failures:
            return  # It left before it failed.
        self._failures[watcher] += 1
        if self._failures[watcher] < MOST_FAILURES and _try_to(lambda each: each.resync(), watcher):
            return
        self.remove(watcher)
        _try_to(lambda each: each.drop(), watcher)


def _try_to(call: Callable[[Watcher], None], watcher: Watcher) -> bool:
    """Call a watcher; false when it failed, which is logged."""
    try:
        call(watcher)
    except Exception:
        # As in `deliver`: the error of one watcher must not reach the others.
        log.exception("a watcher failed")
        return False
    return True
