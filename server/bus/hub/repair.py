"""The repair of what pub/sub lost: reading the log of a session, and comparing positions every few seconds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from server.bus.hub.feed import Feed
from server.bus.log.entries import BusDown
from server.bus.log.log import Log
from server.bus.writer.writer import LogWriter
from server.tasks import Tasks, happens_within

CHECKED_AT_ONCE = 256
STALE_CHECK_S = 1.0

log = logging.getLogger(__name__)


class Repair:
    """Brings feeds to the positions of their logs: when a hole is seen, and when positions differ."""

    def __init__(
        self,
        logs: Log,
        feeds: Mapping[str, Feed],
        writers: Mapping[str, LogWriter],
        tasks: Tasks,
        *,
        check_s: float,
    ) -> None:
        """Compare every `check_s`; `feeds` and `writers` are the hub's, which changes them."""
        self._log = logs
        self._feeds = feeds
        self._writers = writers
        self._tasks = tasks
        self._check_s = check_s
        self._check_now = asyncio.Event()

    def check_soon(self) -> None:
        """Compare positions now instead of at the next turn: something may have been lost."""
        self._check_now.set()

    @property
    def is_due(self) -> bool:
        """Return whether a comparison was asked for and has not begun."""
        return self._check_now.is_set()

    def fill_later(self, feed: Feed) -> None:
        """Read what is missing, in the background."""
        self._tasks.spawn(self._fill(feed), name="hub.fill")

    async def settle(self, feed: Feed) -> None:
        """Read what is missing, then let in what waited; a batch that still does not fit after a reading is old."""
        while await self.look(feed) and feed.let_in():
            pass

    async def look(self, feed: Feed) -> bool:
        """Bring the feed to the log's position; false while Redis is down."""
        try:
            view = await self._log.read(feed.session_id, feed.read_from())
        except BusDown:
            feed.note_unreadable()
            return False
        feed.catch_up(view)
        return True

    async def run(self) -> None:
        """Compare the positions of everything that is watched or written here, for ever."""
        while True:
            stale = any(each.is_stale for each in self._feeds.values())
            await happens_within(self._check_now, STALE_CHECK_S if stale else self._check_s)
            self._check_now.clear()
            ids = sorted({*self._feeds, *self._writers})
            for at in range(0, len(ids), CHECKED_AT_ONCE):
                try:
                    await self._check(ids[at : at + CHECKED_AT_ONCE])
                except BusDown:
                    break
                except Exception:
                    # One task repairs all sessions: an error in one session must not end it.
                    log.exception("comparing positions failed")

    async def _check(self, session_ids: list[str]) -> None:
        positions = await self._log.positions(session_ids)
        for session_id, position in zip(session_ids, positions, strict=True):
            writer = self._writers.get(session_id)
            if writer is not None:
                at = writer.cursor
                if position is None or position.epoch != at.epoch or position.seq < at.acked:
                    writer.verify()
                continue
            feed = self._feeds.get(session_id)
            if feed is not None and not feed.is_reading and feed.compare(position):
                self.fill_later(feed)

    async def _fill(self, feed: Feed) -> None:
        async with feed.lock:
            if feed.subscription.is_open and feed.session_id not in self._writers:
                feed.begin_reading()
                await self.settle(feed)
            feed.end_reading()
