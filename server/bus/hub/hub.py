"""The one entry of events into an instance: watched sessions, their order, and the repair of lost events."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from functools import lru_cache
from typing import Any

from server.bus.hub.feed import Feed
from server.bus.hub.repair import Repair
from server.bus.hub.subscriber import Subscriber
from server.bus.hub.watchers import Watcher
from server.bus.log.entries import Entry, epoch_of
from server.bus.log.log import Log, control_channel, log_channel
from server.bus.writer.writer import LogWriter
from server.tasks import Tasks

__all__ = ["Hub", "Watcher"]

UNSUBSCRIBE_AFTER_S = 0.05
"""An answer that ends sooner is not worth leaving the channel and coming back to it."""


class Hub:
    """Gives each watched session's entries to its watchers here: every one once, in order, or a resync.

    Sessions that are written here come straight from their writer, and are not subscribed while an answer streams.
    Pub/sub may lose messages: the hub finds a loss by the seq of the next entry, or by comparing positions every 15
    seconds.
    """

    def __init__(self, logs: Log, subscriber: Subscriber, tasks: Tasks, *, check_s: float) -> None:
        self._subscriber = subscriber
        self._tasks = tasks
        self.delivered = 0
        """The number of batches received so far: it grows while something streams."""
        self.feeds: dict[str, Feed] = {}
        self._writers: dict[str, LogWriter] = {}
        self.repair = Repair(logs, self.feeds, self._writers, tasks, check_s=check_s)

    async def watch(self, session_id: str, watcher: Watcher) -> None:
        """Follow a session from now on; returns once nothing that is written later can be missed.

        Watch first, then take the snapshot, then ignore delivered entries up to the snapshot's seq. While Redis is
        down it returns after a second, and the watcher gets a resync when Redis is back. A watcher does not follow
        when this raises.
        """
        feed = self.feeds.setdefault(session_id, Feed(session_id))
        feed.watchers.add(watcher)
        try:
            async with feed.lock:
                if not feed.subscription.is_open:
                    await self._open(feed)
        except BaseException:
            # A caller that is cancelled here has entered nothing that it could leave.
            self.unwatch(session_id, watcher)
            raise

    def unwatch(self, session_id: str, watcher: Watcher) -> None:
        """Stop following; the last one out ends the subscription."""
        feed = self.feeds.get(session_id)
        if feed is None:
            return
        feed.watchers.remove(watcher)
        if not feed.watchers:
            self._spawn(self._close(feed))

    def deliver(self, session_id: str, entries: Sequence[Entry], start: int = 0) -> None:
        """Let a batch of one epoch in: what is old is dropped, and before a hole is jumped it is filled."""
        self.delivered += 1
        feed = self.feeds.get(session_id)
        if feed is not None and feed.receive(entries, start):
            self.repair.fill_later(feed)

    def control(self, session_id: str, frame: bytes) -> None:
        """Give a control frame to the watchers of a session here."""
        feed = self.feeds.get(session_id)
        if feed is not None:
            feed.watchers.control(frame)

    def receive(self, session_id: str, data: bytes) -> None:
        """Deliver a batch from the channel of a session, unless this process writes that session.

        The entries of such a session come from its writer. A batch under a greater fence shows that another process
        has taken the log over: then the hub no longer trusts that it missed nothing.
        """
        header, _, payload = data.partition(b"\n")
        of, first, _ = header.rsplit(maxsplit=2)
        epoch, fence, start = _read_head(of)
        writer = self._writers.get(session_id)
        if writer is not None:
            if fence > writer.cursor.fence:
                self._doubt(session_id)
            return
        lines = payload.split(b"\n")
        entries = [Entry(seq, epoch, line) for seq, line in enumerate(lines, int(first))]
        self.deliver(session_id, entries, start)

    @property
    def written_sessions(self) -> int:
        """Return the number of sessions that are written here."""
        return len(self._writers)

    def writer(self, session_id: str) -> LogWriter | None:
        """Return the writer of a session that is written here."""
        return self._writers.get(session_id)

    async def adopt(self, writer: LogWriter, *, claimed: bool) -> None:
        """Bring the watchers here up to where a new writer begins, and take its entries from then on."""
        self._writers[writer.session_id] = writer
        feed = self.feeds.get(writer.session_id)
        if feed is None:
            return
        async with feed.lock:
            try:
                if feed.ends_at(writer.cursor.incarnation, writer.cursor.delivered):
                    pass  # No other holder has written since.
                elif not claimed or not await self.repair.look(feed):
                    feed.watchers.resync()
            finally:
                feed.set_position(writer.cursor.epoch, writer.cursor.delivered)
                feed.end_reading()
        asyncio.get_running_loop().call_later(UNSUBSCRIBE_AFTER_S, self._unsubscribe_later, feed, writer)

    def begin_incarnation(self, writer: LogWriter) -> None:
        """Move the watchers here to a new incarnation."""
        feed = self.feeds.get(writer.session_id)
        if feed is not None and self._writers.get(writer.session_id) is writer:
            feed.set_position(writer.cursor.epoch, writer.cursor.delivered)
            feed.watchers.resync()

    def follow_log_again(self, writer: LogWriter, *, resync: bool) -> None:
        """Follow the log again, in the background."""
        feed = self.feeds.get(writer.session_id)
        if resync and feed is not None and self._writers.get(writer.session_id) is writer:
            feed.lose()
        self._spawn(self.release(writer))

    async def release(self, writer: LogWriter) -> None:
        """Follow the log again, and return when that is so."""
        if self._writers.get(writer.session_id) is not writer:
            return
        del self._writers[writer.session_id]
        feed = self.feeds.get(writer.session_id)
        if feed is None:
            return
        async with feed.lock:
            if feed.subscription.is_open and feed.session_id not in self._writers:
                if feed.missed_nothing:
                    return  # The channel stayed subscribed, and only this instance wrote.
                await self._subscribe(feed)

    def close(self) -> None:
        """Forget the writers, so that no timer begins anything after the end."""
        self._writers.clear()

    def check_soon(self) -> None:
        """Compare positions now instead of at the next turn: something may have been lost."""
        for session_id in self._writers:
            self._doubt(session_id)
        self.repair.check_soon()

    def resync_when_readable(self, session_id: str) -> None:
        """Send the watchers here to a snapshot as soon as there is one: a reader was served without the log."""
        feed = self.feeds.get(session_id)
        if feed is not None:
            feed.demand_snapshot()
            self.repair.check_soon()

    async def _open(self, feed: Feed) -> None:
        """Subscribe, and read the position of the log."""
        try:
            await self._subscribe(feed, control_channel(feed.session_id))
            feed.subscription.note_control()
        except BaseException:
            # A cancellation too leaves the feed half open; the next watcher opens it again.
            feed.close()
            raise

    async def _subscribe(self, feed: Feed, *others: str) -> None:
        """Subscribe to the session's channel, and others with it, then fill the gap since the feed's position."""
        feed.begin_reading()
        try:
            if feed.session_id not in self._writers:
                await self._subscriber.add([*others, log_channel(feed.session_id)])
                feed.subscription.note_all()
                await self.repair.settle(feed)
            else:
                await self._subscriber.add(others)
            writer = self._writers.get(feed.session_id)
            if writer is not None:
                feed.set_position(writer.cursor.epoch, writer.cursor.delivered)
        finally:
            feed.end_reading()

    async def _close(self, feed: Feed) -> None:
        async with feed.lock:
            if feed.watchers or self.feeds.get(feed.session_id) is not feed:
                return
            feed.close()
            await self._subscriber.remove([log_channel(feed.session_id), control_channel(feed.session_id)])
            if not feed.watchers:
                del self.feeds[feed.session_id]

    def _doubt(self, session_id: str) -> None:
        feed = self.feeds.get(session_id)
        if feed is not None:
            feed.subscription.doubt()

    def _unsubscribe_later(self, feed: Feed, writer: LogWriter) -> None:
        """Unsubscribe from what is written here, unless the writing has ended already."""
        if self._writers.get(feed.session_id) is writer:
            self._spawn(self._unsubscribe_log(feed, writer))

    async def _unsubscribe_log(self, feed: Feed, writer: LogWriter) -> None:
        async with feed.lock:
            if feed.subscription.hears_log and self._writers.get(feed.session_id) is writer:
                feed.subscription.leave_log()
                await self._subscriber.remove([log_channel(feed.session_id)])

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        named: Any = work  # A coroutine has the name of its function.
        self._tasks.spawn(work, name=f"hub.{named.__name__}")


@lru_cache(maxsize=4096)
def _read_head(said: bytes) -> tuple[str, int, int]:
    """Return the holder of a batch from the words that begin it: epoch, fence, first seq of the fence."""
    incarnation, fence, start = said.decode().split()
    return epoch_of(incarnation, int(fence)), int(fence), int(start)
