"""Progress of running calls: ten a second at most leave, and the newest is never lost."""

import asyncio
import time
from collections.abc import Callable

from server.protocol import events as ev
from server.protocol.events import Event

INTERVAL_S = 0.1


def _drop_event(_event: Event) -> None:
    """Ignore what comes after the end."""


class ProgressReporters:
    """One pace for each call; what comes too early waits for its turn, and newer replaces it."""

    def __init__(self, append: Callable[[Event], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Each event is given to `append`."""
        self._append = append
        self._clock = clock
        self._last: dict[str, float] = {}
        self._waiting: dict[str, Event] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def tell(self, call_id: str, fraction: float, label: str, step: str | None) -> None:
        """Append the progress now, or as soon as the pace allows."""
        content = {"tool_call_id": call_id, "progress": round(fraction, 4), "label": label}
        if step is not None:
            content["step"] = step
        event = ev.activity(f"prg_{call_id}", "tool_progress", content)
        wait = self._last.get(call_id, 0.0) + INTERVAL_S - self._clock()
        if wait > 0:
            self._waiting[call_id] = event
            if call_id not in self._timers:
                loop = asyncio.get_running_loop()
                self._timers[call_id] = loop.call_later(wait, self._append_waiting, call_id)
            return
        self._last[call_id] = self._clock()
        self._append(event)

    def _append_waiting(self, call_id: str) -> None:
        self._timers.pop(call_id, None)
        event = self._waiting.pop(call_id, None)
        if event is not None:
            self._last[call_id] = self._clock()
            self._append(event)

    def end_call(self, call_id: str) -> None:
        """End a call: append what waits, before its result."""
        timer = self._timers.pop(call_id, None)
        if timer is not None:
            timer.cancel()
        self._append_waiting(call_id)
        self._last.pop(call_id, None)

    def close(self) -> None:
        """Stop the timers and drop the reference to the receiver, which would keep both objects alive."""
        self._append = _drop_event
        for timer in self._timers.values():
            timer.cancel()
