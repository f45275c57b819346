"""Conversations as their last finished run left them, in the memory of this process."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 32 * 1024 * 1024
"""Of all kept conversations together, as JSON; in memory they take a few times that."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is shown and what the model remembers, up to the end of one run. Nothing in it is ever changed in place."""

    last_run: str | None
    messages: list[dict[str, Any]]
    history: list[dict[str, Any]]


class Kept:
    """The conversations used last. Whoever asks names the last run, as the database tells it: no other is given."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: OrderedDict[str, tuple[Conversation, int]] = OrderedDict()
        self._bytes = 0

    def get(self, session_id: str, last_run: str) -> Conversation | None:
        """The conversation as that run left it."""
        found, _ = self._kept.get(session_id, (None, 0))
        if found is None or found.last_run != last_run:
            return None
        self._kept.move_to_end(session_id)
        return found

    def put(self, session_id: str, conversation: Conversation, size: int) -> None:
        """Keep this instead of what was kept before; `size` is that of its JSON in bytes."""
        self._bytes += size - self._kept.pop(session_id, (None, 0))[1]
        self._kept[session_id] = conversation, size
        while self._bytes > MOST_BYTES:
            self._bytes -= self._kept.popitem(last=False)[1][1]
