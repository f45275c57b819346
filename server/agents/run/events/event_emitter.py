"""The events of a run: texts, calls, progress, blocks, state and handoffs, in the order in which they happened.

Text and progress are appended as they come and wait for nothing; everything with a consequence is published: it is in
the log before a client sees it. What a tool shows is queued and leaves with the result of its call, so a call's result,
its blocks and its state are published at once. Only an open question is held back until its agent has written its text:
people read first and answer below.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from server.agents.context import CallOutcome, Json, ToolLedger
from server.agents.run.events.call_results import CallResults
from server.agents.run.events.progress import ProgressReporters
from server.agents.run.events.shown_effects import ShownEffects
from server.agents.run.events.shown_reasoning import ShownReasoning
from server.agents.run.tool_calls import ToolDeclaration
from server.agents.run.types import Outlet
from server.protocol import events as ev
from server.protocol.events import Event, ToolStatus
from server.protocol.ids import new_id
from server.protocol.plain_text import plain_value


class EventEmitter:
    """The events of one run. One instance lives as long as one execution of the run."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self.effects = ShownEffects(outlet.now_ms)
        self.shown_reasoning = ShownReasoning(outlet)
        self._calls = CallResults(outlet.now_ms)
        self._texts: dict[int, str] = {}
        self._delta: list[str] = []
        self._delta_of: int
        """The output that the text of this read belongs to."""
        self._flush: asyncio.Handle | None = None
        self.waited: frozenset[str] = frozenset()
        """Calls that an earlier run showed, and that this one answers."""
        self._progress = ProgressReporters(self._append)
        self._closed = False
        self._has_words = False
        self.agent: str | None = None
        self.fault: BaseException | None = None
        """The error that kept an event from the outlet; no event may follow it."""

    @property
    def is_over(self) -> bool:
        """Return whether the run may belong to another process by now, so that nothing that happens once may begin."""
        return self._outlet.is_over

    @property
    def ledger(self) -> ToolLedger:
        """Return the memory of `once` calls."""
        return self._outlet.ledger

    @property
    def answered(self) -> bool:
        """Return whether something of the run can be read as its answer: words, or a block."""
        return self._has_words or self.effects.answered

    # Text.

    def text(self, index: int, delta: str) -> None:
        """Append text to output `index` of the model's current turn; the deltas of one read leave as one event."""
        if not delta or self._closed:
            return
        self.shown_reasoning.close_summary()
        if self._delta and self._delta_of != index:
            self.flush_text()
        if index not in self._texts:
            self._texts[index] = new_id("msg")
            start = ev.text_start(self._texts[index], "assistant", name=self.agent, at=self._outlet.now_ms())
            self._outlet.append(start)
        self._has_words = self._has_words or not delta.isspace()
        self._delta_of = index
        self._delta.append(delta)
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_soon(self._flush_later)

    def flush_text(self) -> None:
        """Append the text of the last read."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if self._delta:
            whole, self._delta = "".join(self._delta), []
            self._outlet.append(ev.text_content(self._texts[self._delta_of], whole))

    def _flush_later(self) -> None:
        self._flush = None
        self._append_from_timer(self.flush_text)

    def end_text(self, index: int) -> None:
        """Note that this output is complete."""
        self.flush_text()
        message_id = self._texts.pop(index, None)
        if message_id is not None:
            self._outlet.append(ev.text_end(message_id))

    def end_texts(self) -> None:
        """End the model's turn: no text of it is open any more."""
        self.shown_reasoning.close_summary()
        for index in list(self._texts):
            self.end_text(index)

    # Agents.

    async def enter(self, agent: str) -> None:
        """Append that an agent begins: nothing was done yet that others could build on, so no barrier is needed."""
        self.agent = agent
        self._append(ev.step_started(agent))

    async def finish_agent(self) -> None:
        """Publish what the agent at work has shown and asked, then append that the agent is done."""
        self.end_texts()
        if self.agent is None:
            return
        shown = [*self.effects.pop_all(), *self.effects.pop_questions()]
        if shown:
            await self.publish(*shown)
        self._append(ev.step_finished(self.agent))

    async def hand_over(self, to: str, reason: str) -> None:
        """Publish that one agent hands over to another, as one handoff."""
        self.end_texts()
        old, self.agent = str(self.agent), to
        content = {"from": old, "to": to, "reason": reason, "status": "done"}
        await self.publish(
            *self.effects.pop_questions(),
            ev.step_finished(old),
            ev.activity(new_id("msg"), "handoff", content, at=self._outlet.now_ms()),
            ev.step_started(to),
        )

    # Tools.

    async def start_call(self, call_id: str, name: str, view: ToolDeclaration, arguments: str) -> None:
        """Publish that a tool begins to work."""
        self.end_texts()
        self._calls.begin(call_id)
        if call_id not in self.waited:
            await self.publish(*self._calls.opening(call_id, name, view, arguments, self.agent))

    async def show_waiting_call(
        self, call_id: str, name: str, view: ToolDeclaration, arguments: str, block: tuple[str, Json] | None
    ) -> None:
        """Publish a call that has to wait for a client, with the block that asks, if there is one."""
        self.end_texts()
        asks = [] if block is None else [ev.activity(block[0], "block", block[1], at=self.now_ms())]
        await self.publish(*self._calls.opening(call_id, name, view, arguments, self.agent), *asks)

    async def refuse_call(self, call_id: str) -> None:
        """Publish that a waiting call was not allowed, or not answered."""
        await self.publish(self._calls.refusal(call_id))

    def now_ms(self) -> int:
        """Return the time in milliseconds since the epoch."""
        return self._outlet.now_ms()

    def is_shown(self, call_id: str) -> bool:
        """Return whether the call has been shown."""
        return self._calls.is_begun(call_id)

    def note_effect(self, call_id: str, view: Callable[[Any], Json] | None) -> None:
        """Mark the call's outcome as unknown until its end is noted; an unknown one is shown by this view."""
        self._calls.note_effect(call_id, view)

    def note_call_end(self, call_id: str, outcome: CallOutcome) -> None:
        """Keep how a call ended until its result is published."""
        self._calls.note_end(call_id, outcome)

    async def end_call(self, call_id: str, view: ToolDeclaration) -> ToolStatus:
        """Publish a call's result with all that it showed; our tools always note how they ended if they ran."""
        self._progress.end_call(call_id)
        result, status = self._calls.finish_call(call_id, view)
        await self.publish(result, *self.effects.pop_events(call_id))
        return status

    def progress(self, call_id: str, fraction: float, label: str, step: str | None) -> None:
        """Append how far a call is, ten times a second at most."""
        self._progress.tell(call_id, fraction, label, step)

    # Publishing.

    async def publish(self, *events: Event) -> None:
        """Publish what was shown outside of calls, then these events; return when all are in the log and shown."""
        if self.fault is not None:
            raise self.fault
        if self._closed:
            return
        self.flush_text()
        events = (*self.effects.pop_events(""), *events)
        if events:
            await self._outlet.publish(*map(plain_value, events))

    async def wait_for_room(self) -> None:
        """Wait while too much is on its way."""
        if self.fault is not None:
            raise self.fault
        await self._outlet.wait_for_room()

    def close(self) -> None:
        """End the run: append what waits, which is stored even when its tool was cut short, and nothing after it."""
        self._progress.close()
        self._append_from_timer(self.flush_text)
        self.shown_reasoning.close()
        for event in (*self._calls.cut(), *self.effects.pop_all(), *self.effects.pop_questions()):
            self._append(event)
        self._closed = True

    def _append(self, event: Event) -> None:
        self._append_from_timer(lambda: self._outlet.append(plain_value(event)))

    def _append_from_timer(self, append: Callable[[], None]) -> None:
        """Append where no caller can catch an error, as in a timer: the next `publish` raises it."""
        if self.fault is not None or self._closed:
            return
        try:
            append()
        except Exception as fault:
            # A timer has no caller: asyncio would log the error, and the run would go on with an event missing.
            self.fault = fault


def has_answer(messages: Iterable[Json]) -> bool:
    """Return whether a run with these messages has words of an agent, or a block."""
    return any(
        each.get("activityType") == "block"
        or (each["role"] == "assistant" and bool(str(each.get("content", "")).strip()))
        for each in messages
    )
