"""The entries of a session's log: numbered, each under the epoch of the holder that wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from server import patterns
from server.errors import Unavailable
from server.protocol.codec import decode_event
from server.protocol.events import Event

_EPOCH = patterns.compile(r"(.+)\.([0-9]{1,18})")


class BusDown(Unavailable):
    """Redis cannot be reached in time. Liveness suffers; nothing stored is lost."""


@dataclass(slots=True)
class Entry:
    """One event of a session.

    `json` is encoded once and never changes; `event` is decoded once, when a reader needs it.
    """

    seq: int
    epoch: str
    json: bytes
    known: Event | None = field(default=None, repr=False, compare=False)

    @property
    def event(self) -> Event:
        """Return the event itself. Shared by all readers: never change it."""
        if self.known is None:
            self.known = decode_event(self.json)
        return self.known


@dataclass(frozen=True, slots=True)
class Position:
    """The end of a log: its last seq, under the epoch of its present holder."""

    epoch: str
    seq: int


def entries_of_run(run_id: str, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of one run among those of a session: from its RUN_STARTED to that of the next run."""
    mine, found = False, []
    for each in entries:
        if each.event["type"] == "RUN_STARTED":
            mine = each.event["runId"] == run_id
        if mine:
            found.append(each)
    return found


def epoch_of(incarnation: str, fence: int) -> str:
    """Return the name of a fence in one incarnation of a log."""
    return f"{incarnation}.{fence}"


def parse_epoch(epoch: str) -> tuple[str, int] | None:
    """Split an epoch; None when it is none of ours (clients send anything)."""
    found = _EPOCH.fullmatch(epoch)
    return (found[1], int(found[2])) if found else None
