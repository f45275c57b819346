"""The events of a run: texts, calls, progress, blocks, state and handoffs, in the order in which they happened.

Text is told as it comes and waits for nothing; everything with a consequence is committed. What a tool shows
is queued and leaves with the result of its call, so a call's result, its blocks and its state are told at once. Only an
open question is held back until its agent has said its words: people read first and answer below.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from server.agents.context import MOST_BYTES, CallOutcome, Json, ToolLedger, current_call
from server.agents.run.progress import ProgressReporters
from server.agents.run.tool_calls import Declared
from server.agents.run.types import Outlet
from server.protocol import events as ev
from server.protocol.blocks import KINDS
from server.protocol.events import Event, ToolStatus
from server.protocol.ids import new_id, result_id
from server.protocol.plain_text import plain_value
from server.protocol.transcript import STOPPED

QUESTIONS = frozenset(kind for kind, block in KINDS.items() if block.asks)
"""Kinds of blocks that people act on, so they stand below the words that lead to them."""


Effect = Event | tuple[str, ...]
"""What leaves with a call's result: an event, or the keys of the state that changed."""


class EventEmitter:
    """The events of one run. One instance lives as long as one execution of the run."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self.held: dict[str, Json] = {}
        """Open questions that come after the agent's words; a checkpoint keeps them."""
        self._queued: dict[str, list[Effect]] = {}
        """What calls showed that is not told yet, by their ids; under the empty one what no call showed."""
        self._state: Json = {}
        self._told_state: Json = {}
        self._texts: dict[int, str] = {}
        self._delta: list[str] = []
        self._delta_of: int | None = None
        self._flush: asyncio.Handle | None = None
        self._outcomes: dict[str, CallOutcome] = {}
        self._started: dict[str, float] = {}
        self._effects: dict[str, Callable[[Any], Json] | None] = {}
        """Calls whose effect has begun, and may have happened, until their results are told."""
        self.waited: frozenset[str] = frozenset()
        """Calls that an earlier run showed, and that this one answers."""
        self._progress = ProgressReporters(self._tell)
        self._closed = False
        self.answered = False
        """Something of the run can be read as its answer: words, or a block."""
        self.agent: str | None = None
        self.fault: BaseException | None = None
        """What kept an event from being told; nothing may follow it."""

    def follow(self, state: Json) -> None:
        """Tell the changes of this state, which is changed in place."""
        self._state, self._told_state = state, dict(state)

    @property
    def ledger(self) -> ToolLedger:
        """The memory of `once` calls."""
        return self._outlet.ledger

    # Text.

    def text(self, index: int, delta: str) -> None:
        """Text of the current model turn's output `index`; deltas of one read leave as one."""
        if not delta or self._closed:
            return
        if self._delta_of != index:
            self.flush_text()
        if index not in self._texts:
            self._texts[index] = new_id("msg")
            start = ev.text_start(self._texts[index], "assistant", name=self.agent, at=self._outlet.now_ms())
            self._outlet.append(start)
        self.answered = self.answered or not delta.isspace()
        self._delta_of = index
        self._delta.append(delta)
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_soon(self._flush_later)

    def flush_text(self) -> None:
        """Tell the text that came with the last read."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if self._delta and self._delta_of is not None:
            whole, self._delta = "".join(self._delta), []
            self._outlet.append(ev.text_content(self._texts[self._delta_of], whole))

    def _flush_later(self) -> None:
        self._flush = None
        self._emit_from_timer(self.flush_text)

    def end_text(self, index: int) -> None:
        """This output is complete."""
        self.flush_text()
        message_id = self._texts.pop(index, None)
        if message_id is not None:
            self._outlet.append(ev.text_end(message_id))

    def end_texts(self) -> None:
        """The model's turn is over: no text of it is open any more."""
        for index in list(self._texts):
            self.end_text(index)

    # Agents.

    async def enter(self, agent: str) -> None:
        """An agent begins. That tells of no commit, so nobody waits for it."""
        self.agent = agent
        self._tell(ev.step_started(agent))

    async def leave(self) -> None:
        """The agent at work is done."""
        self.end_texts()
        if self.agent is None:
            return
        shown = [*self._everything(), *self._take_questions()]
        if shown:
            await self.commit(*shown)
        self._tell(ev.step_finished(self.agent))

    async def hand_over(self, to: str, reason: str) -> None:
        """One agent hands over to another: told as one."""
        self.end_texts()
        old, self.agent = self.agent or "", to
        content = {"from": old, "to": to, "reason": reason, "status": "done"}
        await self.commit(
            *self._take_questions(),
            ev.step_finished(old),
            ev.activity(new_id("msg"), "handoff", content, at=self._outlet.now_ms()),
            ev.step_started(to),
        )

    # Tools.

    async def call_started(self, call_id: str, name: str, view: Declared, arguments: str) -> None:
        """A tool begins to work."""
        self.end_texts()
        self._started[call_id] = time.monotonic()
        if call_id not in self.waited:
            await self.commit(*self._call(call_id, name, view, arguments))

    async def call_waits(
        self, call_id: str, name: str, view: Declared, arguments: str, block: tuple[str, Json] | None
    ) -> None:
        """A call has to wait for somebody: told with the block that asks, if there is one."""
        self.end_texts()
        asks = [] if block is None else [ev.activity(block[0], "block", block[1], at=self.now_ms())]
        await self.commit(*self._call(call_id, name, view, arguments), *asks)

    async def call_refused(self, call_id: str) -> None:
        """A call that waited was not allowed, or not answered."""
        self._started[call_id] = time.monotonic()
        result = result_id(call_id)
        await self.commit(ev.tool_result(result, call_id, STOPPED, status="stopped", at=self.now_ms()))

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return self._outlet.now_ms()

    def _call(self, call_id: str, name: str, view: Declared, arguments: str) -> list[Event]:
        start = ev.tool_start(call_id, name, at=self._outlet.now_ms())
        start["metadata"] = {"loopwire": {"icon": view.icon, "agent": self.agent}}
        args = json.dumps(_public(view.args, arguments_of(arguments)), ensure_ascii=False)
        size = len(args.encode(errors="surrogatepass"))
        if size > MOST_BYTES and view.waits != "tool":  # A page that runs the tool needs them whole.
            args = json.dumps({"bytes": size})
        return [start, ev.tool_args(call_id, args), ev.tool_end(call_id)]

    def is_shown(self, call_id: str) -> bool:
        """Whether the call has been shown."""
        return call_id in self._started

    def effect_began(self, call_id: str, view: Callable[[Any], Json] | None) -> None:
        """From now on nobody knows whether this call happened, until it says how it ended; shown by this view."""
        self._effects[call_id] = view

    def note_call_end(self, call_id: str, outcome: CallOutcome) -> None:
        """Remember how a call ended until its result is told."""
        self._outcomes[call_id] = outcome

    async def call_ended(self, call_id: str, view: Declared) -> ToolStatus:
        """Tell a call's result with all that it showed; our tools always say how they ended if they ran."""
        self._progress.end(call_id)
        silent = CallOutcome("failed" if view.ours else "done", None, self._took(call_id))
        outcome = self._outcomes.pop(call_id, silent)
        result = self._result(call_id, view.result, outcome)
        self._effects.pop(call_id, None)
        await self.commit(result, *self._take_effects(call_id))
        return outcome.status

    def _took(self, call_id: str) -> int:
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
            at=self._outlet.now_ms(),
        )

    def progress(self, call_id: str, fraction: float, label: str, step: str | None) -> None:
        """Tell how far a call is, ten times a second at most."""
        self._progress.tell(call_id, fraction, label, step)

    # What tools show besides.

    def block(self, content: Json, block_id: str | None) -> str:
        """Queue a block, new or in the place of an earlier one, and return its id; hold it if it is a new question."""
        self.answered = True
        is_new = block_id is None or block_id in self.held
        block_id = block_id or new_id("blk")
        if is_new and content["kind"] in QUESTIONS and content["status"] == "open":
            self.held[block_id] = content
        else:
            self.held.pop(block_id, None)
            self._queue(ev.activity(block_id, "block", content, at=self._outlet.now_ms()))
        return block_id

    def close_block(self, block_id: str, answer: Json | None) -> None:
        """Queue the end of a block."""
        status = "closed" if answer is None else "answered"
        held = self.held.pop(block_id, None)
        if held is not None:
            content = {**held, "status": status, **({} if answer is None else {"answer": answer})}
            self._queue(ev.activity(block_id, "block", content, at=self._outlet.now_ms()))
            return
        patch: list[Json] = [{"op": "add", "path": "/status", "value": status}]
        if answer is not None:
            patch.append({"op": "add", "path": "/answer", "value": answer})
        self._queue(ev.activity_delta(block_id, "block", patch))

    def state(self, keys: Iterable[str]) -> None:
        """Queue a STATE_DELTA of these keys of the state."""
        self._queue(tuple(keys))

    def _queue(self, effect: Effect) -> None:
        """Keep an effect for the result of the call at work in this task: calls in parallel share nothing."""
        self._queued.setdefault(current_call.get(), []).append(effect)

    def _take_effects(self, call_id: str) -> list[Event]:
        """Return the events of what a call showed, and forget them.

        A state's keys are told as they are now: two calls may have changed one key, and end in another order.
        """
        found: list[Event] = []
        for effect in self._queued.pop(call_id, ()):
            if isinstance(effect, tuple):
                patch = [each for key in effect for each in self._change(key)]
                found += [ev.state_delta(patch)] if patch else []
            else:
                found.append(effect)
        return found

    def _change(self, key: str) -> list[Json]:
        """Return the change of one key since it was told last."""
        path = "/" + key.replace("~", "~0").replace("/", "~1")
        told, now = self._told_state, self._state
        if key not in now:
            return [] if told.pop(key, None) is None else [{"op": "remove", "path": path}]
        if key in told and told[key] == now[key]:
            return []
        told[key] = now[key]
        return [{"op": "add", "path": path, "value": now[key]}]

    def _everything(self) -> list[Event]:
        return [event for call_id in list(self._queued) for event in self._take_effects(call_id)]

    # The way out.

    async def commit(self, *told: Event) -> None:
        """Tell what was shown outside of calls and these, and return when they are safe."""
        if self.fault is not None:
            raise self.fault
        if self._closed:
            return
        self.flush_text()
        told = (*self._take_effects(""), *told)
        if told:
            await self._outlet.commit(*map(plain_value, told))

    async def room(self) -> None:
        """Wait while too much is on its way."""
        if self.fault is not None:
            raise self.fault
        await self._outlet.room()

    def close(self) -> None:
        """The run is over: what waits is told, as it is stored even when its tool was cut short, and nothing after.

        A call that is cut in mid-effect is not just stopped: it is unknown whether it happened.
        """
        self._progress.close()
        self._emit_from_timer(self.flush_text)
        cut, self._effects = self._effects, {}
        results = [
            self._result(
                each, view, self._outcomes.get(each) or CallOutcome("unknown", None, self._took(each))
            )
            for each, view in cut.items()
        ]
        for event in (*results, *self._everything(), *self._take_questions()):
            self._tell(event)
        self._closed = True

    def _take_questions(self) -> list[Event]:
        """The questions that were held back."""
        held, self.held = self.held, {}
        return [
            ev.activity(each, "block", content, at=self._outlet.now_ms()) for each, content in held.items()
        ]

    def _tell(self, event: Event) -> None:
        self._emit_from_timer(lambda: self._outlet.append(plain_value(event)))

    def _emit_from_timer(self, tell: Callable[[], None]) -> None:
        """Tell from a timer: nobody is there to catch, so the fault waits for the next commit."""
        if self.fault is not None or self._closed:
            return
        try:
            tell()
        except Exception as fault:
            self.fault = fault


def has_answer(messages: Iterable[Json]) -> bool:
    """Whether a run with these messages has words of an agent, or a block."""
    return any(
        each.get("activityType") == "block"
        or (each["role"] == "assistant" and bool(str(each.get("content", "")).strip()))
        for each in messages
    )


def arguments_of(arguments: str) -> Json:
    """The arguments of a call; none when they are no object."""
    try:
        parsed = json.loads(arguments or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _public(view: Callable[[Any], Json] | None, value: Any) -> Json:
    """The public view of a value; one that cannot be made shows nothing rather than too much."""
    if view is None or value is None:
        return {}
    try:
        shown: Json = plain_value(view(value))
        return shown
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return {}
