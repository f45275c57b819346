"""The table of the follow-ups of an execution: what this process does with the claim, by the reason that ended it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

MAX_ATTEMPTS = 2
"""A run that was claimed more often than this ends as lost instead of trying for ever."""

HOPELESS_ATTEMPTS = MAX_ATTEMPTS + 2
"""Past this even ending it as lost has failed, so it is ended without its log."""


class ExitReason(Enum):
    """The reason that an execution ended here."""

    DONE = auto()
    """The run reached its own end."""
    FENCED = auto()
    """Another process holds the run, or the lease was over before the run's end was committed."""
    AWAY = auto()
    """The database or Redis was away for too long."""
    FAILED = auto()
    """An error that nothing foresaw."""
    DRAINED = auto()
    """This process leaves, and the time for running answers is over."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The steps of this process with a claim after its execution."""

    uncount: bool = False
    """Do not count the attempt: no agent was asked, or this process stood still."""
    charge: bool = False
    """Count what the run cost, though its conversation may have been deleted."""
    release: bool = False
    """Give the lease up, so that another process claims the run at once and not when the lease expires."""
    announce: bool = False
    """Wake the sender of callbacks: an app wants the end posted."""
    look: bool = False
    """Let the claim loop look again: something may be due that it has not seen."""


def follow_up(
    reason: ExitReason,
    *,
    ended: bool,
    begun: bool,
    counts: bool,
    stalled: bool,
    attempt: int,
    queued: bool,
    posted: bool,
) -> FollowUp:
    """Decide by the reason that ended the execution, and by how far it got.

    `ended`: its end is committed. `begun`: its agents were asked. `counts`: the lease was lost or the database refused
    for too long, so the attempt counts. `stalled`: the lease was lost because this process stood still. `queued`: it
    was claimed from the queue. `posted`: an app wants its end posted.

    | reason | end committed | attempt | lease |
    |---|---|---|---|
    | any | yes | counts | ended with the run |
    | done, fenced, drained | no | counts if `counts` and not `stalled` | given up: another claims it at once |
    | away | no | not counted if no agent was asked | kept until it expires: what failed in our hands waits |
    | failed | no | counts | kept until it expires |
    """
    if ended:
        return FollowUp(announce=posted, look=queued)
    unbegun = reason is ExitReason.AWAY and not begun and not counts
    return FollowUp(
        uncount=(unbegun or (reason is ExitReason.FENCED and stalled)) and attempt <= MAX_ATTEMPTS,
        charge=True,
        release=reason not in {ExitReason.AWAY, ExitReason.FAILED},
        look=True,
    )
