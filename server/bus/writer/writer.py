"""The writer of a session's log: it numbers events, shows them here, and keeps what Redis has not confirmed."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from server.bus.log.entries import Entry
from server.bus.log.log import AppendOutcome, Batch, ClaimedLog
from server.bus.writer.acks import Acks
from server.bus.writer.batches import Batches
from server.bus.writer.cursor import LogCursor, LogEnd
from server.bus.writer.flusher import Flusher
from server.errors import Fenced
from server.protocol.events import Event

MOST_UNWRITTEN = 1024
BARRIER_S = 1.0

log = logging.getLogger(__name__)


class HubPort(Protocol):
    """The part of the hub that a writer uses."""

    def deliver(self, session_id: str, entries: list[Entry]) -> None:
        """Give entries to the session's watchers here."""
        ...

    def begin_incarnation(self, writer: LogWriter) -> None:
        """Move the session's watchers here to the writer's new incarnation: they resync."""
        ...

    def follow_log_again(self, writer: LogWriter, *, resync: bool) -> None:
        """Let the watchers of a writer that is done or fenced off follow the log, from a snapshot or from here."""
        ...

    async def release(self, writer: LogWriter) -> None:
        """Release the log without a snapshot, and wait until the watchers follow."""
        ...


def new_name() -> str:
    """Return a name that no other log of the session, and no other holder of it, ever had."""
    return secrets.token_hex(6)


class LogWriter:
    """Appends to one session under one fence: a cursor, the tasks that wait for it, and the calls of the hub.

    `append` is for deltas: each is shown at once and written to Redis within the window. `publish` is a barrier: its
    events are written to Redis first and shown after the ack, and later deltas wait behind them. Both raise Fenced once
    a younger holder is known: an event that was not written by then never was. When Redis has lost the log, a new one
    begins with the events that `recover` returns, a snapshot of the run so far.
    """

    def __init__(
        self,
        session_id: str,
        claimed: ClaimedLog,
        *,
        floor: int,
        reaches: int,
        flusher: Flusher,
        hub: HubPort,
    ) -> None:
        self.session_id = session_id
        self.holder = claimed.holder
        self.cursor = LogCursor(claimed, floor=floor, reaches=reaches)
        self.fenced = False
        self.recover: Callable[[], list[Event]] | None = None
        self._flusher = flusher
        self._hub = hub
        self._acks = Acks()
        self._batches = Batches(session_id, claimed.holder, self.cursor)
        self._closed = False
        self._clock = asyncio.get_running_loop().time

    @property
    def seq(self) -> int:
        """Return the seq of the last event that was appended."""
        return self.cursor.seq

    def append(self, event: Event) -> int:
        """Show an event here at once and write it with the next flush; returns its seq."""
        self._check()
        shown = self.cursor.append(event)
        if shown:
            self._hub.deliver(self.session_id, shown)
        self._flusher.mark(self)
        return self.cursor.seq

    async def publish(self, *events: Event) -> int:
        """Write these events, and all that were appended before, to the log; then show them. Return the last seq.

        While Redis is down it waits for a second; then the events are shown all the same, and written later. Without
        events it waits for those that were appended before.
        """
        target = self.begin_publishing(*events)
        await self.wait_until_published(target)
        return target

    def begin_publishing(self, *events: Event) -> int:
        """Do what `publish` does, but return at once; the caller waits for the returned seq later."""
        self._check()
        for each in events:
            self.cursor.append_barrier(each)
        if self.cursor.acked < self.cursor.seq:
            self._flusher.mark(self, urgent=True)
        return self.cursor.seq

    async def wait_until_published(self, target: int) -> None:
        """Wait until everything up to this seq is written and shown."""
        self._check()
        if not await self._is_written(target):
            self._show(self.cursor.release(target))

    async def wait_for_room(self) -> None:
        """Wait while more than 1,024 events are unwritten; not while Redis is down, where memory is all there is."""
        self._check()
        while len(self.cursor.tail) > MOST_UNWRITTEN and not self._flusher.down:
            await self._is_written(self.cursor.seq - MOST_UNWRITTEN)

    async def aclose(self) -> None:
        """Flush and let the watchers here follow the log again.

        What Redis did not take yet stays with the flusher, which writes it when Redis is back, unless too much waits.
        Of the run nothing is held for that: by now it is stored, or its next holder publishes it again.
        """
        self._closed = True
        try:
            with suppress(Fenced):  # What was not written never was.
                await self.publish()
        finally:
            if self.cursor.tail:
                self.recover = None
                self._flusher.wait(self, [*self.cursor.recent, *self.cursor.tail])
            else:
                self._leave()
                await self._hub.release(self)

    # Calls of the flusher.

    def batch(self) -> Batch | None:
        """Return what comes next, within the caps of one flush; None when there is nothing to write or to ask."""
        return None if self.fenced else self._batches.next(self._clock())

    def take_answer(self, batch: Batch, answer: AppendOutcome) -> bool:
        """Act on the script's result; true when there is more to write at once."""
        if self.fenced or batch.incarnation != self.cursor.incarnation:
            return bool(self.cursor.tail)
        self._batches.note_answer(batch, self._clock(), taken=answer.word == "OK")
        match answer.word:
            case "FENCED":
                self.fence_off()
                return False
            case "OK":
                self._confirm(answer.number)
                if not self.cursor.has_gap:
                    return self._batches.more
                self._begin_again()
            case "GAP":
                self._go_on_from(answer.number)
            case _:
                self._begin_again()
        return True

    def verify(self) -> None:
        """Ask with the next flush whether the log is still what it should be."""
        self._batches.asks = True
        self._flusher.mark(self)

    def drop_excess(self) -> None:
        """Drop the oldest unwritten entries when they are too many while Redis is away; a new log begins afterwards."""
        if not self._closed:
            self.cursor.drop_excess()

    def fence_off(self) -> None:
        """Stop: another has the session, as Redis or a lost lease says. What was not written never was."""
        self._stop(resync=True)

    def stop_for_next_holder(self, claimed: ClaimedLog) -> None:
        """Stop for the next holder in this process; readers resync unless its log begins where the shown events end."""
        at = self.cursor
        all_kept = at.acked == at.delivered == at.seq == claimed.last
        self._stop(resync=not all_kept or claimed.incarnation != at.incarnation)

    def _check(self) -> None:
        if self.fenced:
            raise Fenced

    def _show(self, entries: list[Entry]) -> None:
        if entries:
            self._hub.deliver(self.session_id, entries)

    def _stop(self, *, resync: bool) -> None:
        if self.fenced:
            return
        self.fenced = True
        self.cursor.drop()
        self._flusher.remove(self)
        self._acks.resolve(self.cursor.seq)
        self._hub.follow_log_again(self, resync=resync)

    def _confirm(self, last: int) -> None:
        """Note that everything up to `last` is in the log."""
        self._show(self.cursor.confirm(last, self._clock()))
        self._acks.resolve(self.cursor.acked)
        if self._closed and not self.cursor.tail:
            self._leave()
            self._hub.follow_log_again(self, resync=False)

    def _go_on_from(self, last: int) -> None:
        """Continue after the log's end, which is another than was expected."""
        match self.cursor.compare(last):
            case LogEnd.AHEAD:
                self._confirm(last)
            case LogEnd.BEHIND:
                count = self.cursor.rewind(last)
                log.warning("the log of %s lost its tail: writing %d events again", self.session_id, count)
            case LogEnd.ELSEWHERE:
                self._begin_again()

    def _begin_again(self) -> None:
        """Begin a new log in place of one that is gone, with a snapshot of the run or with what is kept of it."""
        log.warning("the log of %s is gone: a new one begins at %d", self.session_id, self.cursor.seq)
        snapshot = self.recover() if self.recover is not None and self.cursor.has_appended else None
        self.cursor.begin_again(new_name(), snapshot)
        # Every caller tells the flusher that there is more to write, so the next batch makes the log at once.
        self._batches.asks = True
        self._hub.begin_incarnation(self)

    def _leave(self) -> None:
        """Drop the references to the flusher and to the run, which refers to this writer: everything is written."""
        self._flusher.remove(self)
        self.recover = None

    async def _is_written(self, target: int) -> bool:
        """Wait until a seq is written: a second at most, less when Redis is known to be down. Return whether it is."""
        if self.cursor.acked >= target:
            return True
        if not await self._acks.reach(target, self._flusher.patience(BARRIER_S, self._clock())):
            return False
        self._check()
        return True
