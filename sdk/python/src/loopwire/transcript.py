"""A conversation that is made of its events, as the server makes it (server/protocol/fold.py)."""

from __future__ import annotations

from loopwire.fold_state import FoldState
from loopwire.folds import FOLDS
from loopwire.messages import Event


class Transcript(FoldState):
    """Messages, state, the latest run and its steps, after the events that were applied."""

    def apply(self, event: Event) -> list[str]:
        """Fold one event; return the ids of the messages that it changed. A type that is not known changes nothing."""
        fold = FOLDS.get(event["type"])
        return list(dict.fromkeys(fold(self, event))) if fold else []
