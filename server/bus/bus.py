"""The bus: the interface of the rest of the server to the live log, its fan-out and its signals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from server.bus.cache import Cache
from server.bus.hub.hub import Hub
from server.bus.hub.subscriber import Subscriber
from server.bus.log.entries import BusDown
from server.bus.log.idle_proof import IdleProof
from server.bus.log.log import (
    PRESENCE_CHANNEL,
    ClaimedLog,
    Log,
    control_channel,
    log_key,
    meta_key,
)
from server.bus.presence import Presence
from server.bus.reader import LogReader
from server.bus.redis.client import connect_link, failures_as_down
from server.bus.signals import SIGNALS, Signals
from server.bus.writer.flusher import Flusher
from server.bus.writer.writer import LogWriter, new_name
from server.tasks import Tasks

CHECK_S = 15.0


class Bus:
    """One per process. Acquired by `start`, released by `aclose`.

    Losing Redis costs liveness, never data: reads raise BusDown, writers go on from memory, `degraded` is true and
    each callback in `on_degraded` is called, once each way.
    """

    def __init__(self, url: str, *, flush_ms: int = 20, check_s: float = CHECK_S) -> None:
        """Prepare for `url`: redis://, rediss://, unix:// or fake:// (in this process only)."""
        self.degraded = False
        self.on_degraded: list[Callable[[bool], None]] = []
        self._tasks = Tasks()
        self._link = connect_link(url)
        self.log = Log(self._link)
        """The logs of all sessions in Redis."""
        self.flusher = Flusher(self.log, flush_ms / 1000, self._on_change)
        self._subscriber = Subscriber(url, self._on_message, self._on_connected, self._on_lost)
        self.hub = Hub(self.log, self._subscriber, self._tasks, check_s=check_s)
        self.cache = Cache(url)
        self.idle_proof = IdleProof(self._link, self.flusher)
        self.reader = LogReader(self.log, self.hub)
        self.signals = Signals(self._link, self._subscriber, self.idle_proof, self._tasks)
        self.presence = Presence(self._link, self._tasks)

    async def start(self) -> None:
        """Start the three tasks of a process: flusher, subscriber, position check.

        Waits for the subscription a second at most: a Redis that is not there yet is no reason not to serve.
        """
        self._tasks.spawn(self.flusher.run(), name="bus.flusher")
        self._tasks.spawn(self._subscriber.run(), name="bus.subscriber")
        self._tasks.spawn(self.hub.repair.run(), name="bus.check")
        began = asyncio.get_running_loop().time()
        if not await self._subscriber.add([*SIGNALS, PRESENCE_CHANNEL]):
            self.flusher.note_failure(began)

    async def aclose(self) -> None:
        """Stop everything; writers are closed before this, by their holders."""
        self._subscriber.close()
        await self._tasks.aclose()
        self.hub.close()
        await self._subscriber.aclose()
        await self._link.aclose()
        await self.cache.aclose()

    @property
    def writing(self) -> bool:
        """Return whether a run writes in this process."""
        return self.flusher.writing

    @property
    def delivered(self) -> int:
        """Return the number of batches of events that this process has received."""
        return self.hub.delivered

    async def ask(self) -> None:
        """Return when Redis takes a write; else note the failure and raise BusDown."""
        began = asyncio.get_running_loop().time()
        try:
            await self.log.ping()
        except BusDown:
            if len(self._tasks):
                self.flusher.note_failure(began)
            raise

    async def ping(self) -> bool:
        """Return whether Redis takes a write."""
        try:
            await self.ask()
        except BusDown:
            return False
        return True

    async def writer(
        self, session_id: str, *, fence: int, floor: int, reaches: int = 0, alone: str | None = None
    ) -> LogWriter:
        """Take a session's log under a fence; raises Fenced when a younger holder has it.

        `floor` is the seq that SQL's messages reach to, and the active run begins after it. The log was written at
        least up to `reaches`, the seq of the last published end or of what follows it: no number up to there is
        given again, and a log that does not reach it begins anew.
        `alone` names the input of the run when nothing else waited in the queue as the fence was committed: see
        `IdleProof`. While Redis is down the writer begins a log of its own, which replaces the old one afterwards.
        """
        # Choose the names here, since Redis may execute a claim whose answer is lost.
        fresh, holder = new_name(), new_name()
        began = asyncio.get_running_loop().time()
        try:
            claimed = await self.log.claim(
                session_id, fence=fence, floor=floor, reaches=reaches, fresh=fresh, holder=holder, alone=alone
            )
            answered = True
        except BusDown:
            self.flusher.note_failure(began)
            answered = False
            last = self.hub.writer(session_id)
            seq = max(floor, reaches, last.seq if last is not None else 0)
            claimed = ClaimedLog(fresh, fence, seq, seq + 1, floor, True, holder)
        before = self.hub.writer(session_id)
        if before is not None and before.cursor.fence <= fence:
            before.stop_for_next_holder(claimed)
        writer = LogWriter(
            session_id, claimed, floor=floor, reaches=reaches, flusher=self.flusher, hub=self.hub
        )
        self.flusher.add(writer)
        try:
            await self.hub.adopt(writer, claimed=answered)
        except BaseException:
            # Nothing else can close it: the caller may be cancelled here and never gets it.
            writer.fence_off()
            raise
        return writer

    async def notify(self, session_id: str, frame: bytes) -> None:
        """Give a control frame to every instance's watchers of the session; it may be lost."""
        self.hub.control(session_id, frame)
        await self.signals.publish(control_channel(session_id), frame)

    async def eviction(self) -> str:
        """Return what a full Redis throws away (its `maxmemory-policy`); empty where it does not answer that."""
        try:
            with failures_as_down():
                answer = await self._link.call("CONFIG", "GET", "maxmemory-policy")
        except BusDown:
            return ""
        return answer[1].decode() if answer else ""

    async def forget(self, session_id: str) -> None:
        """Delete the log and the conversation of a deleted session; what cannot be deleted expires."""
        with suppress(BusDown), failures_as_down():
            await self._link.call("DEL", log_key(session_id), meta_key(session_id))
        await self.cache.drop(session_id)

    def _on_message(self, channel: bytes, data: bytes) -> None:
        session_id, kind = _place(channel)
        if not kind:
            self.hub.receive(session_id, data)
        elif kind == PRESENCE_CHANNEL:
            self.presence.receive(data)
        elif (body := self.signals.foreign(data)) is None:
            return
        elif session_id:
            self.hub.control(session_id, body)
        else:
            self.signals.receive(kind, body)

    def _on_connected(self) -> None:
        """Note that the subscription is there (again). What was published meanwhile is lost."""
        self.hub.check_soon()

    def _on_lost(self) -> None:
        """Note that the subscription is lost. Perhaps all of Redis is, and no writer would notice."""
        self._tasks.spawn(self.ping(), name="bus.lost")

    def _on_change(self, down: bool) -> None:
        self.degraded = down
        for each in self.on_degraded:
            each(down)
        if not down:
            self.hub.check_soon()
            self._tasks.spawn(self.idle_proof.settle(), name="bus.settle")


@lru_cache(maxsize=4096)
def _place(channel: bytes) -> tuple[str, str]:
    """Return the session of a channel and what else is in its name; a channel that is no session's is named whole."""
    name = channel.decode()
    if not name.startswith("lw:{"):
        return "", name
    session_id, kind = name[4:].split("}")
    return session_id, kind
