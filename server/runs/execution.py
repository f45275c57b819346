"""One claimed run, from its first event to the moment its end is told.

The execution is the runner's way out: it folds what it appends, so what it stores is what was shown.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from server.agents.context import ToolLedger, public_state
from server.agents.run.runner import AgentRunner, Result, Turn
from server.agents.service import RunLimits, Service
from server.bus import Bus, Writer
from server.errors import Fenced, InstanceLost, Internal, ServiceGone, Unavailable
from server.protocol.events import Event
from server.protocol.transcript import Transcript
from server.runs import points
from server.runs.conversation_cache import Conversation
from server.runs.disposal import MAX_ATTEMPTS
from server.runs.ending import end_event, finish_of, give_up_finish, nothing_done, now_ms, waiting_ids
from server.runs.lease import Lease
from server.runs.older_messages import as_change, may_change, recall
from server.runs.opening import opening_events, rewound, snapshot_of_run
from server.runs.points import Point
from server.runs.references import References, cut, is_large
from server.runs.snapshots import Snapshots
from server.runs.sweep import show_ended
from server.store import Checkpoint, Claim, Store
from server.tasks import Tasks

HOPELESS_ATTEMPTS = MAX_ATTEMPTS + 2
"""Past this even ending it as lost has failed, so it is ended without its log."""

log = logging.getLogger(__name__)


class Execution:
    """Executes one claim; the lease's fence guards every write to SQL and to the log."""

    def __init__(
        self,
        *,
        claim: Claim,
        service: Service | None,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        snapshots: Snapshots,
        lease: Lease,
        point: Point,
        opened: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Execute a claim; `opened` is awaited once the user's message is in the log and shown.

        `service` is None when this version has none of the session's name: the run fails as `service_gone`.
        """
        self.run = claim.run
        self.cancelled = lease.cancelled
        self._claim = claim
        self._service = service
        self._items = (service.limits if service is not None else RunLimits()).history_items
        """Of the model's history, those that a run may read."""
        self._store = store
        self._bus = bus
        self._runner = runner
        self._snapshots = snapshots
        self._lease = lease
        self._point = point
        self._opened = opened
        self.ended = False
        """The end is committed, so there is no lease to give back."""
        self.begun = False
        """Its agents were asked: from here on it is an attempt."""
        self._first_seq = 0
        """Where the run begins in the log."""
        self._postponed: list[Event] = []
        """What was told as the agents were left, and may change a message that is not read yet."""
        self._spent: dict[str, Any] = {}
        """What it has cost by the time its agents were left."""
        self._references = References(store, claim.session)
        self._tasks = Tasks()
        self._before: Conversation
        self._folded: Transcript
        self._writer: Writer

    @property
    def ledger(self) -> ToolLedger:
        """The tool ledger, for the runner."""
        return self._store.ledger

    # The outlet, as the runner sees it.

    def append(self, event: Event) -> None:
        """Show a delta at once; it reaches the log within the bus's window."""
        if may_change(event, self._folded):
            self._postponed.append(event)  # Nobody is there to wait until what it changes is read.
            return
        if event["type"] == "ACTIVITY_SNAPSHOT" and is_large(event):
            event = cut(event)  # Nobody is there to wait until it is stored.
        self._folded.apply(event)
        self._writer.append(event)
        self._point(f"append.{event['type']}")

    async def commit(self, *committed: Event) -> None:
        """Write events to the log before anybody sees them; what is too large for it is told as a reference."""
        committed = await self._recall_changed(await self._references.within(committed))
        await self._settle(committed, self._give_events(committed))

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store where a take-over continues, under the fence; insist while the lease lasts."""
        await self._lease.retry_while_held(
            lambda: self._store.runs.checkpoint(self.run.id, self.run.fence, checkpoint)
        )

    async def room(self) -> None:
        """Wait while too much is shown but not yet in the log."""
        await self._writer.room()

    def spent(self, usage: dict[str, Any]) -> None:
        """Remember what it cost, for the case that it never gets an end."""
        self._spent = usage

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages this run made or changed: an answer folds the question of an earlier run."""
        revised = (self._folded.message(each) for each in self._folded.revised)
        own = self._folded.run_messages(self.run.id)
        return [*own, *(each for each in revised if each is not None)]

    def now_ms(self) -> int:
        """Milliseconds since the epoch, for the events' timestamps."""
        return now_ms()

    async def _recall_changed(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Read the old messages that these events change, and give the events as they are told."""
        session_id, bodies = self.run.session_id, self._store.messages.bodies
        await recall(
            events, self._folded, lambda ids: self._lease.retry_while_held(lambda: bodies(session_id, ids))
        )
        return tuple([as_change(each, self._folded) for each in events])

    def _give_events(self, committed: tuple[Event, ...]) -> int:
        for event in committed:
            self._folded.apply(event)
        return self._writer.give(*committed)

    async def _settle(self, committed: tuple[Event, ...], last: int) -> None:
        await self._writer.settle(last)
        for event in committed:
            self._point(f"commit.{event['type']}")

    async def _settle_later(self, committed: tuple[Event, ...], last: int) -> None:
        with suppress(Fenced):  # Whatever is told next learns of it too.
            await self._settle(committed, last)
            if self._opened is not None:
                await self._opened()

    async def charge_unfinished(self) -> None:
        """Where its conversation is gone, and every run that could tell of it: count its cost, forget its words."""
        try:
            gone = await self._store.budgets.charge(self.run.id, self._claim.session, self._spent)
        except Unavailable:
            log.warning("tokens perhaps not counted, database unavailable", extra={"run_id": self.run.id})
            return
        if gone:  # What was said after the deletion stands in a log of its own.
            await self._bus.forget(self.run.session_id)

    # The course of a run.

    async def execute(self) -> None:
        """Run to the told end; raises Fenced when another holder took over."""
        session = self._claim.session
        if self.run.attempt > HOPELESS_ATTEMPTS:
            await self._give_up()
            return
        alone = self.run.client_id if self._claim.alone else None
        self._writer = await self._bus.writer(
            session.id, fence=self.run.fence, floor=session.last_seq, told=session.told_seq, alone=alone
        )
        try:
            self._before = await self._lease.retry_while_held(
                lambda: self._snapshots.conversation(session, self._items)
            )
            self._folded = Transcript.of(
                self._before.messages, public_state(session.state), older=self._before.older
            )
            self._first_seq = self._writer.seq + 1
            self._writer.recover = lambda: snapshot_of_run(self._folded, self.run)
            opening = await self._open()
            await self._end(await self._work())
            if opening is not None:
                await opening
        finally:
            await self._tasks.aclose()
            if self._lease.lost:
                self._writer.fence_off()
            with suppress(Fenced):
                await self._writer.aclose()

    async def _give_up(self) -> None:
        """End it by SQL alone; the sweep tells it. What refuses even that is asked once, so that no slot is held."""
        self._lease.ending = True
        try:
            await self._store.runs.finish(self.run.id, self.run.fence, give_up_finish(self._claim))
        except Unavailable:
            with suppress(Unavailable):
                await show_ended(self._claim, self._bus)
            raise
        self.ended = True

    async def _open(self) -> asyncio.Task[None] | None:
        """Publish the start and the user's message, or make whole what an earlier holder left open.

        The agents do not wait for the log here: what they say next is shown after it. Gives who does.
        """
        if self._claim.takeover and await self._resume_log():
            return None
        opening = await self._recall_changed(tuple(opening_events(self._claim, self._folded, self.now_ms())))
        last = self._give_events(opening)
        return self._tasks.spawn(self._settle_later(opening, last), name=f"open {self.run.id}")

    async def _resume_log(self) -> bool:
        """Fold the run's log of the earlier holder and rewind it to the last checkpoint; False when it is gone."""
        entries = await self._bus.read(self.run.session_id, self._claim.session.last_seq) or []
        await self._recall_changed(tuple([entry.event for entry in entries]))
        for entry in entries:
            self._folded.apply(entry.event)
            if (entry.event["type"], entry.event.get("runId")) == ("RUN_STARTED", self.run.id):
                self._first_seq = entry.seq
        if self._folded.run is None or self._folded.run.id != self.run.id:
            return False
        await self.commit(*self._folded.close_events())
        await self.commit(*rewound(self._claim))
        return True

    async def _work(self) -> Result:
        session, run = self._claim.session, self.run
        if run.cancel:
            self.cancelled.set()
        if self.cancelled.is_set() and not self._claim.takeover:
            return nothing_done(self._claim, "cancelled", None)
        if run.kind == "note":
            return nothing_done(self._claim, "success", None)
        if run.attempt > MAX_ATTEMPTS:
            return nothing_done(self._claim, "error", InstanceLost.code)
        if self._service is None:
            log.warning("session of a service that is gone: %r", session.service)
            return nothing_done(self._claim, "error", ServiceGone.code)
        turn = Turn(
            run=run,
            session=session,
            service=self._service,
            history=[dict(item) for item in self._before.history or ()],
            checkpoint=self._claim.checkpoint,
            deadline_s=self._service.limits.seconds,
        )
        self.begun = True
        try:
            return await self._runner.run(turn, self)
        except (Fenced, Unavailable, asyncio.CancelledError):
            raise
        except Exception:
            log.exception("run failed")
            return nothing_done(self._claim, "error", Internal.code)

    async def _end(self, result: Result) -> None:
        """Close what is open, commit the end, then tell it; only then may the next queued run be claimed.

        Raises Fenced for an error that comes when the lease is over: timeouts that passed while the process stood
        still say nothing about the model or the tools, so the next attempt decides.
        """
        run = self.run
        if result.outcome == "error" and self._lease.is_over:
            self._lease.counts = True
            raise Fenced
        if self._postponed:
            await self.commit(*self._postponed)
        kept = waiting_ids(result.interrupts)
        waited = [] if run.kind == "note" else self._folded.settle_events(kept)
        closing = (*waited, *self._folded.close_events(kept))
        await self._settle(closing, self._give_events(closing))
        end = end_event(
            run.session_id,
            run.id,
            result.outcome,
            result.code,
            language=run.language,
            usage=result.usage,
            interrupts=result.interrupts,
        )
        self._folded.apply(end)
        finish = finish_of(
            result,
            self._service,
            messages=self.messages(),
            first_seq=self._first_seq,
            last_seq=self._writer.seq,
        )
        self._point(points.BEFORE_FINISH)
        await self._lease.finish(lambda: self._store.runs.finish(run.id, run.fence, finish))
        self.ended = True
        self._point(points.AFTER_FINISH)
        await self._writer.commit(end)
        self._point(points.AFTER_APPEND)
        await self._lease.retry_while_held(lambda: self._store.runs.mark_told(run.id, run.fence))
        self._point(points.AFTER_TOLD)
        after = self._before.after(
            run.id,
            self._folded.messages,
            result.items,
            older=self._folded.older,
            most_items=self._items,
        )
        await self._snapshots.keep(run.session_id, after)
