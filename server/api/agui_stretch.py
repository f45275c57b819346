"""One run as one AG-UI answer: what the log tells of it becomes a stretch that AG-UI's own client folds without a word.

AG-UI's client knows one conversation under its own names, replaces all messages at every MESSAGES_SNAPSHOT, and has
written the user's message itself. So names are the caller's here, snapshots are whole, and no echo is sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from server.protocol import events as ev
from server.protocol.events import Event, ours
from server.protocol.transcript import Transcript

_CONVERSATION = {"user", "assistant", "tool"}
"""Roles of the messages that a caller sends back; activities stay with its page."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the caller calls things: its thread and run, and its own ids of what it has sent."""

    session_id: str
    run_id: str
    thread: str
    run: str
    parent: str | None = None
    principal: str = ""
    """Whose session it is."""
    sent: Mapping[str, str] = field(default_factory=dict)
    """Its id of every message, by our key of it."""
    results: Mapping[str, str] = field(default_factory=dict)
    """Its id of the result of every call that it has answered itself."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """Our own data for the start of the answer."""
    _known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Find its ids at once, for `has` is asked of every message."""
        object.__setattr__(self, "_known", frozenset(self.sent.values()))

    def of(self, message: dict[str, Any]) -> str:
        """The caller's id of a message: its own for what it sent, else ours."""
        if message["role"] == "tool" and message["toolCallId"] in self.results:
            return self.results[message["toolCallId"]]
        key = str(ours(message).get("client_id") or message["id"])
        return self.sent.get(key, key)

    def has(self, message: dict[str, Any]) -> bool:
        """Did the caller send it?"""
        return self.of(message) in self._known


class Stretch:
    """Turns the events of a session's log into those of one answer; `begun` and `over` say where it stands."""

    def __init__(self, names: Names, before: Transcript, *, state_known: bool = True) -> None:
        """Begin before the run, with the conversation so far.

        Without `state_known` the transcript's state is that after the run: it is told once, and its changes are not.
        """
        self._names = names
        self._fold = before
        self._state_known = state_known
        self._mine = False
        self._renamed: dict[str, str | None] = {}
        """The caller's ids of open user messages; None for those that it has."""
        self._shown: set[str] = set()
        """Activities that the caller has got in this answer."""
        self._echoes = False
        """Is the user's message told too? Only where the caller's own was taken from it."""
        self.begun = False
        self.over = False

    def take(self, event: Event) -> list[Event]:
        """Give what the caller gets for an event; the event itself where it gets just that."""
        if self.over:
            return []
        if event["type"] == "RUN_STARTED":
            return self._started(event)
        if not self._mine:
            self._fold.apply(event)
            return []
        shape = _SHAPES.get(event["type"])
        if shape is not None:
            return shape(self, event)
        self._fold.apply(event)
        return [event]

    def begin(self, now: Transcript) -> list[Event]:
        """Begin in the middle, for a caller that has read some of the run before."""
        return [*self._at_once(now.run.attempt if now.run else 1), *self.jump(now)]

    def jump(self, now: Transcript) -> list[Event]:
        """Go on from another place of the log: close what is open, tell everything, open what is open there."""
        closing = self._closing(steps=True)
        self._fold, self._renamed, self._mine = now, {}, True
        steps = [ev.step_started(name) for name in now.steps]
        opened = [start for each in now.messages if ours(each).get("open") for start in self._reopened(each)]
        return [*closing, self._whole(), ev.state_snapshot(now.state), *steps, *opened]

    def end(self, whole: Transcript, last: Event) -> list[Event]:
        """Tell the rest from what is stored, in one go."""
        started = [] if self.begun else self._at_once(1)
        closing = self._closing(steps=True)
        self._fold = whole
        return [*started, *closing, self._whole(), ev.state_snapshot(whole.state), *self._ended(last)]

    def _at_once(self, attempt: int) -> list[Event]:
        """The start of an answer whose run has begun long ago."""
        started = ev.run_started(self._names.session_id, self._names.run_id, attempt=attempt)
        return [self._start(started), *self._missing()]

    def _started(self, event: Event) -> list[Event]:
        self._mine = event["runId"] == self._names.run_id
        if not self._mine:
            self._fold.apply(event)
            return []
        if self.begun:  # The log was begun anew in the middle of the run: all of it follows.
            closing = self._closing(steps=True)
            self._fold.apply(event)
            self._fold.steps, self._fold.open_texts, self._fold.open_calls = [], {}, {}
            return closing
        return self._opening(event)

    def _opening(self, event: Event) -> list[Event]:
        self._fold.apply(event)
        return [self._start(event), *self._missing(), ev.state_snapshot(self._fold.state)]

    def _start(self, event: Event) -> Event:
        self.begun = self._mine = True
        own = {**ours(event), **self._names.told}
        started = {**event, "threadId": self._names.thread, "runId": self._names.run}
        started["metadata"] = {"loopwire": own}
        started.pop("parentRunId", None)
        if self._names.parent is not None:
            started["parentRunId"] = self._names.parent
        return started

    def _missing(self) -> list[Event]:
        """Tell the conversation to a caller that lacks some of it; its new message, which comes after it, goes."""
        talk = [each for each in self._fold.messages if each["role"] in _CONVERSATION]
        self._echoes = not all(self._names.has(each) for each in talk)
        return [self._whole()] if self._echoes else []

    def _text_start(self, event: Event) -> list[Event]:
        self._fold.apply(event)
        return (
            [event]
            if event.get("role") != "user"
            else self._text(event, self._rename(event, event["messageId"]))
        )

    def _rename(self, told: dict[str, Any], message_id: str) -> str | None:
        """The caller's id of a message of the user; None when it has the message."""
        key = str(ours(told).get("client_id") or message_id)
        name = self._names.sent.get(key)
        self._renamed[message_id] = key if name is None else name if self._echoes else None
        return self._renamed[message_id]

    def _text_goes_on(self, event: Event) -> list[Event]:
        self._fold.apply(event)
        message_id = event["messageId"]
        return self._text(event, self._renamed[message_id]) if message_id in self._renamed else [event]

    def _text(self, event: Event, name: str | None) -> list[Event]:
        """A part of a user's message, unless the caller has it."""
        return [] if name is None else [{**event, "messageId": name}]

    def _result(self, event: Event) -> list[Event]:
        """A result, unless the caller gave it."""
        self._fold.apply(event)
        return [] if event["toolCallId"] in self._names.results else [event]

    def _messages(self, event: Event) -> list[Event]:
        closing = self._closing(steps=False)
        self._fold.apply(event)
        return [*closing, self._whole()]

    def _activity(self, event: Event) -> list[Event]:
        self._fold.apply(event)
        self._shown.add(event["messageId"])
        return [event]

    def _activity_delta(self, event: Event) -> list[Event]:
        """Change what the caller has; what it may not have is told as it is now."""
        self._fold.apply(event)
        if event["messageId"] in self._shown:
            return [event]
        known = self._fold.message(event["messageId"])
        if known is None:
            return []
        self._shown.add(event["messageId"])
        return [ev.activity(event["messageId"], event["activityType"], known["content"])]

    def _state(self, event: Event) -> list[Event]:
        if not self._state_known:
            return []
        self._fold.apply(event)
        return [event]

    def _ended(self, event: Event) -> list[Event]:
        closing = self._closing(steps=True)
        self._fold.apply(event)
        self.over = True
        if event["type"] == "RUN_ERROR":
            return [*closing, event]
        named = {"threadId": self._names.thread, "runId": self._names.run, "outcome": _outcome(event)}
        return [*closing, {**event, **named}]

    def _closing(self, *, steps: bool) -> list[Event]:
        """Close what the caller has open."""
        fold = self._fold
        names = {each: self._renamed.get(each, each) for each in fold.open_texts}
        closing = [ev.text_end(name) for name in names.values() if name is not None]
        closing += [ev.tool_end(each) for each in fold.open_calls]
        if steps:
            closing += [ev.step_finished(name) for name in reversed(fold.steps)]
        return closing if self.begun else []

    def _whole(self) -> Event:
        """The conversation as it stands, under the caller's names; it stands for all activities too."""
        shown = [
            self._named(each) for each in self._fold.messages if "content" in each or "toolCalls" in each
        ]
        self._shown.update(each["id"] for each in shown if each["role"] == "activity")
        event = ev.messages_snapshot(shown)
        event["metadata"] = {"@ag-ui/client": {"authoritativeActivityTypes": None}}
        return event

    def _named(self, message: dict[str, Any]) -> dict[str, Any]:
        own = {key: value for key, value in ours(message).items() if key != "open"}
        return {**message, "id": self._names.of(message), "metadata": {"loopwire": own}}

    def _reopened(self, message: dict[str, Any]) -> list[Event]:
        """Open a message that the caller has just got, so that more can be added to it."""
        if "toolCalls" in message:
            return [ev.tool_start(message["id"], message["toolCalls"][0]["function"]["name"])]
        start = ev.text_start(message["id"], message["role"], name=message.get("name"))
        if message["role"] != "user":
            return [start]
        return self._text(start, self._rename(message, message["id"]))


def _outcome(event: Event) -> dict[str, Any]:
    """AG-UI's way with tools of the page: the run is over, and their results come as messages of the next one."""
    outcome: dict[str, Any] = event.get("outcome") or {"type": "success"}
    asked = outcome.get("interrupts")
    if outcome["type"] != "interrupt" or asked is None:
        return outcome
    people = [each for each in asked if ours(each).get("kind") != "tool"]
    if people:
        return {**outcome, "interrupts": people}
    return {"type": "success", "pendingToolCallIds": [each["toolCallId"] for each in asked]}


_SHAPES: dict[str, Callable[[Stretch, Event], list[Event]]] = {
    "TEXT_MESSAGE_START": Stretch._text_start,
    "TEXT_MESSAGE_CONTENT": Stretch._text_goes_on,
    "TEXT_MESSAGE_END": Stretch._text_goes_on,
    "TOOL_CALL_RESULT": Stretch._result,
    "MESSAGES_SNAPSHOT": Stretch._messages,
    "ACTIVITY_SNAPSHOT": Stretch._activity,
    "ACTIVITY_DELTA": Stretch._activity_delta,
    "STATE_SNAPSHOT": Stretch._state,
    "STATE_DELTA": Stretch._state,
    "RUN_FINISHED": Stretch._ended,
    "RUN_ERROR": Stretch._ended,
}
