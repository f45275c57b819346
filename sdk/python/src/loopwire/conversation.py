"""A conversation from its frames: the fold, the ends of its runs, and the watchers that are notified of changes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from loopwire.errors import Garbled, LoopwireError
from loopwire.messages import Event, Message, RunView, ours
from loopwire.part_reader import asks_of, text_of
from loopwire.parts import Ask, Result, Usage
from loopwire.transcript import Transcript

MOST_ENDS = 256
"""Ends of runs that are remembered."""

Frame = dict[str, Any]


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended."""

    result: Result
    interrupts: tuple[dict[str, Any], ...] = ()


class Watcher:
    """A watcher of changes; it remembers what changed until it is read."""

    def __init__(self) -> None:
        self._changed: dict[str, None] = {}
        self._noted = asyncio.Event()

    def note(self, ids: Iterable[str]) -> None:
        """Remember what changed, and wake up the task that waits."""
        self._changed.update(dict.fromkeys(ids))
        self._noted.set()

    def take(self) -> list[str]:
        """Return the ids of the messages that changed since the last look."""
        changed, self._changed = list(self._changed), {}
        self._noted.clear()
        return changed

    async def wait(self) -> None:
        """Wait until something has changed since the last look."""
        await self._noted.wait()


class Conversation:
    """What the frames of one session come to."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.queue: tuple[dict[str, Any], ...] = ()
        """Messages that are stored and wait for the runs before them."""
        self.degraded = False
        self.failure: LoopwireError | None = None
        """Why no more frames arrive."""
        self._ends: OrderedDict[str, End] = OrderedDict()
        self._watchers: WeakSet[Watcher] = WeakSet()

    def watch(self) -> Watcher:
        """Notify a watcher of all changes from now on, for as long as it is kept."""
        watcher = Watcher()
        self._watchers.add(watcher)
        return watcher

    def take(self, frame: Frame) -> None:
        """Take a frame. Raises Garbled for one whose events cannot be read."""
        try:
            self._take(frame)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise Garbled(f"an event has not the form of its type: {error!r}") from error

    def fail(self, failure: LoopwireError) -> None:
        """Note that no more frames arrive, and give all watchers the reason."""
        self.failure = failure
        self.tell()

    def tell(self, ids: Iterable[str] = ()) -> None:
        """Notify all watchers that these messages changed, or something else did."""
        changed = list(ids)
        for each in tuple(self._watchers):
            each.note(changed)

    def ids(self) -> list[str]:
        """Return the ids of all messages, in order."""
        return [each["id"] for each in self.transcript.messages]

    def end_of(self, run_id: str) -> End | None:
        """Return how a run ended, where that is known."""
        return self._ends.get(run_id)

    def is_pending(self, run_id: str) -> bool:
        """Return whether a run is at work or waits for its turn, as far as the frames tell."""
        run = self.transcript.run
        return (run is not None and run.id == run_id and run.status == "running") or any(
            each.get("run_id") == run_id for each in self.queue
        )

    def note_end(self, run_id: str, end: End) -> None:
        """Remember the end of a run; the first one that is known counts."""
        if run_id in self._ends:
            return
        self._ends[run_id] = end
        while len(self._ends) > MOST_ENDS:
            self._ends.popitem(last=False)

    def words_of(self, run_id: str) -> str:
        """Return what agents said in a run, as far as its messages are here."""
        return text_of(self.transcript.of_run(run_id))

    def _take(self, frame: Frame) -> None:
        kind = frame.get("type")
        if kind == "snapshot":
            self._replace(frame)
        elif kind == "queue":
            self.queue = tuple({**each} for each in frame["items"])
        elif kind in {"welcome", "degraded"}:
            self.degraded = bool(frame.get("on"))
        elif "event" in frame:
            self._apply(frame["event"])

    def _apply(self, event: Event) -> None:
        changed = self.transcript.apply(event)
        self._note_run(self.transcript.run, event)
        self.tell(changed)

    def _replace(self, frame: Frame) -> None:
        old, self.transcript = self.transcript, Transcript()
        for event in frame["events"]:
            self.transcript.apply(event)
        self._note_run(self.transcript.run, {})
        self.tell([*_taken_back(old, self.transcript), *(each["id"] for each in self.transcript.messages)])

    def _note_run(self, run: RunView | None, event: Event) -> None:
        """Remember how the latest run ended, if it did; its usage stands in the event alone."""
        if run is None or run.status == "running":
            return
        outcome = run.outcome or {}
        interrupts = tuple(outcome.get("interrupts") or ())
        asks: tuple[Ask, ...] = asks_of(run.id, interrupts, self.transcript)
        result = Result(
            run.status,
            self.words_of(run.id),
            outcome.get("type") if run.status == "finished" else None,
            _usage_of(event),
            run.code,
            run.message,
            asks,
        )
        self.note_end(run.id, End(result, interrupts))


def _taken_back(old: Transcript, new: Transcript) -> list[str]:
    """Return the ids of the messages that a snapshot no longer has though it begins before them."""
    first = old.place_of(new.messages[0]["id"]) if new.messages else None
    there = {each["id"] for each in new.messages}
    return [] if first is None else [each["id"] for each in old.messages[first:] if each["id"] not in there]


def _usage_of(event: Event) -> tuple[Usage, ...]:
    return tuple(
        Usage(
            str(each.get("model", "")),
            int(each.get("inputTokens", 0)),
            int(each.get("outputTokens", 0)),
            int(each.get("totalTokens", 0)),
        )
        for each in event.get("usage") or ()
    )


async def outcome_in(messages: AsyncIterator[Message], run_id: str) -> Result | None:
    """Return how a run ended by the marks of its messages, of which these are all, the newest first.

    Only what a later run said shows that it is over; None where nothing does.
    """
    mine: list[Message] = []
    later = False
    async for each in messages:
        if ours(each).get("run_id") == run_id:
            mine.append(each)
        elif mine:
            break
        else:
            later = True
        if not later:
            return None
    if not mine:
        return None
    ended: dict[str, Any] = next((ours(each)["ended"] for each in mine if "ended" in ours(each)), {})
    words = text_of(reversed(mine))
    if ended.get("outcome") == "error":
        return Result("error", words, code=ended.get("code"))
    return Result("finished", words, ended.get("outcome"))
