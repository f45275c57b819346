"""The executor of claims: it executes each under a lease, and follows the reason of its end afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.bus import Bus
from server.claim_loop import ClaimLoop
from server.errors import Fenced, Unavailable
from server.pacing import Pace
from server.runs.conversation.snapshots import Snapshots
from server.runs.crash_points import Point
from server.runs.execution.execution import Execution
from server.runs.execution.follow_up import ExitReason, FollowUp, follow_up
from server.runs.execution.lease import Lease, LeaseKeeper
from server.runs.session_queue import SessionQueue
from server.runs.slots import Slots
from server.store import Claim, Finish, Run, Store
from server.tasks import end_though_cancelled

T = TypeVar("T")

log = logging.getLogger(__name__)


class ClaimExecutor:
    """Executes the claims of one process, keeps their leases, and stops those that are cancelled."""

    def __init__(
        self,
        *,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        services: Mapping[str, Service],
        lease_s: float,
        snapshots: Snapshots,
        queue: SessionQueue,
        point: Point,
        loop: ClaimLoop,
        on_end: Callable[[], None],
    ) -> None:
        """`on_end` is called for an end with a callback."""
        self.slots = Slots()
        self.keeper = LeaseKeeper(store.runs, lease_s)
        self.pace = Pace()
        """Paces the requests of services that reach this process, and their runs here."""
        self._store = store
        self._bus = bus
        self._runner = runner
        self._services = services
        self._snapshots = snapshots
        self._queue = queue
        self._point = point
        self._loop = loop
        self._on_end = on_end
        self._executions: dict[str, Execution] = {}
        self._unbegun: dict[tuple[str, int], Claim] = {}
        """The claims whose execution has not taken its first step, by run and fence."""

    def cancel(self, run_id: str) -> None:
        """Stop a run, if this process executes it."""
        execution = self._executions.get(run_id)
        if execution is not None:
            execution.cancelled.set()

    def cancel_session(self, session_id: str) -> None:
        """Stop the runs of a session that was deleted, before the renewal of their leases notices it."""
        for execution in self._executions.values():
            if execution.run.session_id == session_id:
                execution.cancelled.set()

    def execute(self, claim: Claim, *, queued: bool) -> Coroutine[Any, Any, Finish | None]:
        """Return the execution of a claim, which gives the slot back; `queued` when the run waited in the queue.

        It returns the end that it has committed; None where it leaves the run without one.
        """
        service = self._services.get(claim.session.service)
        self._unbegun[claim.run.id, claim.run.fence] = claim
        return _pace_request(self._execute(claim, queued=queued), self.pace, service)

    async def release_unbegun(self) -> None:
        """Give back, untried, what was claimed and ended before its first step: no execution follows it up."""
        unbegun = list(self._unbegun.values())
        self._unbegun.clear()
        for _ in unbegun:
            self.slots.leave()
        with suppress(Unavailable):
            for each in unbegun:
                await self._store.runs.release(each.run.id, each.run.fence, counted=False)

    async def _execute(self, claim: Claim, *, queued: bool) -> Finish | None:
        """Execute one claim while its lease is kept; losing it ends the execution."""
        run, signals = claim.run, self._loop.signals
        self._unbegun.pop((run.id, run.fence), None)
        lease = self.keeper.keep(run, claim.asked)
        execution = self.prepare(claim, lease, queued=queued)
        self._executions[run.id] = execution
        about = {"run_id": run.id, "session_id": run.session_id}
        reason = ExitReason.FAILED
        try:
            # Another attempt is news to an operator; of each other run its end alone is logged at INFO.
            level = logging.DEBUG if run.attempt == 1 else logging.INFO
            log.log(level, "run started", extra={**about, "fields": {"attempt": run.attempt}})
            await execution.execute()
            reason = ExitReason.DONE
        except asyncio.CancelledError:
            # The keeper of the leases cancels this task when the lease is lost.
            reason = ExitReason.FENCED if lease.lost else ExitReason.DRAINED
            raise
        except Fenced:
            reason = ExitReason.FENCED
        except Unavailable:
            reason = ExitReason.AWAY
            log.warning("run waits until its lease expires, a part is unavailable", extra=about)
        finally:
            if reason is ExitReason.FENCED:
                log.warning("lease lost, the run is left to another instance", extra=about)
            log.debug("execution ended", extra=about)
            await self._follow_up(
                execution,
                lease,
                follow_up(
                    reason,
                    ended=execution.finish is not None,
                    begun=execution.begun,
                    counts=lease.counts,
                    stalled=lease.counts and self.keeper.excuse(lease),
                    attempt=run.attempt,
                    queued=queued,
                    posted=(claim.run.callback_url or claim.session.callback_url) is not None,
                ),
            )
            if signals != self._loop.signals:
                self._loop.look()
        return execution.finish

    async def _follow_up(self, execution: Execution, lease: Lease, what: FollowUp) -> None:
        run = execution.run
        try:
            if what.uncount:
                await end_though_cancelled(_uncount(self._store, run))
        finally:
            self.keeper.drop(lease)
            if self._executions.get(run.id) is execution:
                del self._executions[run.id]
            self.slots.leave()
        if what.announce:
            self._on_end()
        if what.charge:
            await execution.charge_unfinished()
        if what.release:
            with suppress(Unavailable):
                await self._store.runs.release(run.id, run.fence, counted=lease.counts)
        if what.look:
            self._loop.look()

    def prepare(self, claim: Claim, lease: Lease, *, queued: bool) -> Execution:
        """Make the execution of a claim.

        A message leaves the queue that is shown once it is in the log, not before.
        """
        session_id = claim.session.id
        return Execution(
            claim=claim,
            service=self._services.get(claim.session.service),
            store=self._store,
            bus=self._bus,
            runner=self._runner,
            snapshots=self._snapshots,
            lease=lease,
            point=self._point,
            on_open=(lambda: self._queue.show(session_id)) if queued else None,
        )


def _pace_request(
    executing: Coroutine[Any, Any, T], pace: Pace, service: Service | None
) -> Coroutine[Any, Any, T]:
    """Pace the execution of a request; what streams to people is not paced."""
    return pace.run(executing) if service is not None and service.contract is not None else executing


async def _uncount(store: Store, run: Run) -> None:
    """Take back that this was an attempt of the run."""
    with suppress(Unavailable):
        await store.runs.uncount(run.id, run.fence)
