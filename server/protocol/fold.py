"""The fold of events into messages and state, one small method for each event.

Messages are never changed in place: a change puts a new object in the old one's place, so that snapshots may
share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from server.protocol.events import Event, ours
from server.protocol.messages import (
    RunView,
    apply_fitting_patch,
    close_message,
    first_waiting,
    ids_of,
    tool_call,
    unique,
)
from server.protocol.order import place_of_result, whole_calls, with_results_at_calls, with_run

NO_RUN = "run_none"
"""Run id of a snapshot of a session in which no run is known; its kind is `snapshot`."""

MOST_PIECES = 16
"""So many pieces of a text that streams are put together: alone, one of four letters takes as much as fifty would."""


class Fold:
    """Messages, state and what is open, folded from events. Unknown events change nothing."""

    __slots__ = (
        "_heard",
        "_messages",
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
        """Messages from before the first one here, by id, which somebody gave so that events may change them."""
        self._heard: dict[str, list[str]] = {}
        self.state = {} if state is None else state
        self.run = run
        self.steps: list[str] = []
        self.open_texts: dict[str, str] = {}
        self.open_calls: dict[str, str] = {}
        self.revised: list[str] = []
        """Ids of older runs' messages that this run changed (a block was answered): to be stored with it."""

    def __eq__(self, other: object) -> bool:
        """The same conversation, however it came about."""
        return isinstance(other, Fold) and self._told_fields() == other._told_fields()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def _told_fields(self) -> tuple[Any, ...]:
        return self.messages, self.state, self.run, self.steps, self.open_texts, self.open_calls

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All messages, in order. Text that came since the last look is put in its place now, all at once."""
        if self._heard:
            heard, self._heard = self._heard, {}
            for message_id, parts in heard.items():
                self._say(message_id, "".join(parts))
        return self._messages

    @messages.setter
    def messages(self, messages: list[dict[str, Any]]) -> None:
        self._heard = {}
        self._messages = messages

    def apply(self, event: Event) -> list[str]:
        """Fold one event and return the ids of the messages that it changed, in order."""
        fold = _FOLDS.get(event["type"])
        return fold(self, event) if fold else []

    def run_messages(self, run_id: str) -> list[dict[str, Any]]:
        """Return the messages of one run, in order."""
        return [each for each in self.messages if ours(each).get("run_id") == run_id]

    def message(self, message_id: str) -> dict[str, Any] | None:
        """Find a message by its id."""
        place = self._place(message_id)
        return self.recalled.get(message_id) if place is None else self.messages[place]

    def trim(self, most: int) -> None:
        """Keep only the last `most` messages, and all since the first one that waits or is open."""
        surplus = len(self.messages) - most
        if surplus <= 0:
            return
        first = whole_calls(self._messages, min(surplus, first_waiting(self._messages)))
        if first:
            self.messages = self.messages[first:]
            self.older = True

    def _run_started(self, event: Event) -> list[str]:
        own = ours(event)
        if own.get("kind") == "snapshot":
            self.run = None
        elif self.run is not None and self.run.id == event["runId"]:
            self.run = replace(self.run, attempt=own.get("attempt", self.run.attempt))
            return []
        else:
            self.run = RunView(
                id=event["runId"],
                attempt=own.get("attempt", 1),
                kind=own.get("kind", "agent"),
                parent_run_id=event.get("parentRunId"),
                at=event.get("timestamp"),
            )
        self.revised = []
        return self._close_all()

    def _run_finished(self, event: Event) -> list[str]:
        run_id, outcome = event["runId"], event.get("outcome") or {"type": "success"}
        run = self._ending(run_id)
        if run is None:
            return []
        self.run = replace(run, status="finished", outcome=outcome)
        ended = {"outcome": "cancelled"} if outcome["type"] == "cancelled" else None
        return unique([*self._end(run_id, ended), *self._wait(outcome.get("interrupts") or ())])

    def _run_error(self, event: Event) -> list[str]:
        run_id = ours(event).get("run_id") or (self.run.id if self.run else None)
        run = self._ending(run_id)
        if run is None or run_id is None:
            return []
        code = event.get("code", "internal")
        self.run = replace(run, status="error", code=code, message=event["message"])
        return self._end(run_id, {"outcome": "error", "code": code})

    def _text_start(self, event: Event) -> list[str]:
        message_id, role = event["messageId"], event.get("role", "assistant")
        self.open_texts[message_id] = role
        fields = {"id": message_id, "role": role, "content": ""}
        if "name" in event:
            fields["name"] = event["name"]
        return self._open(fields, event)

    def _text_content(self, event: Event) -> list[str]:
        message_id = event["messageId"]
        if message_id not in self.open_texts:
            return []
        heard = self._heard.get(message_id)
        if heard is None:
            self._heard[message_id] = [event["delta"]]
        else:
            heard.append(event["delta"])
            if len(heard) >= MOST_PIECES:
                heard[:] = ["".join(heard)]
        return [message_id]

    def _say(self, message_id: str, text: str) -> None:
        place = self._place(message_id)
        if place is not None:
            known = self._messages[place]
            self._messages[place] = {**known, "content": known["content"] + text}

    def _text_end(self, event: Event) -> list[str]:
        return self._close(self.open_texts, event["messageId"])

    def _tool_start(self, event: Event) -> list[str]:
        call_id, name = event["toolCallId"], event["toolCallName"]
        self.open_calls[call_id] = name
        return self._open(
            {"id": call_id, "role": "assistant", "toolCalls": [tool_call(call_id, name)]}, event
        )

    def _tool_args(self, event: Event) -> list[str]:
        place = self._place(event["toolCallId"])
        if place is None or event["toolCallId"] not in self.open_calls:
            return []
        message = self.messages[place]
        function = message["toolCalls"][0]["function"]
        call = tool_call(message["id"], function["name"], function["arguments"] + event["delta"])
        return self._put({**message, "toolCalls": [call]}, place)

    def _tool_end(self, event: Event) -> list[str]:
        return self._close(self.open_calls, event["toolCallId"])

    def _tool_result(self, event: Event) -> list[str]:
        message = {
            "id": event["messageId"],
            "role": "tool",
            "toolCallId": event["toolCallId"],
            "content": event["content"],
            "metadata": {"loopwire": self._stamp(event)},
        }
        place, call = self._place(message["id"]), self._place(event["toolCallId"])
        if place is not None or call is None:
            return self._put(message, place)
        self.messages.insert(place_of_result(self.messages, call), message)
        return [message["id"]]

    def _step_started(self, event: Event) -> list[str]:
        self.steps.append(event["stepName"])
        return []

    def _step_finished(self, event: Event) -> list[str]:
        if event["stepName"] in self.steps:
            backwards = self.steps[::-1]
            backwards.remove(event["stepName"])
            self.steps = backwards[::-1]
        return []

    def _state_snapshot(self, event: Event) -> list[str]:
        self.state = event["snapshot"]
        return []

    def _state_delta(self, event: Event) -> list[str]:
        self.state = apply_fitting_patch(self.state, event["delta"])
        return []

    def _activity(self, event: Event) -> list[str]:
        known = self.message(event["messageId"])
        if known is not None:
            return self._revise({**known, "content": event["content"]}) if event.get("replace", True) else []
        message = {
            "id": event["messageId"],
            "role": "activity",
            "activityType": event["activityType"],
            "content": event["content"],
            "metadata": {"loopwire": self._stamp(event)},
        }
        return self._put(message, None)

    def _activity_delta(self, event: Event) -> list[str]:
        known = self.message(event["messageId"])
        if known is None:
            return []
        return self._revise({**known, "content": apply_fitting_patch(known["content"], event["patch"])})

    def _messages_snapshot(self, event: Event) -> list[str]:
        own, given = ours(event), event["messages"]
        if own.get("scope") != "run" or self.run is None:
            gone, self.messages = self.messages, with_results_at_calls(given)
        else:
            gone = self.run_messages(self.run.id)
            self.messages = with_run(self.messages, self.run.id, given)
            self.run = replace(self.run, attempt=own.get("attempt", self.run.attempt))
        self.open_texts, self.open_calls = {}, {}
        return ids_of([*gone, *given])

    # What the folds are made of.

    def _place(self, message_id: str) -> int | None:
        """Find a message; what changes is nearly always near the end."""
        messages = self._messages
        for place in range(len(messages) - 1, -1, -1):
            if messages[place]["id"] == message_id:
                return place
        return None

    def _put(self, message: dict[str, Any], place: int | None) -> list[str]:
        if place is None:
            self.messages.append(message)
        else:
            self.messages[place] = message
        return [message["id"]]

    def _revise(self, message: dict[str, Any]) -> list[str]:
        """Put a known message in its place, or back among the recalled ones."""
        stranger = self.run is None or ours(message).get("run_id") != self.run.id
        if stranger and message["id"] not in self.revised:
            self.revised.append(message["id"])
        if message["id"] in self.recalled:
            self.recalled[message["id"]] = message
            return [message["id"]]
        return self._put(message, self._place(message["id"]))

    def _stamp(self, event: Event) -> dict[str, Any]:
        stamp = dict(ours(event))
        if self.run is not None:
            stamp["run_id"] = self.run.id
        if "timestamp" in event:
            stamp["at"] = event["timestamp"]
        return stamp

    def _open(self, fields: dict[str, Any], event: Event) -> list[str]:
        """Add an open message, or continue the known one with this id where it stands."""
        place = self._place(fields["id"])
        if place is not None:
            fields = {**fields, **{k: v for k, v in self.messages[place].items() if k in {"content"}}}
        stamp = {**self._stamp(event), "open": True}
        return self._put({**fields, "metadata": {"loopwire": stamp}}, place)

    def _close(self, opened: dict[str, str], message_id: str) -> list[str]:
        place = self._place(message_id)
        if opened.pop(message_id, None) is None or place is None:
            return []
        return self._put(close_message(self.messages[place]), place)

    def _close_all(self) -> list[str]:
        changed = [*self.open_texts, *self.open_calls]
        self.messages = [close_message(each) if ours(each).get("open") else each for each in self.messages]
        self.steps, self.open_texts, self.open_calls = [], {}, {}
        return changed

    def _ending(self, run_id: str | None) -> RunView | None:
        """Return the run that this end ends: none for a second end, or for one of an older run."""
        if self.run is None:
            return None if run_id in {None, NO_RUN} else RunView(id=str(run_id))
        return self.run if self.run.id == run_id and self.run.status == "running" else None

    def _wait(self, interrupts: Iterable[dict[str, Any]]) -> list[str]:
        """Mark the calls that a person or a browser must answer; the mark counts until the call has a result."""
        changed: list[str] = []
        for each in interrupts:
            place = self._place(each.get("toolCallId", ""))
            if place is not None and "waits" not in ours(self.messages[place]):
                known = self.messages[place]
                stamp = {**ours(known), "waits": ours(each)}
                changed += self._put({**known, "metadata": {"loopwire": stamp}}, place)
        return changed

    def _end(self, run_id: str, ended: dict[str, Any] | None) -> list[str]:
        changed = self._close_all()
        mine = self.run_messages(run_id)
        if ended and mine:
            last = mine[-1]
            stamp = {**ours(last), "ended": ended}
            changed += self._put({**last, "metadata": {"loopwire": stamp}}, self._place(last["id"]))
        return unique(changed)


_FOLDS: dict[str, Callable[[Fold, Event], list[str]]] = {
    "RUN_STARTED": Fold._run_started,
    "RUN_FINISHED": Fold._run_finished,
    "RUN_ERROR": Fold._run_error,
    "TEXT_MESSAGE_START": Fold._text_start,
    "TEXT_MESSAGE_CONTENT": Fold._text_content,
    "TEXT_MESSAGE_END": Fold._text_end,
    "TOOL_CALL_START": Fold._tool_start,
    "TOOL_CALL_ARGS": Fold._tool_args,
    "TOOL_CALL_END": Fold._tool_end,
    "TOOL_CALL_RESULT": Fold._tool_result,
    "STEP_STARTED": Fold._step_started,
    "STEP_FINISHED": Fold._step_finished,
    "STATE_SNAPSHOT": Fold._state_snapshot,
    "STATE_DELTA": Fold._state_delta,
    "ACTIVITY_SNAPSHOT": Fold._activity,
    "ACTIVITY_DELTA": Fold._activity_delta,
    "MESSAGES_SNAPSHOT": Fold._messages_snapshot,
}
