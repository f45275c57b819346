"""The bus: what the rest of the server sees of the live log, its fan-out and its signals."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from server.bus.cache import Cache
from server.bus.hub.hub import Hub
from server.bus.hub.subscriber import Subscriber
from server.bus.log.entries import BusDown, Entry, Position
from server.bus.log.idle_proof import IdleProof
from server.bus.log.log import (
    CANCEL_CHANNEL,
    REVOKED_CHANNEL,
    RUNS_CHANNEL,
    WORKERS_CHANNEL,
    ClaimedLog,
    Log,
    control_channel,
    log_key,
    meta_key,
)
from server.bus.log.view import LogView
from server.bus.redis.client import connect, connect_link, failures_as_down
from server.bus.writer.flusher import Flusher
from server.bus.writer.writer import Writer, new_incarnation
from server.protocol.codec import encode_event
from server.tasks import Tasks

CHECK_S = 15.0
AHEAD_WAIT_S = 1.0
AHEAD_STEP_S = 0.025

log = logging.getLogger(__name__)


class Bus:
    """One per process. Acquired by `start`, released by `aclose`.

    Losing Redis costs liveness, never data: reads raise BusDown, writers go on from memory, `degraded` is true and
    everybody in `on_degraded` is told, once each way.
    """

    def __init__(self, url: str, *, flush_ms: int = 20, check_s: float = CHECK_S) -> None:
        """Prepare for `url`: redis://, rediss://, unix:// or fake:// (in this process only)."""
        self.degraded = False
        self.on_degraded: list[Callable[[bool], None]] = []
        self._name = secrets.token_hex(8).encode()
        self._tasks = Tasks()
        self._client = connect(url)
        self._link = connect_link(url)
        self._log = Log(self._link)
        self._flusher = Flusher(self._log, flush_ms / 1000, self._on_change)
        self._subscriber = Subscriber(url, self._on_message, self._back, self._on_lost)
        self._wake: list[Callable[[], None]] = []
        self._cancel: list[Callable[[str], None]] = []
        self._revoked: list[Callable[[str], None]] = []
        self.hub = Hub(self._log, self._subscriber, self._tasks, check_s=check_s)
        self.cache = Cache(self._client)
        self.idle_proof = IdleProof(
            self._link, down=lambda: self._flusher.down, failed=self._flusher.note_failure
        )

    async def start(self) -> None:
        """Start the three tasks of a process: flusher, subscriber, position check.

        Waits for the subscription a second at most: a Redis that is not there yet is no reason not to serve.
        """
        self._tasks.spawn(self._flusher.run(), name="bus.flusher")
        self._tasks.spawn(self._subscriber.run(), name="bus.subscriber")
        self._tasks.spawn(self.hub.run(), name="bus.check")
        began = asyncio.get_running_loop().time()
        if not await self._subscriber.add([RUNS_CHANNEL, CANCEL_CHANNEL, REVOKED_CHANNEL]):
            self._flusher.note_failure(began)

    async def aclose(self) -> None:
        """Stop everything; writers are closed before this, by those who hold them."""
        self._subscriber.close()
        await self._tasks.aclose()
        self.hub.close()
        await self._subscriber.aclose()
        await self._link.aclose()
        await self._client.aclose()

    @property
    def writing(self) -> bool:
        """Does a run write here?"""
        return self._flusher.writing

    @property
    def delivered(self) -> int:
        """How many batches of events came in here so far."""
        return self.hub.delivered

    def call_after_batches(self, every: int, tidy: Callable[[], None]) -> None:
        """After so many of them, each time, do this when they have been passed on."""
        self.hub.call_after_batches(every, tidy)

    async def ask(self) -> None:
        """Return when Redis takes a write; raises BusDown, and everybody learns of it, when it does not."""
        began = asyncio.get_running_loop().time()
        try:
            await self._log.ping()
        except BusDown:
            if len(self._tasks):
                self._flusher.note_failure(began)
            raise

    async def ping(self) -> bool:
        """Does Redis take a write?"""
        try:
            await self.ask()
        except BusDown:
            return False
        return True

    async def writer(
        self, session_id: str, *, fence: int, floor: int, told: int = 0, alone: str | None = None
    ) -> Writer:
        """Take a session's log under a fence; raises Fenced when a younger holder has it.

        `floor` is the seq that SQL's messages reach to, and the active run begins after it. `told` is that of the
        last end that was told, or of what stands behind it: no number up to there is given again, and a log that
        does not reach it begins anew.
        `alone` names the input of the run when nothing else waited in the queue as the fence was committed: see
        `IdleProof`. While Redis is down the writer begins a log of its own, which replaces the old one afterwards.
        """
        # Named here, since a claim that is not answered may be carried out all the same.
        fresh, holder = new_incarnation(), secrets.token_hex(4)
        began = asyncio.get_running_loop().time()
        try:
            claimed = await self._log.claim(
                session_id, fence=fence, floor=floor, told=told, fresh=fresh, holder=holder, alone=alone
            )
            answered = True
        except BusDown:
            self._flusher.note_failure(began)
            answered = False
            last = self.hub.writer(session_id)
            seq = max(floor, told, last.seq if last is not None else 0)
            claimed = ClaimedLog(fresh, fence, seq, seq + 1, floor, True, holder)
        before = self.hub.writer(session_id)
        if before is not None and before.cursor.fence <= fence:
            before.give_way(claimed)
        writer = Writer(session_id, claimed, floor=floor, told=told, flusher=self._flusher, hub=self.hub)
        self._flusher.add(writer)
        await self.hub.adopt(writer, claimed=answered)
        return writer

    async def position(self, session_id: str) -> Position | None:
        """Return how far the session's log reaches, seen from here; None without a log. Raises BusDown."""
        writer = self.hub.writer(session_id)
        if writer is not None:
            return Position(writer.cursor.epoch, writer.cursor.delivered)
        return (await self._log.positions([session_id]))[0]

    async def read(self, session_id: str, after: int, *, until: int | None = None) -> list[Entry] | None:
        """Return every event after one, up to what was shown here; None when the log does not reach back.

        For a session that is written here this is the log and what its writer has shown since; with Redis down,
        what the writer has in memory, if need be the run so far in short (then all at one seq). Raises BusDown; who
        watches the session here then gets a resync when Redis is back, for what was shown without the log.
        """
        view: LogView | None = None
        writer = self.hub.writer(session_id)
        try:
            view = await self._log.read(session_id, after)
        except BusDown:
            if writer is None:
                self.hub.unread(session_id)
                raise
        writer = self.hub.writer(session_id)
        entries = view.after(after) if view is not None else None
        if writer is not None:
            entries = _with_writer(writer, view, entries, after)
        if entries is None or until is None:
            return entries
        return [each for each in entries if each.seq <= until]

    async def replay(self, session_id: str, epoch: str, last_seq: int) -> list[Entry] | None:
        """Return what a client missed that saw everything up to `last_seq` under `epoch`; None: send a snapshot.

        A client that sat on a dead holder may have seen events that never reached the log; the end of its fence
        tells. One that is ahead of the log in the present fence is waited for, a second at most. Watch first.
        """
        deadline = asyncio.get_running_loop().time() + AHEAD_WAIT_S
        while True:
            try:
                view = await self._log.read(session_id, last_seq)
            except BusDown:
                return self._from_memory(session_id, epoch, last_seq)
            writer = self.hub.writer(session_id)
            if writer is not None and (view is None or view.incarnation != writer.cursor.incarnation):
                return self._from_memory(session_id, epoch, last_seq)
            if view is None:
                return None
            if writer is not None and writer.cursor.epoch == epoch and last_seq > view.last:
                return writer.cursor.memory(last_seq) if last_seq <= writer.cursor.delivered else None
            ahead = epoch == view.position.epoch and last_seq > view.last
            if not ahead or asyncio.get_running_loop().time() > deadline:
                found = view.follow(epoch, last_seq)
                rest = writer.cursor.memory(max(last_seq, view.last)) if writer is not None else []
                return None if found is None or rest is None else found + rest
            await asyncio.sleep(AHEAD_STEP_S)

    async def notify(self, session_id: str, frame: bytes) -> None:
        """Give a control frame to every instance's watchers of the session; it may be lost."""
        self.hub.control(session_id, frame)
        await self._publish(control_channel(session_id), frame)

    async def wake(self) -> None:
        """Tell every instance that there are runs to claim; it may be lost."""
        for each in self._wake:
            each()
        await self._publish(RUNS_CHANNEL, b"")

    def on_wake(self, callback: Callable[[], None]) -> None:
        """Call back whenever there may be runs to claim."""
        self._wake.append(callback)

    def enlist(self) -> None:
        """Count among those who claim runs, for as long as we are subscribed."""
        self._tasks.spawn(self._subscriber.add([WORKERS_CHANNEL]), name="bus.enlist")

    async def retire(self) -> None:
        """Count among them no longer."""
        await self._subscriber.remove([WORKERS_CHANNEL])

    async def workers(self) -> int:
        """How many processes claim runs; raises BusDown."""
        with failures_as_down():
            return int((await self._link.call("PUBSUB", "NUMSUB", WORKERS_CHANNEL))[1])

    async def eviction(self) -> str:
        """Say what a full Redis throws away (its `maxmemory-policy`); empty when it does not tell us."""
        try:
            with failures_as_down():
                answer = await self._link.call("CONFIG", "GET", "maxmemory-policy")
        except BusDown:
            return ""
        return answer[1].decode() if answer else ""

    async def signal_cancel(self, run_id: str) -> None:
        """Tell every instance to look at a run's cancel flag now; it may be lost."""
        for each in self._cancel:
            each(run_id)
        await self._publish(CANCEL_CHANNEL, run_id.encode())

    def on_cancel(self, callback: Callable[[str], None]) -> None:
        """Call back with the id of a run that somebody wants to stop."""
        self._cancel.append(callback)

    async def signal_revoked(self, subject: str) -> None:
        """Tell every instance that a principal has left or a session is gone; it may be lost.

        The commit was announced by `vouched.doubt`; said again after it, since the first word may have been lost.
        """
        await self.idle_proof.doubt(subject)
        for each in self._revoked:
            each(subject)
        await self._publish(REVOKED_CHANNEL, subject.encode())

    async def forget(self, session_id: str) -> None:
        """Let go of a session that is deleted: its log and its conversation; what fails goes when its time is over."""
        with suppress(BusDown), failures_as_down():
            await self._link.call("DEL", log_key(session_id), meta_key(session_id))
        await self.cache.drop(session_id)

    def on_revoked(self, callback: Callable[[str], None]) -> None:
        """Call back with the principal or session that was revoked."""
        self._revoked.append(callback)

    def _from_memory(self, session_id: str, epoch: str, last_seq: int) -> list[Entry] | None:
        writer = self.hub.writer(session_id)
        if writer is None or writer.cursor.epoch != epoch or last_seq > writer.cursor.delivered:
            return None
        held = writer.cursor.memory(last_seq)
        return None if held and held[0].seq != last_seq + 1 else held

    async def _publish(self, channel: str, data: bytes) -> None:
        with suppress(BusDown), failures_as_down():
            await self._link.call("PUBLISH", channel, self._name + b" " + data)

    def _on_message(self, channel: bytes, data: bytes) -> None:
        session_id, kind = _place(channel)
        if session_id and not kind:
            self.hub.receive(session_id, data)
            return
        sender, _, body = data.partition(b" ")
        if sender == self._name:
            return
        if session_id:
            self.hub.control(session_id, body)
        elif kind == RUNS_CHANNEL:
            for wake in self._wake:
                wake()
        elif kind in (CANCEL_CHANNEL, REVOKED_CHANNEL):
            for each in self._cancel if kind == CANCEL_CHANNEL else self._revoked:
                each(body.decode())

    def _back(self) -> None:
        """The subscription is there (again): whatever was published meanwhile is lost."""
        self.hub.check_soon()
        self._settle()

    def _on_lost(self) -> None:
        """The subscription is lost: perhaps all of Redis is, and nobody writes who would notice."""
        self._tasks.spawn(self.ping(), name="bus.lost")

    def _on_change(self, down: bool) -> None:
        self.degraded = down
        for each in self.on_degraded:
            each(down)
        if not down:
            self.hub.check_soon()
            self._settle()

    def _settle(self) -> None:
        if self.idle_proof.owes:
            self._tasks.spawn(self.idle_proof.settle(), name="bus.settle")


@lru_cache(maxsize=4096)
def _place(channel: bytes) -> tuple[str, str]:
    """The session of a channel and what else is in its name; a channel that is no session's is named whole."""
    name = channel.decode()
    if not name.startswith("lw:{"):
        return "", name
    session_id, _, kind = name[4:].partition("}")
    return session_id, kind


def _with_writer(
    writer: Writer, view: LogView | None, entries: list[Entry] | None, after: int
) -> list[Entry] | None:
    """Add to what the log says what its writer here has shown since."""
    if view is None or view.incarnation != writer.cursor.incarnation:
        found = writer.cursor.memory(after)
        return found if found is not None else _run_so_far(writer)
    if entries is None:
        return None
    last = max(after, view.last)
    rest = writer.cursor.memory(last)
    return _run_so_far(writer) if rest is None else entries + rest


def _run_so_far(writer: Writer) -> list[Entry] | None:
    """Return the run so far as the events of a snapshot, all at the seq they reach; None where nobody can say it."""
    if writer.recover is None:
        return None
    return [Entry(writer.seq, writer.cursor.epoch, encode_event(each), each) for each in writer.recover()]
