"""The messages, the state and the open parts of a conversation, and the few changes that all folds use.

Messages are never changed in place: a change puts a new object in the old one's place, so that snapshots may
share them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.protocol.events import Event, ours
from server.protocol.messages import RunView, close_message, unique

NO_RUN = "run_none"
"""Run id of a snapshot of a session in which no run is known; its kind is `snapshot`."""

MOST_PIECES = 16
"""Pending deltas of a text are joined at this count: a short str costs about 50 bytes of overhead."""


class FoldState:
    """Messages, state, and open texts, calls and steps."""

    __slots__ = (
        "_messages",
        "_pending_deltas",
        "older",
        "open_calls",
        "open_texts",
        "recalled",
        "revised",
        "run",
        "state",
        "steps",
    )

    def __init__(
        self,
        messages: list[dict[str, Any]] | None = None,
        state: dict[str, Any] | None = None,
        run: RunView | None = None,
        *,
        older: bool = False,
    ) -> None:
        """Start empty, or from what is known: `older` when the conversation has messages before these."""
        self._messages = [] if messages is None else messages
        self.older = older
        self.recalled: dict[str, dict[str, Any]] = {}
        """Messages from before the first one here, by id, which the reader gave so that events may change them."""
        self._pending_deltas: dict[str, list[str]] = {}
        self.state = {} if state is None else state
        self.run = run
        self.steps: list[str] = []
        self.open_texts: dict[str, str] = {}
        self.open_calls: dict[str, str] = {}
        self.revised: list[str] = []
        """Ids of older runs' messages that this run changed (a block was answered): to be stored with it."""

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same conversation, regardless of how they were folded."""
        return isinstance(other, FoldState) and self._compared_fields() == other._compared_fields()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def _compared_fields(self) -> tuple[Any, ...]:
        return self.messages, self.state, self.run, self.steps, self.open_texts, self.open_calls

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return all messages, in order. Text that was added since the last read is joined now."""
        if self._pending_deltas:
            pending, self._pending_deltas = self._pending_deltas, {}
            for message_id, parts in pending.items():
                self._add_text(message_id, "".join(parts))
        return self._messages

    @messages.setter
    def messages(self, messages: list[dict[str, Any]]) -> None:
        self._pending_deltas = {}
        self._messages = messages

    def run_messages(self, run_id: str) -> list[dict[str, Any]]:
        """Return the messages of one run, in order."""
        return [each for each in self.messages if ours(each).get("run_id") == run_id]

    def message(self, message_id: str) -> dict[str, Any] | None:
        """Find a message by its id."""
        place = self.place_of(message_id)
        return self.recalled.get(message_id) if place is None else self.messages[place]

    # Changes that the folds use.

    def append_delta(self, message_id: str, delta: str) -> None:
        """Append text to an open message; its place is updated when the messages are read."""
        pending = self._pending_deltas.setdefault(message_id, [])
        pending.append(delta)
        if len(pending) >= MOST_PIECES:
            pending[:] = ["".join(pending)]

    def _add_text(self, message_id: str, text: str) -> None:
        place = self.place_of(message_id)
        if place is not None:
            known = self._messages[place]
            self._messages[place] = {**known, "content": known["content"] + text}

    def place_of(self, message_id: str | None) -> int | None:
        """Find a message; what changes is nearly always near the end."""
        messages = self._messages
        for place in range(len(messages) - 1, -1, -1):
            if messages[place]["id"] == message_id:
                return place
        return None

    def put(self, message: dict[str, Any], place: int | None) -> list[str]:
        """Put a message at this place, or at the end; returns its id."""
        if place is None:
            self.messages.append(message)
        else:
            self.messages[place] = message
        return [message["id"]]

    def revise(self, message: dict[str, Any]) -> list[str]:
        """Put a known message in its place, or back among the recalled ones."""
        stranger = self.run is None or ours(message).get("run_id") != self.run.id
        if stranger and message["id"] not in self.revised:
            self.revised.append(message["id"])
        if message["id"] in self.recalled:
            self.recalled[message["id"]] = message
            return [message["id"]]
        return self.put(message, self.place_of(message["id"]))

    def stamp(self, event: Event) -> dict[str, Any]:
        """Return our own data for a message that this event makes."""
        stamp = dict(ours(event))
        if self.run is not None:
            stamp["run_id"] = self.run.id
        if "timestamp" in event:
            stamp["at"] = event["timestamp"]
        return stamp

    def open(self, fields: dict[str, Any], event: Event) -> list[str]:
        """Add an open message, or continue the known one with this id in its place."""
        place = self.place_of(fields["id"])
        if place is not None:
            fields = {**fields, **{k: v for k, v in self.messages[place].items() if k in {"content"}}}
        stamp = {**self.stamp(event), "open": True}
        return self.put({**fields, "metadata": {"loopwire": stamp}}, place)

    def close(self, opened: dict[str, str], message_id: str, own: dict[str, Any] | None = None) -> list[str]:
        """Close an open text or call, with what its end adds to its own data; returns the ids of what changed."""
        place = self.place_of(message_id)
        if opened.pop(message_id, None) is None or place is None:
            return []
        return self.put(close_message(self.messages[place], own), place)

    def close_all(self) -> list[str]:
        """Close everything that is open; returns the ids of what changed."""
        changed = [*self.open_texts, *self.open_calls]
        self.messages = [close_message(each) if ours(each).get("open") else each for each in self.messages]
        self.steps, self.open_texts, self.open_calls = [], {}, {}
        return changed

    def run_to_end(self, run_id: str | None) -> RunView | None:
        """Return the run that this end ends: none for a second end, or for one of an older run."""
        if self.run is None:
            return None if run_id in {None, NO_RUN} else RunView(id=str(run_id))
        return self.run if self.run.id == run_id and self.run.status == "running" else None

    def mark_waiting(self, interrupts: Iterable[dict[str, Any]]) -> list[str]:
        """Mark the calls that a person or a browser must answer; the mark counts until the call has a result."""
        changed: list[str] = []
        for each in interrupts:
            place = self.place_of(each.get("toolCallId"))
            if place is not None and "waits" not in ours(self.messages[place]):
                known = self.messages[place]
                stamp = {**ours(known), "waits": ours(each)}
                changed += self.put({**known, "metadata": {"loopwire": stamp}}, place)
        return changed

    def finish_run(self, run_id: str, ended: dict[str, Any] | None) -> list[str]:
        """End the run: close what is open, and mark its last message with how it ended."""
        changed = self.close_all()
        mine = self.run_messages(run_id)
        if ended and mine:
            last = mine[-1]
            stamp = {**ours(last), "ended": ended}
            changed += self.put({**last, "metadata": {"loopwire": stamp}}, self.place_of(last["id"]))
        return unique(changed)
