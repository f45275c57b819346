"""The transcript: a conversation after its events, the same for server, page and client."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import copy
from typing import Any

from server.protocol import events as ev
from server.protocol.events import Event, ours
from server.protocol.fold import Fold
from server.protocol.fold_state import NO_RUN
from server.protocol.ids import result_id
from server.protocol.messages import RunView, is_waiting
from server.protocol.order import whole_calls

__all__ = ["NO_RUN", "RunView", "Transcript"]

STOPPED = '{"status":"stopped"}'
"""The result of a call that was broken off, as all readers see it."""

REASONING = "reasoning"
"""The role of a message that is a summary of what a model thought."""

_KEPT_OPEN = {"id", "role", "name"}
"""The keys of an open message that its place in a snapshot has."""

_STAMPED = {"run_id", "at", "open"}
"""The keys that the fold itself adds to the own data of a message."""


class Transcript(Fold):
    """A conversation: it folds events, and says which events would give the same conversation."""

    __slots__ = ()

    @classmethod
    def of(cls, messages: list[dict[str, Any]], state: dict[str, Any], *, older: bool = False) -> Transcript:
        """Start from what is stored, or from its last messages where there are `older` ones."""
        return cls(list(messages), state, older=older)

    @classmethod
    def fold(cls, events: Iterable[Event]) -> Transcript:
        """Start from nothing, and fold these events."""
        folded = cls()
        for event in events:
            folded.apply(event)
        return folded

    @property
    def runs_on(self) -> bool:
        """Return whether a run has begun and not ended."""
        return self.run is not None and self.run.status == "running"

    def only(self, messages: list[dict[str, Any]]) -> Transcript:
        """Return the same conversation with only these messages."""
        part = copy(self)
        part.messages = messages
        return part

    def snapshot_events(self, thread_id: str, *, limit: int | None = None) -> list[Event]:
        """Return events whose fold equals this transcript, or its last `limit` messages.

        An open message that stands before a closed one is in MESSAGES_SNAPSHOT too, without content, so that
        it keeps its place: START with the id of a known message continues it. What is open is never cut off.
        """
        opened = [place for place, each in enumerate(self.messages) if ours(each).get("open")]
        first = 0 if limit is None else max(0, min([len(self.messages) - limit, *opened]))
        first = whole_calls(self.messages, first)
        closed = [place for place, each in enumerate(self.messages) if not ours(each).get("open")]
        upto = closed[-1] + 1 if closed else first
        shown = [_without_content(each) for each in self.messages[first:upto]]
        events = [self._start_event(thread_id), ev.messages_snapshot(shown)]
        events.append(ev.state_snapshot(self.state))
        events += [ev.step_started(name) for name in self.steps]
        for place in opened:
            events += _reopen(self.messages[place])
        return events + self._end_events(thread_id)

    def close_events(self, kept: Collection[str] = ()) -> list[Event]:
        """Return what closes everything open, so that the run may end or start over; calls in `kept` wait on."""
        events = [end_of_text(each, role) for each, role in self.open_texts.items()]
        events += [ev.tool_end(each) for each in self.open_calls]
        for call_id in self._open_calls():
            if call_id not in kept:
                events.append(stopped_result(call_id))
        return events + [ev.step_finished(name) for name in reversed(self.steps)]

    def settle_events(self, kept: Collection[str] = ()) -> list[Event]:
        """Return what ends the waiting of calls for a person or a browser, but for these calls and blocks."""
        answered = {each.get("toolCallId") for each in self.messages}
        events = []
        for each in self.messages:
            if each["id"] in kept or not is_waiting(each, answered):
                continue
            if each["role"] == "activity":
                patch = [{"op": "add", "path": "/status", "value": "closed"}]
                events.append(ev.activity_delta(each["id"], each["activityType"], patch))
            else:
                events.append(stopped_result(each["id"]))
        return events

    def _open_calls(self) -> list[str]:
        if self.run is None:
            return []
        mine = self.run_messages(self.run.id)
        answered = {each.get("toolCallId") for each in mine}
        calls = [call["id"] for each in mine for call in each.get("toolCalls", ())]
        return [each for each in calls if each not in answered]

    def _start_event(self, thread_id: str) -> Event:
        run = self.run
        if run is None:
            return ev.run_started(thread_id, NO_RUN, kind="snapshot")
        return ev.run_started(
            thread_id,
            run.id,
            attempt=run.attempt,
            parent_run_id=run.parent_run_id,
            kind=run.kind,
            at=run.at,
        )

    def _end_events(self, thread_id: str) -> list[Event]:
        run = self.run
        if run is None:
            return [ev.run_finished(thread_id, NO_RUN)]
        if run.status == "finished":
            return [ev.run_finished(thread_id, run.id, run.outcome)]
        if run.status == "error":
            return [ev.run_error(run.message or "", run.code or "internal", run_id=run.id)]
        return []


def stopped_result(call_id: str) -> Event:
    """Return the result of a call that never got one."""
    return ev.tool_result(result_id(call_id), call_id, STOPPED, status="stopped")


def end_of_text(message_id: str, role: str) -> Event:
    """Return the event that ends an open text of this role where it is broken off."""
    return ev.reasoning_end(message_id) if role == REASONING else ev.text_end(message_id)


def _without_content(message: dict[str, Any]) -> dict[str, Any]:
    """Keep the place of an open message; its START and CONTENT follow in the snapshot.

    AG-UI's client takes the name from here: the START of a message that it knows names none to it.
    """
    if not ours(message).get("open"):
        return message
    bare = {key: value for key, value in message.items() if key in _KEPT_OPEN}
    return bare if "toolCalls" in message else {**bare, "content": ""}


def _reopen(message: dict[str, Any]) -> list[Event]:
    """Return the START of an open message with all its fields, and one CONTENT with all text so far."""
    own = dict(ours(message))
    at = own.get("at")
    told = {key: value for key, value in own.items() if key not in _STAMPED}
    if "toolCalls" in message:
        function = message["toolCalls"][0]["function"]
        text = function["arguments"]
        start = ev.tool_start(message["id"], function["name"], at=at)
        content = ev.tool_args(message["id"], text)
    elif message["role"] == REASONING:
        text = message["content"]
        start = ev.reasoning_start(message["id"], at=at)
        content = ev.reasoning_content(message["id"], text)
    else:
        text = message["content"]
        start = ev.text_start(message["id"], message["role"], name=message.get("name"), at=at)
        content = ev.text_content(message["id"], text)
    if told:
        start["metadata"] = {"loopwire": told}
    return [start, content] if text else [start]
