"""One run as one AG-UI answer: its events in the log become a stream that AG-UI's own client folds without a warning.

AG-UI's client knows one conversation under its own names, replaces all messages at every MESSAGES_SNAPSHOT, and has
written the user's message itself. So this module uses the caller's names, sends whole snapshots and no echo. It folds
the newest part of a long conversation; the part before is read when a snapshot is due.
"""

from collections.abc import Callable, Mapping
from typing import Any

from server.agui.caller_view import CallerView
from server.agui.names import Names
from server.agui.outcome import with_outcome
from server.protocol import events as ev
from server.protocol.events import Event, ours
from server.protocol.transcript import REASONING, Transcript, end_of_text
from server.runs.conversation.conversation_cache import MESSAGES

_CONVERSATION = {"user", "assistant", "tool"}
"""Roles of the messages that a caller sends back; activities stay with its page."""


class AnswerTranslator:
    """Turns the events of a session's log, one after the other, into those of one answer."""

    def __init__(self, names: Names, before: Transcript, *, state_known: bool = True) -> None:
        """Begin before the run, with the conversation so far, or with the newest part of it.

        Without `state_known` the transcript's state is that after the run: it is sent once, and its changes are not.
        """
        self._names = names
        self.folded = before
        """The current conversation, or its newest part."""
        self._state_known = state_known
        self._mine = False
        self._caller = CallerView(names)
        self._behind = False
        """Whether the caller lacks some of the conversation and gets it whole before the next event."""
        self.begun = False
        self.over = False

    def lacks_earlier(self, event: Event) -> bool:
        """Return whether this event makes a snapshot of which only the newest part is known: `complete` comes first."""
        if not self.folded.older or self._caller.earlier or self.over or not self._mine:
            return False
        return self._behind or event["type"] == "MESSAGES_SNAPSHOT" or self._ends_unknown(event)

    def complete(self, earlier: Mapping[str, Any]) -> None:
        """Take the messages before the folded ones: by the caller's id, as a snapshot has them."""
        self._caller.earlier = earlier

    def translate(self, event: Event) -> list[Event]:
        """Return what the caller gets for an event; the event itself where it gets just that."""
        if self.over:
            return []
        if event["type"] == "RUN_STARTED":
            return self._on_run_started(event)
        if not self._mine:
            self.folded.apply(event)
            return []
        if self._is_of_user(event):
            return self._user_text(event)
        missing = self._catch_up() if self._behind else []
        shape = _SHAPES.get(event["type"])
        if shape is not None and self._caller.draws(event):
            return [*missing, *shape(self, event)]
        self.folded.apply(event)
        return [*missing, event] if shape is None else missing

    def begin(self, now: Transcript) -> list[Event]:
        """Begin in the middle, for a caller that has read some of the run before."""
        return [*self._at_once(now.run.attempt if now.run else 1), *self.jump(now)]

    def jump(self, now: Transcript) -> list[Event]:
        """Continue from another place of the log: close what is open, send everything, open what is open there."""
        closing = self._closing(steps=True)
        self.folded, self._mine = now, True
        self._behind = "user" in now.open_texts.values()
        steps = [ev.step_started(name) for name in now.steps]
        opened = [_reopen(each) for each in now.messages if ours(each).get("open") and each["role"] != "user"]
        return [*closing, *self._caller.snapshots(self.folded), ev.state_snapshot(now.state), *steps, *opened]

    def translate_rest(self, whole: Transcript, last: Event) -> list[Event]:
        """Return what the caller gets for the rest, from the database, at once."""
        started = [] if self.begun else self._at_once(1)
        closing = self._closing(steps=True)
        self.folded = whole
        return [
            *started,
            *closing,
            *self._caller.snapshots(self.folded),
            ev.state_snapshot(whole.state),
            *self._on_run_ended(last),
        ]

    def _at_once(self, attempt: int) -> list[Event]:
        """Return the start of an answer whose run has begun long ago; the whole conversation follows."""
        return [self._start(ev.run_started(self._names.session_id, self._names.run_id, attempt=attempt))]

    def _on_run_started(self, event: Event) -> list[Event]:
        self._mine = self._names.covers(event["runId"])
        if not self._mine:
            self.folded.apply(event)
            return []
        if self.begun:  # A new log began in the middle of the run, and the whole run follows.
            closing = self._closing(steps=True)
            self.folded.apply(event)
            self.folded.steps, self.folded.open_texts, self.folded.open_calls = [], {}, {}
            return closing
        return self._opening(event)

    def _opening(self, event: Event) -> list[Event]:
        """Start; a caller that lacks some gets it as soon as the message that began the run is whole.

        A caller that has the newest messages got what is before them.
        """
        self.folded.apply(event)
        talk = (each for each in self.folded.messages[-MESSAGES:] if each["role"] in _CONVERSATION)
        self._behind = not all(map(self._names.has_whole, talk))
        start = self._start(event)
        return [start] if self._behind else [start, ev.state_snapshot(self.folded.state)]

    def _start(self, event: Event) -> Event:
        self.begun = self._mine = True
        own = {**ours(event), **self._names.told}
        started = {**event, "threadId": self._names.thread, "runId": self._names.run}
        started["metadata"] = {"loopwire": own}
        started.pop("parentRunId", None)
        if self._names.parent is not None:
            started["parentRunId"] = self._names.parent
        return started

    def _is_of_user(self, event: Event) -> bool:
        """Return whether an event is a part of a user's message."""
        if event["type"] == "TEXT_MESSAGE_START":
            return event.get("role") == "user"
        return self.folded.open_texts.get(event.get("messageId", "")) == "user"

    def _ends_unknown(self, event: Event) -> bool:
        """Return whether a user's message that the caller lacks is now whole."""
        if event["type"] != "TEXT_MESSAGE_END" or not self._is_of_user(event):
            return False
        message = self.folded.message(event["messageId"])
        return message is not None and not self._names.has(message)

    def _user_text(self, event: Event) -> list[Event]:
        """Send a user's message in a snapshot, and only to a caller that lacks it.

        Clients take each text that an answer opens for the assistant's, whatever role it names.
        """
        self.folded.apply(event)
        message = self.folded.message(event["messageId"])
        self._behind = self._behind or (message is not None and not self._names.has(message))
        return self._catch_up() if self._behind and event["type"] == "TEXT_MESSAGE_END" else []

    def _catch_up(self) -> list[Event]:
        """Send the whole conversation; what is open is closed before and opened again after it."""
        if self.folded.open_texts or self.folded.open_calls:
            return self.jump(self.folded)
        self._behind = False  # The message that began the run is complete.
        return [*self._caller.snapshots(self.folded), ev.state_snapshot(self.folded.state)]

    def _on_message_started(self, event: Event) -> list[Event]:
        self.folded.apply(event)
        self._caller.begin(event)
        return [event]

    def _result(self, event: Event) -> list[Event]:
        """Return a result, unless the caller gave it."""
        self.folded.apply(event)
        if event["toolCallId"] in self._names.results:
            return []
        self._caller.add_result(event["toolCallId"], event["messageId"])
        return [event]

    def _messages(self, event: Event) -> list[Event]:
        closing = self._closing(steps=False)
        self.folded.apply(event)
        return [*closing, *self._caller.snapshots(self.folded)]

    def _activity(self, event: Event) -> list[Event]:
        self.folded.apply(event)
        self._caller.add(event["messageId"])
        return [event]

    def _activity_delta(self, event: Event) -> list[Event]:
        """Change what the caller has; what it may not have is sent as it is now."""
        self.folded.apply(event)
        if event["messageId"] in self._caller:
            return [event]
        known = self.folded.message(event["messageId"])
        if known is None:
            return []
        self._caller.add(event["messageId"])
        return [ev.activity(event["messageId"], event["activityType"], known["content"])]

    def _state(self, event: Event) -> list[Event]:
        if not self._state_known:
            return []
        self.folded.apply(event)
        return [event]

    def _on_run_ended(self, event: Event) -> list[Event]:
        closing = self._closing(steps=True)
        self.folded.apply(event)
        if self.folded.run is not None and self.folded.run.id == self._names.first_run:
            self._behind = True  # The next text was typed earlier: it moves to the end.
            return closing
        self.over, closing = True, [*closing, *self._caller.write_blocks(self.folded)]
        if event["type"] == "RUN_ERROR":
            return [*closing, event]
        named = {"threadId": self._names.thread, "runId": self._names.run}
        return [*closing, {**with_outcome(event, reads_1_0=self._names.reads_1_0), **named}]

    def _closing(self, *, steps: bool) -> list[Event]:
        """Close what the caller has open."""
        fold = self.folded
        closing = [end_of_text(each, role) for each, role in fold.open_texts.items() if role != "user"]
        closing += [ev.tool_end(each) for each in fold.open_calls]
        if steps:
            closing += [ev.step_finished(name) for name in reversed(fold.steps)]
        return closing if self.begun else []


def _reopen(message: dict[str, Any]) -> Event:
    """Open a message that the caller has just got, so that more can be added to it."""
    if "toolCalls" in message:
        return ev.tool_start(message["id"], message["toolCalls"][0]["function"]["name"])
    if message["role"] == REASONING:
        return ev.reasoning_start(message["id"])
    return ev.text_start(message["id"], message["role"], name=message.get("name"))


_SHAPES: dict[str, Callable[[AnswerTranslator, Event], list[Event]]] = {
    "TEXT_MESSAGE_START": AnswerTranslator._on_message_started,
    "REASONING_MESSAGE_START": AnswerTranslator._on_message_started,
    "TOOL_CALL_START": AnswerTranslator._on_message_started,
    "TOOL_CALL_RESULT": AnswerTranslator._result,
    "MESSAGES_SNAPSHOT": AnswerTranslator._messages,
    "ACTIVITY_SNAPSHOT": AnswerTranslator._activity,
    "ACTIVITY_DELTA": AnswerTranslator._activity_delta,
    "STATE_SNAPSHOT": AnswerTranslator._state,
    "STATE_DELTA": AnswerTranslator._state,
    "RUN_FINISHED": AnswerTranslator._on_run_ended,
    "RUN_ERROR": AnswerTranslator._on_run_ended,
}
