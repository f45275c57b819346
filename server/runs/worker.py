"""The worker: it claims runs for its slots, executes them under a lease, and begins at once what it stores itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.bus import Bus
from server.claim_loop import ClaimLoop
from server.errors import Fenced, Unavailable
from server.pacing import Pace
from server.runs import points
from server.runs.conversation.snapshots import Snapshots
from server.runs.execution.execution import Execution
from server.runs.execution.follow_up import ExitReason, FollowUp, follow_up
from server.runs.execution.lease import Lease, LeaseKeeper
from server.runs.execution.sweep import Sweep
from server.runs.points import Point
from server.runs.session_queue import SessionQueue
from server.runs.slots import Slots
from server.store import Claim, Claimant, Run, Store
from server.tasks import Tasks, end_though_cancelled

POLL_S = 1.0

log = logging.getLogger(__name__)


class Worker:
    """Executes runs in this process, for as many slots as it has."""

    def __init__(
        self,
        *,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        services: Mapping[str, Service],
        owner: str,
        lease_s: float,
        snapshots: Snapshots,
        queue: SessionQueue,
        point: Point = points.pass_on,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        """`on_end` is called for an end with a callback."""
        self.slots = Slots()
        self.keeper = LeaseKeeper(store.runs, lease_s)
        self._store = store
        self._bus = bus
        self._runner = runner
        self._services = services
        self._owner = owner
        self._lease_s = lease_s
        self._snapshots = snapshots
        self._queue = queue
        self._point = point
        self._on_end = on_end
        self.pace = Pace()  # Of the requests of services that come to this process, and of their runs here.
        self._loop = ClaimLoop(self, poll_s=POLL_S, name="runs")
        self.tasks = Tasks()  # They execute runs and store inputs, and end after the drain.
        self._watch = Tasks()  # The sweep, which ends with the claiming.
        self._keeping = Tasks()  # The renewal of leases, which ends last.
        self._executions: dict[str, Execution] = {}

    def start(self, capacity: int) -> None:
        """Begin to execute runs, at most `capacity` at once; 0 leaves them to other processes."""
        self._bus.signals.on_cancel(self.cancel)
        self._bus.signals.on_revoked(self.cancel_in)
        if not capacity:
            return
        self.slots.open(capacity)
        self._bus.signals.on_wake(self._loop.signal)
        self._bus.signals.enlist()
        self._keeping.spawn(self.keeper.run(), name="runs keep")
        self._loop.start()
        sweep = Sweep(self._store, self._bus, self._lease_s, self.announce_due)
        self._watch.spawn(sweep.run(), name="runs sweep")

    async def aclose(self, *, drain_s: float) -> None:
        """Claim no more, let what runs end within `drain_s`, and give the rest back to the queue."""
        if self._loop.claiming:
            self._loop.claiming = False
            await self._bus.signals.retire()
        await self._loop.stop()
        await self._watch.aclose()
        with suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                await self.slots.idle.wait()
        await self._loop.aclose()
        await self.tasks.aclose()
        await self._keeping.aclose()

    @property
    def claiming(self) -> bool:
        """Whether it still takes runs."""
        return self._loop.running

    async def announce_due(self) -> None:
        """Say here and elsewhere that something may be due."""
        self._loop.look()
        await self._bus.signals.wake()

    def cancel(self, run_id: str) -> None:
        """Stop a run, if it is executed here."""
        execution = self._executions.get(run_id)
        if execution is not None:
            execution.cancelled.set()

    def cancel_in(self, session_id: str) -> None:
        """Stop what runs in a session that is no more, before its lease finds out."""
        for execution in self._executions.values():
            if execution.run.session_id == session_id:
                execution.cancelled.set()

    def claimant(self) -> Claimant | None:
        """Return the claimant of runs here; None where none are claimed, or there is no slot."""
        return Claimant(self._owner, self._lease_s) if self._loop.claiming and not self.slots.full else None

    def start_claimed(self, claim: Claim) -> None:
        """Execute a run that was claimed with its input, with the slot in hand."""
        self._spawn(claim, queued=False)

    # Calls of the claim loop.

    async def enter(self) -> None:
        """Wait for a slot."""
        await self.slots.enter()

    def leave(self) -> None:
        """Give the slot back."""
        self.slots.leave()

    async def claim(self) -> Claim | None:
        """Claim a run that is due."""
        return await self._store.runs.claim(self._owner, self._lease_s)

    def begin(self, claimed: Claim) -> None:
        """Execute it."""
        self._spawn(claimed, queued=True)

    async def give_back(self, claimed: Claim) -> None:
        """Give it back untried."""
        await self._store.runs.release(claimed.run.id, claimed.run.fence, counted=False)

    # Execution.

    def _spawn(self, claim: Claim, *, queued: bool) -> None:
        service = self._services.get(claim.session.service)
        executing = _pace_request(self._execute(claim, queued=queued), self.pace, service)
        self.tasks.spawn(executing, name=f"run {claim.run.id}")

    async def _execute(self, claim: Claim, *, queued: bool) -> None:
        """Execute one claim while its lease is kept; losing it ends the execution."""
        run, signals = claim.run, self._loop.signals
        lease = self.keeper.take(run, claim.asked)
        execution = self.prepare(claim, lease, queued=queued)
        self._executions[run.id] = execution
        about = {"run_id": run.id, "session_id": run.session_id}
        reason = ExitReason.FAILED
        try:
            log.info("run started", extra=about)
            await execution.execute()
            reason = ExitReason.DONE
        except asyncio.CancelledError:
            reason = ExitReason.DRAINED
            raise
        except Fenced:
            reason = ExitReason.FENCED
            log.warning("run taken over by another instance", extra=about)
        except Unavailable:
            reason = ExitReason.AWAY
            log.warning("run waits until its lease expires, a part is unavailable", extra=about)
        finally:
            log.info("execution ended", extra=about)
            await self._follow_up(
                execution,
                lease,
                follow_up(
                    reason,
                    ended=execution.ended,
                    begun=execution.begun,
                    counts=lease.counts,
                    attempt=run.attempt,
                    queued=queued,
                    posted=(claim.run.callback_url or claim.session.callback_url) is not None,
                ),
            )
            if signals != self._loop.signals:
                self._loop.look()

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
        if what.announce and self._on_end is not None:
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

        A message leaves the queue that is shown when it stands in the log, not before.
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
    executing: Coroutine[Any, Any, None], pace: Pace, service: Service | None
) -> Coroutine[Any, Any, None]:
    """Pace the execution of a request; what streams to people is not paced."""
    return pace.run(executing) if service is not None and service.contract is not None else executing


async def _uncount(store: Store, run: Run) -> None:
    """Take back that this was an attempt of the run."""
    with suppress(Unavailable):
        await store.runs.uncount(run.id, run.fence)
