"""One claimed run, from its first event to the moment its end is told.

The execution is the runner's way out: it folds what it appends, so what it stores is what was shown.
"""

import asyncio
import logging
import time
from contextlib import suppress
from typing import Any

from server.agents.context import Ledger, public_state
from server.agents.runner import AgentRunner, Result, Turn
from server.agents.service import Service
from server.agents.turn import Outcome
from server.bus import Bus, Writer
from server.errors import Fenced, InstanceLost, Internal
from server.protocol import events
from server.protocol.commands import parts_text
from server.protocol.events import Event, ours
from server.protocol.transcript import Transcript
from server.runs import points
from server.runs.lease import Lease
from server.runs.points import Point
from server.runs.snapshots import Snapshots
from server.store import Checkpoint, Claim, Finish, Store

MAX_ATTEMPTS = 2
"""A run that was claimed more often than this ends as lost instead of trying for ever."""

HOPELESS_ATTEMPTS = MAX_ATTEMPTS + 2
"""Past this even ending it as lost has failed, so it is ended without its log."""

log = logging.getLogger(__name__)


class Execution:
    """Executes one claim; the lease's fence guards every write to SQL and to the log."""

    def __init__(
        self,
        *,
        claim: Claim,
        service: Service,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        snapshots: Snapshots,
        lease: Lease,
        point: Point,
    ) -> None:
        self.run = claim.run
        self.cancelled = lease.cancelled
        self._claim = claim
        self._service = service
        self._store = store
        self._bus = bus
        self._runner = runner
        self._snapshots = snapshots
        self._lease = lease
        self._point = point
        self.ended = False
        """The end is committed, so there is no lease to give back."""
        self._first_seq = 0
        """Where the run begins in the log."""
        self._folded: Transcript
        self._writer: Writer

    @property
    def ledger(self) -> Ledger:
        """The tool ledger, for the runner."""
        return self._store.ledger

    # The outlet, as the runner sees it.

    def append(self, event: Event) -> None:
        """Show a delta at once; it reaches the log within the bus's window."""
        self._folded.apply(event)
        self._writer.append(event)
        self._point(f"append.{event['type']}")

    async def commit(self, *committed: Event) -> None:
        """Write events to the log before anybody sees them."""
        for event in committed:
            self._folded.apply(event)
        await self._writer.commit(*committed)
        for event in committed:
            self._point(f"commit.{event['type']}")

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store where a take-over continues, under the fence."""
        await self._store.runs.checkpoint(self.run.id, self.run.fence, checkpoint)

    async def room(self) -> None:
        """Wait while too much is shown but not yet in the log."""
        await self._writer.room()

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages this run made or changed: an answer folds the question of an earlier run."""
        revised = (self._folded.message(each) for each in self._folded.revised)
        return [*self._own_messages(), *(each for each in revised if each is not None)]

    def _own_messages(self) -> list[dict[str, Any]]:
        return self._folded.run_messages(self.run.id)

    def now_ms(self) -> int:
        """Milliseconds since the epoch, for the events' timestamps."""
        return now_ms()

    # The course of a run.

    async def execute(self) -> None:
        """Run to the told end; raises Fenced when another holder took over."""
        session = self._claim.session
        if self.run.attempt > HOPELESS_ATTEMPTS:
            await self._give_up()
            return
        self._writer = await self._bus.writer(session.id, fence=self.run.fence, floor=session.last_seq)
        try:
            self._folded = await self._snapshots.stored(session)
            self._writer.recover = self._own_snapshot
            self._first_seq = self._writer.seq + 1
            await self._open()
            await self._end(await self._work())
        finally:
            if self._lease.lost.is_set():
                self._writer.fence_off()
            with suppress(Fenced):
                await self._writer.aclose()

    async def _give_up(self) -> None:
        """End a run that no attempt could even report on, by SQL alone; the sweep tells it."""
        told = self._unanswered()
        told.apply(end_event(self.run.session_id, self.run.id, "error", InstanceLost.code))
        result = self._nothing_done("error", InstanceLost.code)
        finish = Finish(
            outcome=result.outcome,
            code=result.code,
            messages=told.messages,
            state=result.state,
            items=result.items,
            agent=result.agent,
            last_seq=self._claim.session.last_seq,
            status_line=STATUS_LINES["error"],
        )
        await self._lease.insist(lambda: self._store.runs.finish(self.run.id, self.run.fence, finish))
        self.ended = True

    async def _open(self) -> None:
        """Publish the start and the user's message, or make whole what an earlier holder left open."""
        if self._claim.takeover and await self._resume_log():
            return
        run = self.run
        opening = [
            events.run_started(run.session_id, run.id, attempt=run.attempt, kind=run.kind, at=self.now_ms())
        ]
        opening.extend(self._user_message())
        if self._claim.checkpoint is not None:
            opening.extend(self._rewind(self._claim.checkpoint))
        await self.commit(*opening)

    def _user_message(self) -> list[Event]:
        run = self.run
        text = parts_text(run.content)
        return [
            events.text_start(
                run.message_id, "user", at=run.created_at, client_id=run.client_id, content=run.content
            ),
            events.text_content(run.message_id, text),
            events.text_end(run.message_id),
        ]

    async def _resume_log(self) -> bool:
        """Fold the run's log of the earlier holder and rewind it to the last checkpoint; False when it is gone."""
        entries = await self._bus.read(self.run.session_id, self._claim.session.last_seq) or []
        for entry in entries:
            self._folded.apply(entry.event)
        if self._folded.run is None or self._folded.run.id != self.run.id:
            return False
        self._first_seq = entries[0].seq
        await self.commit(*self._folded.close_events())
        await self.commit(*self._rewind(self._claim.checkpoint))
        return True

    def _rewind(self, checkpoint: Checkpoint | None) -> list[Event]:
        if checkpoint is not None:
            messages, state = checkpoint.messages, checkpoint.state
        else:
            messages, state = self._unanswered().messages, self._claim.session.state
        own = [each for each in messages if ours(each).get("run_id") == self.run.id]
        revised = [each for each in messages if ours(each).get("run_id") != self.run.id]
        return [
            events.messages_snapshot(own, scope="run", attempt=self.run.attempt),
            *(events.activity(each["id"], each["activityType"], each["content"]) for each in revised),
            events.state_snapshot(public_state(state)),
        ]

    def _unanswered(self) -> Transcript:
        """Fold the run as it stands before any agent did anything."""
        fresh = Transcript.of([], {})
        fresh.apply(events.run_started(self.run.session_id, self.run.id, attempt=self.run.attempt))
        for event in self._user_message():
            fresh.apply(event)
        return fresh

    def _own_snapshot(self) -> list[Event]:
        """Return what a log that lost everything must begin with: this run so far, and what it changed before it."""
        folded = self._folded
        own = folded.only(self._own_messages())
        begun = [
            events.messages_snapshot(event["messages"], scope="run", attempt=self.run.attempt)
            if event["type"] == "MESSAGES_SNAPSHOT"
            else event
            for event in own.snapshot_events(self.run.session_id)
        ]
        revised = (folded.message(each) for each in folded.revised)
        changed = [
            events.activity(each["id"], each["activityType"], each["content"]) for each in revised if each
        ]
        return [*begun, *changed]

    async def _work(self) -> Result:
        session, run = self._claim.session, self.run
        if run.cancel:
            self.cancelled.set()
        if self.cancelled.is_set() and not self._claim.takeover:
            return self._nothing_done("cancelled", None)
        if run.attempt > MAX_ATTEMPTS:
            return self._nothing_done("error", InstanceLost.code)
        turn = Turn(
            run=run,
            session=session,
            service=self._service,
            history=await self._snapshots.history(session),
            checkpoint=self._claim.checkpoint,
            deadline_s=self._service.limits.seconds,
        )
        try:
            return await self._runner.run(turn, self)
        except (Fenced, asyncio.CancelledError):
            raise
        except Exception:
            log.exception("run failed")
            return self._nothing_done("error", Internal.code)

    def _nothing_done(self, outcome: Outcome, code: str | None) -> Result:
        checkpoint, session = self._claim.checkpoint, self._claim.session
        items = (
            checkpoint.items if checkpoint else [{"role": "user", "content": parts_text(self.run.content)}]
        )
        return Result(
            outcome=outcome,
            code=code,
            items=items,
            agent=checkpoint.agent if checkpoint else session.agent,
            usage={},
            interrupts=[],
            state=dict(checkpoint.state if checkpoint else session.state),
        )

    async def _end(self, result: Result) -> None:
        """Close what is open, commit the end, then tell it; only then may the next queued run be claimed."""
        await self.commit(*self._folded.close_events())
        end = end_event(
            self.run.session_id,
            self.run.id,
            result.outcome,
            result.code,
            usage=result.usage,
            interrupts=result.interrupts,
        )
        self._folded.apply(end)
        title, line = self._service.status(result.state)
        finish = Finish(
            outcome=result.outcome,
            code=result.code,
            messages=self.messages(),
            state=result.state,
            items=result.items,
            agent=result.agent,
            usage=result.usage,
            first_seq=self._first_seq,
            last_seq=self._writer.seq,
            title=title,
            status_line=line if result.outcome == "success" else STATUS_LINES.get(result.outcome, line),
        )
        await self._writer.flush()
        self._point(points.BEFORE_FINISH)
        await self._lease.insist(lambda: self._store.runs.finish(self.run.id, self.run.fence, finish))
        self.ended = True
        self._point(points.AFTER_FINISH)
        await self._writer.commit(end)
        self._point(points.AFTER_APPEND)
        await self._lease.insist(lambda: self._store.runs.told(self.run.id, self.run.fence))
        self._point(points.AFTER_TOLD)


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return int(time.time() * 1000)


STATUS_LINES = {"cancelled": "stopped", "error": "failed", "interrupt": "waiting"}


def end_event(
    session_id: str,
    run_id: str,
    outcome: str,
    code: str | None,
    *,
    usage: dict[str, Any] | None = None,
    interrupts: list[Any] | None = None,
) -> Event:
    """Return the run's last event for its outcome."""
    if outcome == "error":
        return events.run_error(code or Internal.code, code or Internal.code, run_id=run_id, at=now_ms())
    told: dict[str, Any] = {"type": outcome}
    if outcome == "interrupt":
        told["interrupts"] = interrupts or []
    return events.run_finished(session_id, run_id, told, [usage] if usage else None, at=now_ms())
