"""The part of a session's state that people see, and the size of what they are shown."""

from collections.abc import Mapping
from typing import Any, Final

PRIVATE: Final = "_private"
"""The key under which the agents' private notes stand inside the stored state, in no event."""

MOST_BYTES: Final = 64 * 1024
"""Bytes of the state, and of one call's arguments, result or block as people see it: the log, every socket and every
reload carry it."""


def public_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored state without its private part: what STATE_SNAPSHOT may carry."""
    return {key: value for key, value in state.items() if key != PRIVATE}
