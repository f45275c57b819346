"""The table of close codes: how a client comes back, and after how long."""

from __future__ import annotations

import random
from enum import Enum, auto

FIRST_S = 0.25
LONGEST_S = 10.0
LATER_S = 1.0


class Next(Enum):
    """What a close code asks for."""

    STOP = auto()
    TICKET = auto()
    """Come back with a new ticket."""
    LATER = auto()
    """Come back, after a second at least."""
    RESUME = auto()


_STOP = frozenset({1000, 1002, 1003, 1007, 1009, 4400, 4403, 4404, 4409, 4410})
_LATER = frozenset({1013, 4429})
_NEW_TICKET = 4401
_FIRST_OWN = 1013
"""Before a welcome smaller codes say something of the way to the server, and nothing of us."""


def next_after(code: int, *, welcomed: bool) -> Next:
    """Say what a close code asks for; before the welcome only the server's own codes count."""
    if not welcomed and code < _FIRST_OWN:
        return Next.RESUME
    if code in _STOP:
        return Next.STOP
    if code == _NEW_TICKET:
        return Next.TICKET
    return Next.LATER if code in _LATER else Next.RESUME


def pause_before(attempt: int) -> float:
    """Return the seconds before a try: doubling, half of it random so that a crowd does not come back at once."""
    full: float = min(LONGEST_S, FIRST_S * 2 ** min(attempt, 10))
    return full / 2 + full / 2 * random.random()  # noqa: S311  # No secret: it only spreads a crowd.
