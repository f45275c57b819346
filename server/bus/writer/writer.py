"""The holder's end of a session's log: it counts, shows at home first, and keeps what Redis has not confirmed."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from itertools import islice
from typing import Protocol

from server.bus.log.entries import Entry, epoch_of
from server.bus.log.log import AppendOutcome, Batch, ClaimedLog, log_key, meta_key
from server.bus.writer.acks import Acks
from server.bus.writer.backlog import SizeWatch
from server.bus.writer.flusher import Flusher
from server.bus.writer.recent import RecentEntries
from server.errors import Fenced
from server.protocol.codec import encode_event
from server.protocol.events import Event

FLUSH_EVENTS = 32
FLUSH_BYTES = 64 * 1024
MOST_UNWRITTEN = 1024
BARRIER_S = 1.0
TOUCH_S = 60.0
"""So often at most the log's time to live begins anew while it is written."""

log = logging.getLogger(__name__)


class HubPort(Protocol):
    """What a writer needs of the hub."""

    def deliver(self, session_id: str, entries: list[Entry]) -> None:
        """Give entries to the session's watchers here."""
        ...

    def reborn(self, writer: Writer) -> None:
        """Move the session's watchers here to the writer's new incarnation: they resync."""
        ...

    def let_go(self, writer: Writer, *, resync: bool) -> None:
        """The writer is done or fenced off: the watchers here follow the log again, from a snapshot or from here."""
        ...

    async def release(self, writer: Writer) -> None:
        """Let go without a snapshot, and wait until the watchers follow."""
        ...


def new_incarnation() -> str:
    """Return a name that no other log of the session ever had."""
    return secrets.token_hex(6)


class Writer:
    """Appends to one session under one fence.

    `append` is for deltas: shown at once, written within the window. `commit` is a barrier: what it tells is
    written first and shown after the ack, and later deltas queue behind it. Both raise Fenced once a younger
    holder is known. Every event belongs to the log for good or, after Fenced, never was.

    `recover`, when set, returns the events a log must begin with that lost everything: a snapshot of the run so far.
    """

    def __init__(
        self,
        session_id: str,
        claimed: ClaimedLog,
        *,
        floor: int,
        told: int = 0,
        flusher: Flusher,
        door: HubPort,
    ) -> None:
        self.session_id = session_id
        self.incarnation = claimed.incarnation
        self.fence = claimed.fence
        self.start = claimed.start
        self.holder = claimed.holder
        self.covers = claimed.covers
        self.birth = claimed.born
        self.active_from = floor + 1
        self._told = max(floor, told)
        self.seq = claimed.last
        self.acked = claimed.last
        self.delivered = claimed.last
        self.fenced = False
        self.recover: Callable[[], list[Event]] | None = None
        self._epoch = epoch_of(claimed.incarnation, claimed.fence)
        self._flusher = flusher
        self._door = door
        self._tail: list[Entry] = []
        self._kept = RecentEntries()
        self._unshown: list[Entry] = []
        self._barriers: list[int] = []
        self._acks = Acks()
        self._look: SizeWatch | None = None
        self._verify = False
        self._capped = False
        self._closed = False
        self._opened_at = claimed.last
        self._base = claimed.last if claimed.born else None
        self._clock = asyncio.get_running_loop().time
        self._keys = (log_key(session_id), meta_key(session_id))
        self._touch_at = 0.0

    @property
    def epoch(self) -> str:
        """The epoch of what is appended now."""
        return self._epoch

    def append(self, event: Event) -> int:
        """Show an event here at once and write it with the next flush; returns its seq."""
        self._check()
        if self._unshown:
            seq = self._give(event)
            self._show()
        else:  # Every token of a run that has no barrier open.
            seq = self.seq = self.delivered = self.seq + 1
            entry = Entry(seq, self._epoch, encode_event(event), event)
            self._tail.append(entry)
            self._door.deliver(self.session_id, [entry])
        self._flusher.mark(self)
        return seq

    async def commit(self, *events: Event) -> int:
        """Write these and everything before, then show them; returns the last seq.

        While Redis is down it waits for a second at most; then the events are shown all the same and kept for
        later. Without events it only waits for what is already given.
        """
        target = self.give(*events)
        await self.settle(target)
        return target

    def give(self, *events: Event) -> int:
        """Begin a commit without waiting for it; returns the seq to settle, which somebody must."""
        self._check()
        for each in events:
            self._barriers.append(self._give(each))
        if self.acked < self.seq:
            self._flusher.mark(self, urgent=True)
        return self.seq

    async def settle(self, target: int) -> None:
        """Wait until a commit is written and shown."""
        self._check()
        if self.acked < target and not await self._wait_for_ack(target):
            self._release(target)

    async def flush(self) -> None:
        """Wait until everything given is written, or a second while Redis is down."""
        await self.commit()

    async def room(self) -> None:
        """Wait while more than 1,024 events are unwritten; not while Redis is down, where memory is all there is."""
        self._check()
        while len(self._tail) > MOST_UNWRITTEN and not self._flusher.down:
            await self._wait_for_ack(self.seq - MOST_UNWRITTEN)

    async def aclose(self) -> None:
        """Flush and let the watchers here follow the log again.

        What Redis did not take yet stays with the flusher, which writes it when Redis is back, unless too much waits.
        Of the run nothing is held for that: by now it is stored, or its next holder tells it anew.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if not self.fenced:
                await self.flush()
        finally:
            if self._tail:
                self.recover = None
                self._flusher.wait(self, [*self._kept, *self._tail])
            else:
                self._leave()
                await self._door.release(self)

    # For readers here.

    def memory(self, after: int) -> list[Entry] | None:
        """Return what was shown after a seq, from memory; None when memory does not reach back."""
        if after >= self.delivered:
            return []
        held = self._kept.after(after)
        held += [each for each in self._tail if after < each.seq <= self.delivered]
        whole = bool(held) and (
            held[0].seq == after + 1 or (held[0].seq - 1 == self._base and after >= self.covers)
        )
        return held if whole else None

    def in_short(self) -> list[Entry] | None:
        """Return the run so far as the events of a snapshot, all at the seq they reach; None without `recover`."""
        if self.recover is None:
            return None
        return [Entry(self.seq, self._epoch, encode_event(each), each) for each in self.recover()]

    # For the flusher.

    def batch(self) -> Batch | None:
        """Return what comes next, capped; None when there is nothing to write and nothing to ask."""
        if self.fenced or not (self._tail or self._verify):
            return None
        lines: list[bytes] = []
        size = 0
        self._capped = len(self._tail) > FLUSH_EVENTS
        for entry in islice(self._tail, 0 if self._holey else FLUSH_EVENTS):
            size += len(entry.json)
            if lines and size > FLUSH_BYTES:
                self._capped = True
                break
            lines.append(entry.json)
        return Batch(
            self._keys,
            self.incarnation,
            self.fence,
            self.start,
            self.holder,
            self.acked + 1,
            lines,
            self.covers,
            self.birth,
            self._clock() >= self._touch_at,
        )

    def take_answer(self, batch: Batch, answer: AppendOutcome) -> bool:
        """Act on what the script said; true when there is more to write at once."""
        if self.fenced or batch.incarnation != self.incarnation:
            return bool(self._tail)
        self._verify = False
        if answer.word == "FENCED":
            self.fence_off()
            return False
        if answer.word == "OK":
            if batch.touch:
                self._touch_at = self._clock() + TOUCH_S
            self._ack_up_to(answer.number if batch.lines else self.acked)
            if not self._holey:
                return self._capped
            self._begin_again()
        elif answer.word != "GAP" or not self._rewind(answer.number):
            self._begin_again()
        return True

    def verify(self) -> None:
        """Ask with the next flush whether the log is still what it should be."""
        self._verify = True
        self._flusher.mark(self)

    def lighten(self) -> None:
        """Redis is away: let go of the oldest that is unwritten when it is too much, and begin a new log afterwards."""
        if self._tail and not self._closed:
            self._look = self._look or SizeWatch()
            if self._look.lighten(self._tail):
                self._kept.clear()

    def forget(self) -> None:
        """Wait for Redis no longer, after `aclose`: the watchers here get a snapshot when it is back."""
        self._stop(resync=True)

    def fence_off(self) -> None:
        """Stop: another has the session, as Redis or a lost lease says. What was not written never was.

        The watchers here resync. Whoever learns of the loss elsewhere than here calls this instead of `aclose`.
        """
        self._stop(resync=True)

    def give_way(self, claimed: ClaimedLog) -> None:
        """Stop for the next holder, who is here: unnoticed when its log begins where all that was shown here ends."""
        all_kept = self.acked == self.delivered == self.seq == claimed.last
        self._stop(resync=not all_kept or claimed.incarnation != self.incarnation)

    # Inside.

    def _stop(self, *, resync: bool) -> None:
        if self.fenced:
            return
        self.fenced = True
        self._tail.clear()
        self._unshown.clear()
        self._flusher.remove(self)
        self._acks.tell(self.seq)
        self._door.let_go(self, resync=resync)

    def _check(self) -> None:
        if self.fenced:
            raise Fenced

    def _give(self, event: Event) -> int:
        self.seq += 1
        entry = Entry(self.seq, self._epoch, encode_event(event), event)
        self._tail.append(entry)
        self._unshown.append(entry)
        return self.seq

    def _show(self) -> None:
        """Deliver what no barrier holds back."""
        limit = self._barriers[0] - 1 if self._barriers else self.seq
        if limit <= self.delivered:
            return
        count = limit - self.delivered
        entries, self._unshown = self._unshown[:count], self._unshown[count:]
        self.delivered = limit
        self._door.deliver(self.session_id, entries)

    def _ack_up_to(self, last: int) -> None:
        """Everything up to `last` is in the log."""
        self.birth = False
        self._kept.take(self._tail, last, self._clock())
        self.acked = max(self.acked, last)
        if self._barriers or self._unshown:
            self._release(self.acked)
        self._acks.tell(self.acked)
        if self._closed and not self._tail:
            self._leave()
            self._door.let_go(self, resync=False)

    @property
    def _holey(self) -> bool:
        """Was something let go of that is not written?"""
        return bool(self._tail) and self._tail[0].seq > self.acked + 1

    def _leave(self) -> None:
        """Everything is written: let go of the flusher, and of the run, which holds us."""
        self._flusher.remove(self)
        self.recover = None

    def _release(self, last: int) -> None:
        """Lift the barriers up to `last` and show what they held back."""
        while self._barriers and self._barriers[0] <= last:
            self._barriers.pop(0)
        self._show()

    def _rewind(self, last: int) -> bool:
        """The log ends at `last`: go on from there, with what is kept; false when that is too short."""
        if last >= self.acked:
            if last <= self.seq:
                self._ack_up_to(last)
            return last <= self.seq
        back = self._kept.give_back(last)
        if not back:
            return False
        log.warning("the log of %s lost its tail: writing %d events again", self.session_id, len(back))
        self._tail[:0] = back
        self.acked = last
        return True

    def _begin_again(self) -> None:
        """The log is gone: begin a new incarnation, with a snapshot of the run or with what is kept of it."""
        log.warning("the log of %s is gone: a new one begins at %d", self.session_id, self.seq)
        self.incarnation = new_incarnation()
        self._epoch = epoch_of(self.incarnation, self.fence)
        self.birth = True
        known = [*self._kept, *self._tail]
        self._kept.clear()
        self._tail.clear()
        self._unshown.clear()
        if self.recover is not None and self.seq > self._opened_at:
            self._barriers.clear()
            self._begin_at(self.seq, covers=self.active_from - 1)
            for each in self.recover():
                self._give(each)
            self._unshown.clear()
            self.delivered = self.seq
        elif not known and self.seq == self._opened_at:
            # Nothing was said yet: as if the log had been gone at the claim.
            self.seq = self.delivered = self._opened_at = self._told
            self._begin_at(self.seq, covers=self.active_from - 1)
        else:
            base = known[0].seq - 1 if known else self.seq
            self._begin_at(base, covers=base)
            self._tail.extend(Entry(each.seq, self._epoch, each.json, each.known) for each in known)
            self._unshown.extend(each for each in self._tail if each.seq > self.delivered)
        self._verify = True
        self._flusher.mark(self, urgent=True)
        self._door.reborn(self)

    def _begin_at(self, base: int, *, covers: int) -> None:
        self._base = self.acked = base
        self.start = base + 1
        self.covers = covers

    async def _wait_for_ack(self, target: int) -> bool:
        """Wait until a seq is written: a second at most, less when Redis is known to be down."""
        if self.acked >= target:
            return True
        patience = BARRIER_S
        if self._flusher.down_since is not None:
            patience = max(0.0, self._flusher.down_since + BARRIER_S - self._clock())
        if not await self._acks.reach(target, patience):
            return False
        self._check()
        return True
