"""The one door by which events enter an instance: watched sessions, their order, the repair of what is lost."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from server.bus.hub.feed import Feed, PositionKnowledge, Verdict, Watcher
from server.bus.hub.subscriber import Subscriber
from server.bus.log.entries import BusDown, Entry, epoch_of
from server.bus.log.log import NOWHERE, Log, control_channel, log_channel
from server.bus.writer.writer import Writer
from server.tasks import Tasks

__all__ = ["Hub", "Watcher"]

CHECKED_AT_ONCE = 256
STALE_CHECK_S = 1.0
DEAF_AFTER_S = 0.05
"""An answer that ends sooner is not worth leaving the channel and coming back to it."""

log = logging.getLogger(__name__)


class Hub:
    """Gives each watched session's entries to its watchers here: every one once, in order, or a resync.

    Sessions that are written here come straight from their writer, and are not subscribed while an answer streams.
    Pub/sub may lose messages: what it loses is found by the next entry's seq, or by comparing positions every 15
    seconds.
    """

    def __init__(self, store: Log, subscriber: Subscriber, tasks: Tasks, *, check_s: float) -> None:
        self._log = store
        self._subscriber = subscriber
        self._tasks = tasks
        self._check_s = check_s
        self._feeds: dict[str, Feed] = {}
        self._writers: dict[str, Writer] = {}
        self._check_now = asyncio.Event()
        self.delivered = 0
        """Batches that came in so far: whether it grows says whether something streams."""
        self._every = sys.maxsize
        self._tidy: Callable[[], None] = _nothing

    async def watch(self, session_id: str, watcher: Watcher) -> None:
        """Follow a session from now on; returns once nothing that is written later can be missed.

        Watch first, then take the snapshot, then ignore delivered entries up to the snapshot's seq. While Redis is
        down it returns after a second, and the watcher gets a resync when Redis is back.
        """
        feed = self._feeds.setdefault(session_id, Feed(session_id))
        feed.watchers[watcher] = 0
        async with feed.lock:
            if not feed.opened:
                await self._open(feed)

    def unwatch(self, session_id: str, watcher: Watcher) -> None:
        """Stop following; the last one out ends the subscription."""
        feed = self._feeds.get(session_id)
        if feed is None:
            return
        feed.watchers.pop(watcher, None)
        if not feed.watchers:
            self._spawn(self._close(feed), "close")

    def deliver(self, session_id: str, entries: Sequence[Entry], start: int = 0) -> None:
        """Let a batch of one epoch in: what is old is dropped, and before a hole is jumped it is filled."""
        self.delivered += 1
        if not self.delivered % self._every:
            asyncio.get_running_loop().call_soon(self._tidy)
        feed = self._feeds.get(session_id)
        if feed is None or not entries:
            return
        if feed.held is not None:
            feed.hold(entries, start)
            return
        if feed.follows(entries[0]):
            feed.take(entries)
            return
        match feed.verdict(entries, start):
            case Verdict.FITS:
                feed.take(entries)
            case Verdict.HOLE:
                feed.hold(entries, start)
                self._spawn(self._fill(feed), "fill")

    def call_after_batches(self, every: int, tidy: Callable[[], None]) -> None:
        """After so many batches, each time, do this when they have been passed on."""
        self._every, self._tidy = every, tidy

    def control(self, session_id: str, frame: bytes) -> None:
        """Give a control frame to the watchers of a session here."""
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.control(frame)

    def receive(self, session_id: str, data: bytes) -> None:
        """Take a batch from the channel of a session; one that is written here needs none."""
        header, _, payload = data.partition(b"\n")
        of, first, _ = header.rsplit(b" ", 2)
        epoch, fence, start = _holder(of)
        writer = self._writers.get(session_id)
        if writer is not None:
            if fence > writer.cursor.fence:
                self._doubt(session_id)
            return
        lines = payload.split(b"\n")
        entries = [Entry(seq, epoch, line) for seq, line in enumerate(lines, int(first))]
        self.deliver(session_id, entries, start)

    def writer(self, session_id: str) -> Writer | None:
        """Return the writer of a session that is written here."""
        return self._writers.get(session_id)

    async def adopt(self, writer: Writer, *, claimed: bool) -> None:
        """Bring the watchers here up to where a new writer begins, and take its entries from then on."""
        self._writers[writer.session_id] = writer
        feed = self._feeds.get(writer.session_id)
        if feed is None:
            return
        async with feed.lock:
            feed.held = []
            try:
                if claimed and feed.ends_at(writer.cursor.incarnation, writer.cursor.delivered):
                    pass  # Nobody has written since.
                elif not claimed or not await self._look(feed):
                    feed.resync()
            finally:
                feed.at(writer.cursor.epoch, writer.cursor.delivered)
                feed.held = None
        asyncio.get_running_loop().call_later(DEAF_AFTER_S, self._deafen_later, feed, writer)

    def reborn(self, writer: Writer) -> None:
        """Move the watchers here to a new incarnation."""
        feed = self._feeds.get(writer.session_id)
        if feed is not None and self._writers.get(writer.session_id) is writer:
            feed.at(writer.cursor.epoch, writer.cursor.delivered)
            feed.resync()

    def let_go(self, writer: Writer, *, resync: bool) -> None:
        """Follow the log again, in the background."""
        feed = self._feeds.get(writer.session_id)
        if resync and feed is not None and self._writers.get(writer.session_id) is writer:
            feed.lose()
        self._spawn(self.release(writer), "release")

    async def release(self, writer: Writer) -> None:
        """Follow the log again, and return when that is so."""
        if self._writers.get(writer.session_id) is not writer:
            return
        del self._writers[writer.session_id]
        feed = self._feeds.get(writer.session_id)
        if feed is None:
            return
        async with feed.lock:
            if feed.opened and feed.session_id not in self._writers:
                if feed.hears and not feed.doubted and feed.known is PositionKnowledge.POSITION:
                    return  # Its channel was heard all the time, and only we wrote.
                try:
                    await self._subscribe(feed)
                finally:
                    feed.held = None

    def close(self) -> None:
        """Forget who writes here, so that no timer begins anything after the end."""
        self._writers.clear()

    def check_soon(self) -> None:
        """Compare positions now instead of at the next turn: something may have been lost."""
        for session_id in self._writers:
            self._doubt(session_id)
        self._check_now.set()

    def unread(self, session_id: str) -> None:
        """Send the watchers here to a snapshot as soon as there is one: somebody had to do without the log."""
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.lose()
            feed.stale = True
            self._check_now.set()

    async def run(self) -> None:
        """Compare the positions of everything that is watched or written here, for ever."""
        while True:
            stale = any(each.stale for each in self._feeds.values())
            with suppress(TimeoutError):
                async with asyncio.timeout(STALE_CHECK_S if stale else self._check_s):
                    await self._check_now.wait()
            self._check_now.clear()
            ids = sorted({*self._feeds, *self._writers})
            for at in range(0, len(ids), CHECKED_AT_ONCE):
                try:
                    await self._check(ids[at : at + CHECKED_AT_ONCE])
                except BusDown:
                    break
                except Exception:
                    # The one task that finds what was lost in every session: a bug in some must not end it for all.
                    log.exception("positions not compared")

    async def _check(self, session_ids: list[str]) -> None:
        positions = await self._log.positions(session_ids)
        for session_id, position in zip(session_ids, positions, strict=True):
            writer = self._writers.get(session_id)
            if writer is not None:
                if (
                    position is None
                    or position.epoch != writer.cursor.epoch
                    or position.seq < writer.cursor.acked
                ):
                    writer.verify()
                continue
            feed = self._feeds.get(session_id)
            if feed is None or feed.held is not None or not feed.opened:
                continue
            feed.missing(position is None and feed.known is PositionKnowledge.POSITION)
            behind = position is not None and (
                feed.known is not PositionKnowledge.POSITION
                or position.epoch != feed.epoch
                or position.seq >= feed.next
            )
            if behind or feed.stale:
                self._spawn(self._fill(feed), "check")

    async def _open(self, feed: Feed) -> None:
        """Subscribe, and find out where the log stands."""
        feed.held = []
        try:
            await self._subscribe(feed, control_channel(feed.session_id))
            feed.opened = True
        finally:
            feed.held = None

    async def _subscribe(self, feed: Feed, *others: str) -> None:
        """Hear the session's channel, and others with it, then close the gap since the position that the feed has."""
        if feed.session_id not in self._writers:
            feed.held = []
            feed.doubted = False
            await self._subscriber.add([*others, log_channel(feed.session_id)])
            feed.hears = True
            await self._settle(feed)
        elif others:
            await self._subscriber.add(others)
        writer = self._writers.get(feed.session_id)
        if writer is not None:
            feed.at(writer.cursor.epoch, writer.cursor.delivered)

    async def _close(self, feed: Feed) -> None:
        async with feed.lock:
            if feed.watchers or self._feeds.get(feed.session_id) is not feed:
                return
            feed.opened = feed.hears = False
            feed.known = PositionKnowledge.NOTHING_YET
            await self._subscriber.remove([log_channel(feed.session_id), control_channel(feed.session_id)])
            if not feed.watchers:
                del self._feeds[feed.session_id]

    def _doubt(self, session_id: str) -> None:
        feed = self._feeds.get(session_id)
        if feed is not None:
            feed.doubted = True

    def _deafen_later(self, feed: Feed, writer: Writer) -> None:
        """Begin to hear no longer what is written here, unless that is over already."""
        if feed.hears and self._writers.get(feed.session_id) is writer:
            self._spawn(self._deafen(feed, writer), "deafen")

    async def _deafen(self, feed: Feed, writer: Writer) -> None:
        async with feed.lock:
            if feed.hears and self._writers.get(feed.session_id) is writer:
                feed.hears = False
                await self._subscriber.remove([log_channel(feed.session_id)])

    async def _fill(self, feed: Feed) -> None:
        async with feed.lock:
            if feed.opened and feed.session_id not in self._writers:
                feed.held = feed.held or []
                await self._settle(feed)
            else:
                feed.held = None

    async def _settle(self, feed: Feed) -> None:
        """Read what is missing, then let in what waited; a batch that still does not fit after a reading is old."""
        again = True
        while again and await self._look(feed):
            again = self._let_in(feed)
        feed.held = None

    def _let_in(self, feed: Feed) -> bool:
        """Take what was held; true when another hole showed up that was not there at the reading."""
        held, feed.held = feed.held or [], []
        for at, (entries, start) in enumerate(held):
            match feed.verdict(entries, start):
                case Verdict.FITS:
                    feed.take(entries)
                case Verdict.HOLE:
                    feed.held = held[at + 1 :]
                    return True
        return False

    async def _look(self, feed: Feed) -> bool:
        """Bring the feed to where the log stands; false while Redis is down."""
        after = NOWHERE
        if feed.known is not PositionKnowledge.NOTHING_YET:
            after = feed.next - 1 if feed.known is PositionKnowledge.POSITION else 0
        try:
            view = await self._log.read(feed.session_id, after)
        except BusDown:
            feed.stale = True
            if feed.known is PositionKnowledge.NOTHING_YET:
                feed.lose()
            return False
        feed.catch_up(view)
        return True

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._tasks.spawn(work, name=f"hub.{name}")


@lru_cache(maxsize=4096)
def _holder(said: bytes) -> tuple[str, int, int]:
    """Whose a batch is, from the words that all batches of a holder begin with: epoch, fence, where the fence began."""
    incarnation, fence, start = said.decode().split(" ")
    return epoch_of(incarnation, int(fence)), int(fence), int(start)


def _nothing() -> None:
    """Nobody asked for more."""
