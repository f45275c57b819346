"""One task per process that writes the entries of all its sessions: deltas within a window, barriers at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from server.bus.log.entries import BusDown, Entry
from server.bus.log.log import AppendOutcome, Batch, Log
from server.bus.writer.backlog import ClosedWriter, WriterBacklog
from server.tasks import Backoff, retry

SESSIONS_PER_SCRIPT = 128
"""A script blocks Redis while it runs: more sessions than this take a second one."""

RETRY_FIRST_S = 0.25
RETRY_MOST_S = 2.0

log = logging.getLogger(__name__)


class FlushSource(ClosedWriter, Protocol):
    """The part of a writer that the flusher uses."""

    session_id: str

    def batch(self) -> Batch | None:
        """Return what is to be written next, within the caps of one flush."""
        ...

    def take_answer(self, batch: Batch, answer: AppendOutcome) -> bool:
        """Take the answer to that batch; true when there is more to write at once."""
        ...

    def verify(self) -> None:
        """Ask with the next flush whether the log is still there, even with nothing to write."""
        ...

    def drop_excess(self) -> None:
        """Drop what is too much to buffer while Redis is away."""
        ...

    def fence_off(self) -> None:
        """Give up, as if another had the session: a bug of ours must not stop the other ones."""
        ...


class Flusher:
    """Collects the writers that have something to write and flushes them together.

    The window is leading-edge: after a quiet time the first delta goes at once, the next ones share a flush.
    While Redis does not answer, the entries stay with the writers, within bounds, and the flusher tries again about
    every 0.25 s to 2 s.
    """

    def __init__(self, logs: Log, window_s: float, on_change: Callable[[bool], None]) -> None:
        """Flush to one log; `on_change` is called when Redis goes away and when it is back."""
        self.down_since: float | None = None
        self.flushes = 0
        self._log = logs
        self._window_s = window_s
        self._on_change = on_change
        self._writers: set[FlushSource] = set()
        self._waiting = WriterBacklog()
        self._dirty: dict[FlushSource, None] = {}
        self._go = asyncio.Event()
        self._window: asyncio.TimerHandle | None = None
        self._began: float
        self._next_at = 0.0
        self._pauses = Backoff(RETRY_FIRST_S, RETRY_MOST_S)

    @property
    def down(self) -> bool:
        """Return whether the last attempt failed."""
        return self.down_since is not None

    def patience(self, most_s: float, now: float) -> float:
        """Return the seconds to wait for an answer of Redis: `most_s`, less by as long as it is known to be down."""
        return most_s if self.down_since is None else max(0.0, self.down_since + most_s - now)

    @property
    def held_writers(self) -> int:
        """Return the number of writers, of which some are closed and wait for Redis."""
        return len(self._writers)

    @property
    def waiting_writers(self) -> int:
        """Return the number of closed writers that wait for Redis."""
        return len(self._waiting)

    @property
    def unflushed_writers(self) -> int:
        """Return the number of writers that the next flush asks for a batch."""
        return len(self._dirty)

    @property
    def writing(self) -> bool:
        """Return whether there is a writer that is not closed."""
        return len(self._writers) > len(self._waiting)

    def add(self, writer: FlushSource) -> None:
        """Take up a writer."""
        self._writers.add(writer)

    def remove(self, writer: FlushSource) -> None:
        """Forget a writer that has nothing more to write, or may not."""
        self._writers.discard(writer)
        self._dirty.pop(writer, None)
        self._waiting.drop(writer)

    def wait(self, writer: FlushSource, entries: list[Entry]) -> None:
        """Keep a closed writer until Redis takes what it has; if that is too much, the oldest ones are forgotten."""
        self._waiting.add(writer, entries)

    def mark(self, writer: FlushSource, *, urgent: bool = False) -> None:
        """Mark that a writer has something to write; urgent does not wait for the window."""
        self._dirty[writer] = None
        if urgent:
            self._go.set()
        elif self._window is None:
            self._window = asyncio.get_running_loop().call_at(self._next_at, self._go.set)

    def note_failure(self, since: float) -> None:
        """Note that Redis did not answer to what was asked at that time."""
        if self.down_since is None:
            self.down_since = since
            log.warning("redis does not answer: streaming goes on from memory")
            self._on_change(True)
            self._go.set()

    async def run(self) -> None:
        """Flush for ever."""
        while True:
            await self._go.wait()
            # One task writes for all sessions: no error in one flush may end it.
            await retry(self._flush_once, self._pauses, on=Exception, on_failure=self._note_error)

    async def _flush_once(self) -> None:
        """Write what is marked; what is marked meanwhile waits for the window."""
        self._go.clear()
        if self._window is not None:
            self._window.cancel()
            self._window = None
        self._began = asyncio.get_running_loop().time()
        self._next_at = self._began + self._window_s
        await self._flush_marked()

    def _note_error(self, error: Exception, _pause: float) -> None:
        if isinstance(error, BusDown):
            self.note_failure(self._began)
            for each in self._writers:
                each.drop_excess()
        else:
            log.error("a flush failed", exc_info=error)

    async def _flush_marked(self) -> None:
        """Write everything that was there when the round began; what comes meanwhile waits for the window."""
        todo = list(self._dirty)
        self._dirty.clear()
        while todo:
            now, todo = todo[:SESSIONS_PER_SCRIPT], todo[SESSIONS_PER_SCRIPT:]
            try:
                todo += await self._write(now)
            except BaseException:
                # However the write ends, what was not written stays marked.
                self._dirty.update(dict.fromkeys(each for each in (*now, *todo) if each in self._writers))
                raise
        if self.down:  # No writer had anything to write, so ask Redis itself.
            await self._log.ping()
            self._recover()

    async def _write(self, writers: list[FlushSource]) -> list[FlushSource]:
        """Write one batch of each; return the writers that have more."""
        batches = {each: batch for each in writers if (batch := each.batch()) is not None}
        if not batches:
            return []
        answers = await self._log.append(list(batches.values()))
        self.flushes += 1
        self._recover()
        more: list[FlushSource] = []
        for (writer, batch), answer in zip(batches.items(), answers, strict=True):
            try:
                if writer.take_answer(batch, answer):
                    more.append(writer)
            except Exception:
                # One task writes for all sessions: a fault of one writer must not stop the others.
                log.exception("a session's writer failed")
                writer.fence_off()
        return more

    def _recover(self) -> None:
        self._pauses.reset()
        if self.down_since is None:
            return
        self.down_since = None
        log.warning("redis answers again")
        self._on_change(False)
        for each in self._writers:
            each.verify()
