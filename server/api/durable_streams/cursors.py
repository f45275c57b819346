"""The cursors of live reads: a number that grows with time, so that no cache answers a client twice with the same."""

import secrets

from server import patterns

INTERVAL_S = 20
_EPOCH_S = 1_728_432_000
"""2024-10-09T00:00:00Z, from which the protocol counts intervals."""

_MOST_AHEAD = 3600 // INTERVAL_S
_CURSOR = patterns.compile(r"[0-9]{1,15}\Z")


def next_cursor(given: str | None, now_s: float) -> str:
    """Return the interval of this time, or a greater number than the client's where that is not greater by itself."""
    current = int((now_s - _EPOCH_S) // INTERVAL_S)
    if given is not None and _CURSOR.match(given) and int(given) >= current:
        return str(int(given) + 1 + secrets.randbelow(_MOST_AHEAD))
    return str(current)
