"""One claimed run, from its first event to the publication of its end.

Its `RunOutlet` folds what leaves it, so what the execution stores is what was shown.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from server import log as logs
from server.agents.run.runner import AgentRunner, Result, RunInput
from server.agents.service import RunLimits, Service
from server.bus import Bus
from server.errors import Fenced, InstanceLost, Internal, ServiceGone, Unavailable
from server.protocol.events import Event
from server.runs import crash_points
from server.runs.conversation.conversation_cache import Conversation
from server.runs.conversation.paths import locate_branch, read_before
from server.runs.conversation.pictures import pictures_of
from server.runs.conversation.snapshots import Snapshots
from server.runs.crash_points import Point
from server.runs.execution.ending import (
    end_event,
    finish_of,
    give_up_finish,
    last_finish,
    nothing_done,
    result_without_agents,
    waiting_ids,
)
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS
from server.runs.execution.lease import Lease
from server.runs.execution.opening import opening_events, rewound, snapshot_of_run
from server.runs.execution.outlet import RunOutlet
from server.runs.execution.run_log import log_end
from server.runs.execution.unpublished_ends import show_end_before_commit
from server.store import Claim, Finish, Run, Store, Unreadable, opened_run
from server.tasks import Tasks

log = logging.getLogger(__name__)


class Execution:
    """Executes one claim. The lease's fence guards the run's end, its checkpoints and its events in the log."""

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
        on_open: Callable[[], Awaitable[None]] | None,
    ) -> None:
        """Execute a claim; `on_open` is awaited once the user's message is in the log and shown.

        `service` is None when this version has none of the session's name: the run fails as `service_gone`.
        """
        self.run = claim.run
        self._claim = claim
        self.cancelled = lease.cancelled
        self._service = service
        self._items = (service.limits if service is not None else RunLimits()).history_items
        """Items of the model's history that a run may read."""
        self._store = store
        self._bus = bus
        self._runner = runner
        self._snapshots = snapshots
        self._lease = lease
        self._point = point
        self._on_open = on_open
        self.finish: Finish | None = None
        """The end that is committed: there is no lease to give back any more."""
        self.begun = False
        """The run's agents were asked: from here on it is an attempt."""
        self._began = time.monotonic()
        self._tasks = Tasks()
        self._outlet: RunOutlet | None = None

    async def charge_unfinished(self) -> None:
        """Count the cost of a run that has no end because its session was deleted, and delete the session's log."""
        try:
            cost = self._outlet.cost if self._outlet is not None else {}
            gone = await self._store.budgets.charge(self.run.id, self._claim.session, cost)
        except Unavailable:
            log.warning("tokens perhaps not charged, database unavailable", extra={"run_id": self.run.id})
            return
        if gone:  # Events after the deletion went to a new log.
            await self._bus.forget(self.run.session_id)

    async def execute(self) -> None:
        """Run until the end is published; raises Fenced when another holder took over."""
        session, self._trace = self._claim.session, _name_trace(self._runner, self.run)
        if self.run.attempt > HOPELESS_ATTEMPTS:
            await self._give_up()
            return
        alone = self.run.client_id if self._claim.alone else None
        writer = await self._bus.writer(
            session.id,
            fence=self.run.fence,
            floor=session.last_seq,
            reaches=session.published_seq,
            alone=alone,
        )
        try:
            self._claim, self._before, folded = await self._lease.retry_while_held(
                lambda: read_before(self._claim, self._snapshots, self._store, self._items)
            )
            writer.recover = lambda: snapshot_of_run(folded, self.run)
            outlet = RunOutlet(self._claim, self._store, self._lease, writer, folded, self._point)
            self._outlet = outlet
            self._first_seq = writer.seq + 1  # Where the run begins in the log.
            opening = await self._open(outlet)
            await self._end(outlet, await self._work(outlet))
            if opening is not None:
                await opening
        finally:
            await self._tasks.aclose()
            if self._lease.lost:
                writer.fence_off()
            await writer.aclose()

    async def _give_up(self) -> None:
        """End it by SQL alone; the sweep publishes the end. This is tried once, so that no slot is held."""
        self._lease.ending = True
        try:
            self.finish = await _store_lost_end(self._claim, self._service, self._store)
        except Unavailable:
            with suppress(Unavailable):
                await show_end_before_commit(self._claim, self._bus)
            raise

    async def _open(self, outlet: RunOutlet) -> asyncio.Task[None] | None:
        """Publish the start and the user's message, or make whole what an earlier holder left open.

        The agents do not wait for the log here: their next output is shown after it. Returns the task that
        waits; None after a take-over.
        """
        if self._claim.takeover and await self._resume_log(outlet):
            return None
        opening = await outlet.recall(tuple(opening_events(self._claim, outlet.folded, outlet.now_ms())))
        last = outlet.begin_publishing(opening)
        return self._tasks.spawn(self._wait_for_opening(outlet, opening, last), name=f"open {self.run.id}")

    async def _wait_for_opening(self, outlet: RunOutlet, opening: tuple[Event, ...], last: int) -> None:
        with suppress(Fenced):  # The next event raises it as well.
            await outlet.wait_until_published(opening, last)
            if self._on_open is not None:
                await self._on_open()

    async def _resume_log(self, outlet: RunOutlet) -> bool:
        """Fold the run's log of the earlier holder and rewind it to the last checkpoint; False when it is gone."""
        entries = await self._bus.reader.read(self.run.session_id, self._claim.session.last_seq) or []
        await outlet.recall(tuple([entry.event for entry in entries]))
        for entry in entries:
            outlet.folded.apply(entry.event)
            if (entry.event["type"], entry.event.get("runId")) == ("RUN_STARTED", self.run.id):
                self._first_seq = entry.seq
        if outlet.folded.run is None or outlet.folded.run.id != self.run.id:
            return False
        await outlet.publish(*outlet.folded.close_events())
        await outlet.publish(*rewound(self._claim))
        return True

    async def _work(self, outlet: RunOutlet) -> Result:
        if self.run.cancel:
            self.cancelled.set()
        known = result_without_agents(self._claim, cancelled=self.cancelled.is_set())
        if known is not None:
            return known
        if self._service is None:
            log.warning("the session's service does not exist any more: %r", self._claim.session.service)
            return nothing_done(self._claim, "error", ServiceGone.code)
        run_input = await _read_input(self._claim, self._service, self._before, self._store, self._lease)
        if run_input is None:
            return nothing_done(self._claim, "error", InstanceLost.code)
        self.begun = True
        try:
            return await self._runner.run(run_input, outlet)
        except (Fenced, Unavailable, asyncio.CancelledError):
            raise
        except Exception:
            # The border of a run: after any failure in it, its client gets an end.
            log.exception("run failed")
            return nothing_done(self._claim, "error", Internal.code)

    async def _end(self, outlet: RunOutlet, result: Result) -> None:
        """Close what is open, commit the end, then publish it; only then may the next queued run be claimed.

        Raises Fenced for an error that comes when the lease is over: timeouts that passed while the process stood
        still say nothing about the model or the tools, so the next attempt decides.
        """
        run = self.run
        if result.outcome == "error" and self._lease.is_over:
            self._lease.counts = True
            raise Fenced
        await outlet.publish_postponed()
        kept = waiting_ids(result.interrupts)
        waited = [] if run.kind == "note" else outlet.folded.settle_events(kept)
        closing = (*waited, *outlet.folded.close_events(kept))
        await outlet.wait_until_published(closing, outlet.begin_publishing(closing))
        end = end_event(
            run.session_id,
            run.id,
            result.outcome,
            result.code,
            language=run.language,
            usage=result.usage,
            interrupts=result.interrupts,
        )
        outlet.folded.apply(end)
        finish = finish_of(
            self._claim,
            result,
            self._service,
            messages=outlet.messages(),
            first_seq=self._first_seq,
            last_seq=outlet.writer.seq,
            trace_context=self._trace,
        )
        self._point(crash_points.BEFORE_FINISH)
        await self._lease.finish(lambda: self._store.runs.finish(run.id, run.fence, finish))
        self.finish = finish
        log_end(self._claim, result, outlet.cost, self._began)
        self._point(crash_points.AFTER_FINISH)
        await outlet.writer.publish(end)
        self._point(crash_points.AFTER_APPEND)
        await self._lease.retry_while_held(lambda: self._store.runs.mark_published(run.id, run.fence))
        self._point(crash_points.AFTER_PUBLISHED)
        after = self._before.after(
            run.id,
            outlet.folded.messages,
            result.items,
            older=outlet.folded.older,
            most_items=self._items,
        )
        await self._snapshots.keep(run.session_id, after)


async def _store_lost_end(claim: Claim, service: Service | None, store: Store) -> Finish:
    """Commit that a run is lost, with what began it; where that fails without, so that its session goes on."""
    run = claim.run
    try:
        finish = give_up_finish(await locate_branch(claim, store))
        await store.runs.finish(run.id, run.fence, finish)
    except (Fenced, Unavailable):
        raise
    except Exception:
        # The last resort: it would be claimed again after each lease, and its session's next run never.
        log.exception("a lost run ends without its message", extra={"run_id": run.id})
        finish = last_finish(claim, service)
        await store.runs.finish(run.id, run.fence, finish)
    return finish


def _name_trace(runner: AgentRunner, run: Run) -> str | None:
    """Return what the run's callbacks continue, and name its trace in the lines of this task, which ends with it."""
    trace = runner.context_of(run)
    logs.trace_id.set(trace.trace_id if trace is not None else None)
    return str(trace) if trace is not None else None


async def _read_input(
    claim: Claim, service: Service, before: Conversation, store: Store, lease: Lease
) -> RunInput | None:
    """Return what the agents are asked; None where the request was sealed with another secret."""
    try:
        run = opened_run(claim.run, store.seal)
    except Unreadable:
        log.warning("a request cannot be opened: LOOPWIRE_SECRET is another than when it was stored")
        return None
    run_input = RunInput(
        run=run,
        session=claim.session,
        service=service,
        history=[dict(item) for item in before.items],
        checkpoint=claim.checkpoint,
        deadline_s=service.limits.seconds,
    )
    items = run_input.items()
    pictures = await lease.retry_while_held(lambda: pictures_of(items, claim.session, store))
    return replace(run_input, pictures=pictures)
