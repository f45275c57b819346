"""Conversations as their last finished run left them, in the memory of this process."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

MOST_PARTS = 20_000
"""Messages and history items of all kept conversations together: some tens of megabytes."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is shown and what the model remembers, up to the end of one run. Nothing in it is ever changed in place."""

    last_run: str | None
    messages: list[dict[str, Any]]
    history: list[dict[str, Any]]

    @property
    def parts(self) -> int:
        """How much of it there is."""
        return len(self.messages) + len(self.history) + 1


class Kept:
    """The conversations used last. Whoever asks names the last run, as the database tells it: no other is given."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: OrderedDict[str, Conversation] = OrderedDict()
        self._parts = 0

    def get(self, session_id: str, last_run: str) -> Conversation | None:
        """The conversation as that run left it."""
        found = self._kept.get(session_id)
        if found is None or found.last_run != last_run:
            return None
        self._kept.move_to_end(session_id)
        return found

    def put(self, session_id: str, conversation: Conversation) -> None:
        """Keep this instead of what was kept before."""
        before = self._kept.pop(session_id, None)
        self._parts += conversation.parts - (before.parts if before else 0)
        self._kept[session_id] = conversation
        while self._parts > MOST_PARTS:
            self._parts -= self._kept.popitem(last=False)[1].parts
