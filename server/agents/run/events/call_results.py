"""The calls of a run: what is shown of them, how each ended, and which may have happened without an end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from server.agents.context import CallOutcome, Json
from server.agents.run.tool_calls import ToolDeclaration
from server.protocol import events as ev
from server.protocol.codec import read_json
from server.protocol.events import Event, ToolStatus
from server.protocol.ids import result_id
from server.protocol.plain_text import plain_value
from server.protocol.shown_state import MOST_BYTES
from server.protocol.transcript import STOPPED


class CallResults:
    """Makes the events of calls; times are in ms since the epoch, durations in ms."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        """`now_ms` is the clock of the events: ms since the epoch."""
        self._now_ms = now_ms
        self._started: dict[str, float] = {}
        self._outcomes: dict[str, CallOutcome] = {}
        self._effects: dict[str, Callable[[Any], Json] | None] = {}
        """Calls whose effect has begun, and may have happened, until their results are published."""

    def begin(self, call_id: str) -> None:
        """Note that the call begins to work."""
        self._started[call_id] = time.monotonic()

    def is_begun(self, call_id: str) -> bool:
        """Return whether the call has begun."""
        return call_id in self._started

    def note_effect(self, call_id: str, view: Callable[[Any], Json] | None) -> None:
        """Mark the call's outcome as unknown until its end is noted; an unknown one is shown by this view."""
        self._effects[call_id] = view

    def note_end(self, call_id: str, outcome: CallOutcome) -> None:
        """Keep how a call ended until its result is published."""
        self._outcomes[call_id] = outcome

    def opening(
        self, call_id: str, name: str, view: ToolDeclaration, arguments: str, agent: str | None
    ) -> list[Event]:
        """Return the events that show a call with the public view of its arguments."""
        start = ev.tool_start(call_id, name, at=self._now_ms())
        start["metadata"] = {"loopwire": {"icon": view.icon, "agent": agent}}
        args = json.dumps(_public(view.args, arguments_of(arguments)), ensure_ascii=False)
        size = len(args.encode(errors="surrogatepass"))
        if size > MOST_BYTES and view.waits != "tool":  # A page that runs the tool needs all arguments.
            args = json.dumps({"bytes": size})
        return [start, ev.tool_args(call_id, args), ev.tool_end(call_id)]

    def refusal(self, call_id: str) -> Event:
        """Return the result of a call that waited and was not allowed, or not answered."""
        self.begin(call_id)
        return ev.tool_result(result_id(call_id), call_id, STOPPED, status="stopped", at=self._now_ms())

    def finish_call(self, call_id: str, view: ToolDeclaration) -> tuple[Event, ToolStatus]:
        """Return a call's result, and how it ended; our tools always say so if they ran."""
        silent = CallOutcome("failed" if view.ours else "done", None, self._milliseconds_of(call_id))
        outcome = self._outcomes.pop(call_id, silent)
        result = self._result(call_id, view.result, outcome)
        self._effects.pop(call_id, None)
        return result, outcome.status

    def cut(self) -> list[Event]:
        """Return the results of the calls that are cut short after their effect began.

        Such a call is not just stopped: it is unknown whether it happened.
        """
        cut, self._effects = self._effects, {}
        return [
            self._result(
                each,
                view,
                self._outcomes.get(each) or CallOutcome("unknown", None, self._milliseconds_of(each)),
            )
            for each, view in cut.items()
        ]

    def _milliseconds_of(self, call_id: str) -> int:
        return round((time.monotonic() - self._started.get(call_id, time.monotonic())) * 1000)

    def _result(self, call_id: str, view: Callable[[Any], Json] | None, outcome: CallOutcome) -> Event:
        done = outcome.status == "done"
        shown = _public(view, outcome.value) if done else {"status": outcome.status}
        return ev.tool_result(
            result_id(call_id),
            call_id,
            json.dumps(shown or {"status": outcome.status}, ensure_ascii=False, default=str),
            status=outcome.status,
            duration_ms=outcome.duration_ms,
            at=self._now_ms(),
        )


def arguments_of(arguments: str | None) -> Json:
    """Return the arguments of a call; none when they are no object."""
    try:
        parsed = read_json(arguments or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _public(view: Callable[[Any], Json] | None, value: Any) -> Json:
    """Return the public view of a value; one that cannot be made shows nothing rather than too much."""
    if view is None or value is None:
        return {}
    try:
        shown: Json = plain_value(view(value))
        return shown
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError):
        return {}
