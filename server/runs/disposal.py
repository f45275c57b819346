"""The table of what happens to a claim that this process has left, by how its execution ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

MAX_ATTEMPTS = 2
"""A run that was claimed more often than this ends as lost instead of trying for ever."""


class Left(Enum):
    """How an execution was left."""

    DONE = auto()
    """It came to its own end."""
    FENCED = auto()
    """Another process holds the run, or its lease was over before its end was committed."""
    AWAY = auto()
    """The database or Redis was away for too long."""
    FAILED = auto()
    """An error that nothing foresaw."""
    DRAINED = auto()
    """This process leaves, and the time for running answers is over."""


@dataclass(frozen=True, slots=True)
class Disposal:
    """What is done with a claim that was left."""

    uncount: bool = False
    """The attempt does not count: no agent was asked."""
    charge: bool = False
    """The run may have lost its conversation: what it cost is counted all the same."""
    release: bool = False
    """The lease is given up, so that another process claims the run at once and not after the lease."""
    announce: bool = False
    """Its end may have to be posted."""
    look: bool = False
    """The claim loop looks again: something may be due that it has not seen."""


def disposal(
    left: Left, *, ended: bool, begun: bool, counts: bool, attempt: int, queued: bool, posted: bool
) -> Disposal:
    """Decide by how the execution was left and how far it came.

    `ended`: its end is committed. `begun`: its agents were asked. `counts`: the lease was lost or the database refused
    for too long, so the attempt counts. `queued`: it was claimed from the queue. `posted`: somebody wants its end
    posted.

    | left | end committed | attempt | lease |
    |---|---|---|---|
    | any | yes | counts | ended with the run |
    | done, fenced, drained | no | counts if `counts` | given up: another claims it at once |
    | away | no | not counted if no agent was asked | kept until it expires: what failed in our hands waits |
    | failed | no | counts | kept until it expires |
    """
    if ended:
        return Disposal(announce=posted, look=queued)
    return Disposal(
        uncount=left is Left.AWAY and not begun and not counts and attempt <= MAX_ATTEMPTS,
        charge=True,
        release=left not in {Left.AWAY, Left.FAILED},
        look=True,
    )
