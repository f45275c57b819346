"""The effects of a run beside its words: blocks, questions that come after the words, and changes of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from server.agents.context import Json, current_call
from server.protocol import events as ev
from server.protocol.blocks import KINDS
from server.protocol.events import Event
from server.protocol.ids import new_id

QUESTIONS = frozenset(kind for kind, block in KINDS.items() if block.asks)
"""Kinds of blocks that people act on, so they are shown below the words that lead to them."""

Effect = Event | tuple[str, ...]
"""An effect that is published with a call's result: an event, or the keys of the state that changed."""


class ShownEffects:
    """Queues what calls show until their results are published; calls in parallel share nothing."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        """`now_ms` is the clock of the events: ms since the epoch."""
        self._now_ms = now_ms
        self.held: dict[str, Json] = {}
        """Open questions that come after the agent's words; a checkpoint keeps them."""
        self.answered = False
        """A block was shown, which can be read as the run's answer."""
        self._queued: dict[str, list[Effect]] = {}
        """The effects that are not published yet, by the id of their call; the empty id holds those without a call."""
        self._state: Json = {}
        self._sent_state: Json = {}

    def follow(self, state: Json) -> None:
        """Publish the changes of this state, which is changed in place."""
        self._state, self._sent_state = state, dict(state)

    def block(self, content: Json, block_id: str | None) -> str:
        """Queue a block, new or in the place of an earlier one, and return its id; hold it if it is a new question."""
        self.answered = True
        is_new = block_id is None or block_id in self.held
        block_id = block_id or new_id("blk")
        before = self.held.get(block_id, {}).get("again_of")
        if before and before != content.get("again_of"):
            self._queue(_block_end(before))
        if is_new and content["kind"] in QUESTIONS and content["status"] == "open":
            self.held[block_id] = content
        else:
            self.held.pop(block_id, None)
            self._queue(ev.activity(block_id, "block", content, at=self._now_ms()))
        return block_id

    def close_block(self, block_id: str, answer: Json | None) -> None:
        """Queue the end of a block."""
        held = self.held.pop(block_id, None)
        if held is not None:
            if "again_of" in held:
                self._queue(_block_end(held["again_of"]))
            ended = {"status": "closed"} if answer is None else {"status": "answered", "answer": answer}
            content = {**held, **ended}
            self._queue(ev.activity(block_id, "block", content, at=self._now_ms()))
            return
        self._queue(_block_end(block_id, answer))

    def state(self, keys: Iterable[str]) -> None:
        """Queue a STATE_DELTA of these keys of the state."""
        self._queue(tuple(keys))

    def _queue(self, effect: Effect) -> None:
        """Keep an effect for the result of the call at work in this task."""
        self._queued.setdefault(current_call.get(), []).append(effect)

    def pop_events(self, call_id: str) -> list[Event]:
        """Return the events of what a call showed, and forget them.

        A state's keys are published as they are now: two calls may have changed one key, and end in another order.
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
        """Return the change of one key since it was published last."""
        path = "/" + key.replace("~", "~0").replace("/", "~1")
        sent, now = self._sent_state, self._state
        if key not in now:
            return [] if sent.pop(key, None) is None else [{"op": "remove", "path": path}]
        if key in sent and sent[key] == now[key]:
            return []
        sent[key] = now[key]
        return [{"op": "add", "path": path, "value": now[key]}]

    def pop_all(self) -> list[Event]:
        """Return the events of all that was shown, and forget them."""
        return [event for call_id in list(self._queued) for event in self.pop_events(call_id)]

    def pop_questions(self) -> list[Event]:
        """Return the questions that were held back, and forget them; one that is asked again closes before it is."""
        held, self.held = self.held, {}
        found: list[Event] = []
        for block_id, content in held.items():
            if "again_of" in content:
                found.append(_block_end(content["again_of"]))
            found.append(ev.activity(block_id, "block", content, at=self._now_ms()))
        return found


def _block_end(block_id: str, answer: Json | None = None) -> Event:
    """Return the end of a block: answered when there is an answer, else closed."""
    patch: list[Json] = [
        {"op": "add", "path": "/status", "value": "closed" if answer is None else "answered"}
    ]
    if answer is not None:
        patch.append({"op": "add", "path": "/answer", "value": answer})
    return ev.activity_delta(block_id, "block", patch)
