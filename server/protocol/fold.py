"""The fold of events into a conversation."""

from __future__ import annotations

from server.protocol.event_kinds import kind_of
from server.protocol.events import Event
from server.protocol.fold_state import FoldState
from server.protocol.messages import first_waiting
from server.protocol.order import whole_calls


class Fold(FoldState):
    """Folds events into messages and state."""

    __slots__ = ()

    def apply(self, event: Event) -> list[str]:
        """Fold one event and return the ids of the messages that it changed, in order.

        A type that is not known changes nothing: a newer Loopwire that shares our log may send it.
        """
        return kind_of(event).fold(self, event)

    def trim(self, most: int) -> None:
        """Keep only the last `most` messages, and all since the first one that waits or is open."""
        surplus = max(0, len(self.messages) - most)
        first = whole_calls(self._messages, min(surplus, first_waiting(self._messages)))
        if first:
            self.messages, self.older = self.messages[first:], True
