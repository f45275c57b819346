"""The judge of the frames that one client gets: their form, their numbers, and the order of their events."""

from __future__ import annotations

from typing import Any

from loopwire.conformance.faults import Fault, require
from loopwire.conformance.schemas import require_valid
from loopwire.transcript import Transcript

Json = dict[str, Any]

_ENDS = ("RUN_FINISHED", "RUN_ERROR")


class Judge:
    """Takes frames in order, and folds them. Raises Fault at the first one that breaks a rule."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.seq = 0
        self.epoch = ""
        self.events: dict[int, Json] = {}
        """Each event by its number, of those that it received one by one."""
        self.ended: set[str] = set()
        """The runs whose end was seen."""
        self._run: str | None = None
        self._open: dict[str, str] = {}
        """The open messages, calls and steps of the run by their ids, each with its kind."""

    def take(self, frame: Json) -> None:
        """Take a frame."""
        require_valid("ServerFrame", frame)
        if frame.get("type") == "welcome" and frame["resumed"]:
            require(bool(self.epoch), "the server resumed a client that has nothing")
        for each in frame.get("batch", [frame]):
            if "event" in each:
                self._take_event(each)
        if frame.get("type") == "snapshot":
            self._take_snapshot(frame)

    def go_on_from(self, other: Judge) -> None:
        """Begin where another connection ended."""
        vars(self).update(vars(other))

    def _take_snapshot(self, frame: Json) -> None:
        require(
            frame["seq"] >= self.seq or frame["epoch"] != self.epoch, "a snapshot is older than what was sent"
        )
        self.transcript, self.seq, self.epoch = Transcript(), frame["seq"], frame["epoch"]
        self._run, self._open = None, {}
        for event in frame["events"]:
            self._judge(event)
            self.transcript.apply(event)

    def _take_event(self, frame: Json) -> None:
        first, last = frame.get("from", frame["seq"]), frame["seq"]
        require(last > self.seq, f"event {last} was sent twice")
        require(first == self.seq + 1, f"event {self.seq + 1} is missing before event {first}")
        self.seq, self.epoch = last, frame.get("epoch", self.epoch)
        require(bool(self.epoch), "the first event names no epoch")
        event = frame["event"]
        if first == last:
            self.events[last] = event
        self._judge(event)
        self.transcript.apply(event)

    def _judge(self, event: Json) -> None:
        kind = event["type"]
        require(self._run is not None or kind == "RUN_STARTED", f"{kind} comes outside of a run")
        if kind == "RUN_STARTED":
            require(self._run is None, "a run begins inside of another one")
            self._run = event["runId"]
        elif kind in _ENDS:
            self._end(event)
        elif kind in _OPENS:
            name, id = _OPENS[kind]
            require(event[id] not in self._open, f"{kind} opens {event[id]} again")
            self._open[event[id]] = name
        elif kind in _NEEDS:
            name, id, closes = _NEEDS[kind]
            require(self._open.get(event[id]) == name, f"{kind} of {event[id]}, which is not open")
            if closes:
                del self._open[event[id]]

    def _end(self, event: Json) -> None:
        if self._open:
            raise Fault(f"a run ends while these are open: {', '.join(self._open)}")
        require(event.get("runId", self._run) == self._run, "another run ends than the one that began")
        self.ended.add(str(self._run))
        self._run = None


_OPENS = {
    "TEXT_MESSAGE_START": ("text", "messageId"),
    "TOOL_CALL_START": ("call", "toolCallId"),
    "STEP_STARTED": ("step", "stepName"),
    "REASONING_MESSAGE_START": ("reasoning", "messageId"),
}
_NEEDS = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId", False),
    "TEXT_MESSAGE_END": ("text", "messageId", True),
    "TOOL_CALL_ARGS": ("call", "toolCallId", False),
    "TOOL_CALL_END": ("call", "toolCallId", True),
    "STEP_FINISHED": ("step", "stepName", True),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "messageId", False),
    "REASONING_MESSAGE_END": ("reasoning", "messageId", True),
}
