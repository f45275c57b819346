"""Messages, state and what is open of a conversation, and the few changes that every fold is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loopwire.messages import NO_RUN, Event, Message, RunView, closed, ours, stamped


class FoldState:
    """Messages, state and what is open. A message that changes is a new object in the old one's place."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.state: Any = {}
        self.run: RunView | None = None
        self.steps: list[str] = []
        self.texts: dict[str, None] = {}
        """Ids of the texts that are still being written."""
        self.calls: dict[str, None] = {}
        """Ids of the calls that are still being written."""

    def find(self, message_id: str | None) -> Message | None:
        """Return the message with this id."""
        place = self.place_of(message_id)
        return None if place is None else self.messages[place]

    def place_of(self, message_id: str | None) -> int | None:
        """Return the place of a message; what changes is nearly always near the end."""
        for place in range(len(self.messages) - 1, -1, -1):
            if self.messages[place]["id"] == message_id:
                return place
        return None

    def of_run(self, run_id: str) -> list[Message]:
        """Return the messages of one run, in order."""
        return [each for each in self.messages if ours(each).get("run_id") == run_id]

    # Steps that the folds are made of.

    def put(self, message: Message) -> list[str]:
        """Put a message in the place of the one with its id, else at the end."""
        place = self.place_of(message["id"])
        if place is None:
            self.messages.append(message)
        else:
            self.messages[place] = message
        return [message["id"]]

    def put_result(self, message: Message) -> list[str]:
        """Put the result of a call right after it, and after the results that it has."""
        call = self.place_of(message["toolCallId"])
        if call is None or self.find(message["id"]) is not None:
            return self.put(message)
        place = call + 1
        while place < len(self.messages) and self.messages[place].get("toolCallId") == message["toolCallId"]:
            place += 1
        self.messages.insert(place, message)
        return [message["id"]]

    def open(self, message: Message, event: Event) -> list[str]:
        """Add an open message, or go on with the known one of this id where it stands."""
        known = self.find(message["id"]) or {}
        kept = {"content": known["content"]} if "content" in known else {}
        return self.put(stamped({**message, **kept}, {**self.stamp(event), "open": True}))

    def close(self, opened: dict[str, None], message_id: str, own: dict[str, Any] | None = None) -> list[str]:
        """Close an open text or call, with what its end adds to the message's own data."""
        message = self.find(message_id)
        if message_id not in opened:
            return []
        del opened[message_id]
        return self.put(closed(message, own)) if message is not None else []

    def close_all(self) -> list[str]:
        """Close everything that is open."""
        changed = [*self.texts, *self.calls]
        self.messages = [closed(each) if ours(each).get("open") else each for each in self.messages]
        self.steps = []
        self.texts.clear()
        self.calls.clear()
        return changed

    def stamp(self, event: Event) -> dict[str, Any]:
        """Return what a message keeps of the event that it comes from."""
        own = dict(ours(event))
        if self.run is not None:
            own["run_id"] = self.run.id
        if "timestamp" in event:
            own["at"] = event["timestamp"]
        return own

    def finish_run(self, run_id: str | None, how: dict[str, Any] | None, **change: Any) -> list[str] | None:
        """End a run, once, and none but the latest; its last message gets `how`. None when nothing ended."""
        run = self.run or (None if run_id in {None, NO_RUN} else RunView(str(run_id)))
        if run is None or run.id != run_id or run.status != "running":
            return None
        self.run = replace(run, **change)
        changed = self.close_all()
        mine = self.of_run(run.id) if how else []
        return changed + self.put(stamped(mine[-1], {**ours(mine[-1]), "ended": how})) if mine else changed
