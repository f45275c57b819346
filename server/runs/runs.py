"""The queue of runs as this process serves it: it takes input, claims what is due, and tells what was left untold."""

import asyncio
import logging
import random
from collections.abc import Mapping
from contextlib import suppress

from server.agents.runner import AgentRunner
from server.agents.service import Service
from server.bus import Bus, BusDown
from server.errors import Fenced, Unavailable
from server.protocol.commands import Cancel, Message
from server.protocol.envelope import Ack, Queue, QueueItem
from server.runs import points
from server.runs.execution import Execution
from server.runs.lease import Lease
from server.runs.points import Point
from server.runs.snapshots import Snapshot, Snapshots
from server.runs.sweep import tell_untold
from server.store import Claim, Run, Session, Store
from server.tasks import Tasks

POLL_S = 1.0
SWEEP_S = 2.0

log = logging.getLogger(__name__)


class Runs:
    """Takes input in on any instance and executes runs on those that were started with a capacity."""

    def __init__(
        self,
        *,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        services: Mapping[str, Service],
        owner: str,
        lease_s: float,
        point: Point = points.nowhere,
    ) -> None:
        self.snapshots = Snapshots(store, bus)
        self._store = store
        self._bus = bus
        self._runner = runner
        self._services = services
        self._owner = owner
        self._lease_s = lease_s
        self._point = point
        self._due = asyncio.Event()
        self._tasks = Tasks()
        self._loops = Tasks()
        self._executions: dict[str, Execution] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._capacity = asyncio.Semaphore(1)

    async def start(self, *, capacity: int) -> None:
        """Begin to claim runs, at most `capacity` at once; 0 leaves them to the workers."""
        self._bus.on_cancel(self._stop)
        if capacity:
            self._capacity = asyncio.Semaphore(capacity)
            self._bus.on_wake(self._due.set)
            self._loops.spawn(self._claim_due(), name="runs claim")
            self._loops.spawn(self._sweep(), name="runs sweep")

    async def aclose(self, *, drain_s: float) -> None:
        """Claim no more, let what runs end within `drain_s`, and give the rest back to the queue."""
        await self._loops.aclose()
        with suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                await self._idle.wait()
        await self._tasks.aclose()

    async def submit(self, session: Session, message: Message, language: str) -> Ack:
        """Commit a message and its run, then acknowledge; the same id again is acknowledged as a duplicate."""
        self._point(points.BEFORE_SUBMIT)
        submitted = await self._store.runs.submit(
            session_id=session.id,
            principal=session.principal,
            client_id=message.id,
            content=[part.model_dump() for part in message.content],
            language=language,
        )
        self._point(points.AFTER_SUBMIT)
        if not submitted.dup:
            self._due.set()
            await self._doorbell()
            if submitted.queued:
                await self.tell_queue(session.id)
        return Ack(
            id=message.id,
            dup=submitted.dup or None,
            run_id=submitted.run_id,
            message_id=submitted.message_id,
        )

    async def cancel(self, session: Session, cancel: Cancel) -> Ack:
        """Stop a queued or running run, here or elsewhere; one that has ended stays as it is."""
        stopped = await self._store.runs.request_cancel(
            session.id, run_id=cancel.run_id, client_id=cancel.message_id
        )
        if stopped is not None:
            if stopped.state == "running":
                self._stop(stopped.run_id)
                with suppress(BusDown):
                    await self._bus.signal_cancel(stopped.run_id)
            elif stopped.state == "queued":
                await self.tell_queue(session.id)
        if stopped is None:
            return Ack(id=cancel.id)
        return Ack(id=cancel.id, run_id=stopped.run_id)

    async def snapshot(self, session_id: str) -> Snapshot:
        """Return the conversation as it stands."""
        return await self.snapshots.take(session_id)

    async def queue(self, session_id: str) -> Queue:
        """Return the frame of what waits behind the running answer."""
        waiting = await self._store.runs.queue(session_id)
        return Queue(
            items=[
                QueueItem(run_id=one.run_id, message_id=one.message_id, id=one.client_id, text=one.text)
                for one in waiting
                if not one.cancel
            ]
        )

    async def tell_queue(self, session_id: str) -> None:
        """Show every socket of the session what waits; losing it is allowed, and no reason to fail what tells it."""
        with suppress(Unavailable):
            await self._bus.notify(session_id, (await self.queue(session_id)).encode())

    async def _doorbell(self) -> None:
        with suppress(BusDown):
            await self._bus.wake()

    def _stop(self, run_id: str) -> None:
        execution = self._executions.get(run_id)
        if execution is not None:
            execution.cancelled.set()

    async def _claim_due(self) -> None:
        """Claim until nothing is due, then wait for the doorbell or the poll."""
        while True:
            self._due.clear()
            await self._capacity.acquire()
            claim = await self._claim()
            if claim is not None:
                self._tasks.spawn(self._held(claim), name=f"run {claim.run.id}")
                continue
            self._capacity.release()
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._due.wait()

    async def _claim(self) -> Claim | None:
        try:
            return await self._store.runs.claim(self._owner, self._lease_s)
        except Unavailable:
            log.warning("no run claimed, database unavailable")
        except Exception:
            # The one task that claims for every session: a bug in one claim must not end them all.
            log.exception("no run claimed")
        return None

    async def _held(self, claim: Claim) -> None:
        """Execute one claim while its lease is kept; whichever ends first ends the other.

        A run that failed in our hands is not given back: it is tried again when its lease has expired, not at once.
        """
        run, name = claim.run, claim.session.service
        lease = Lease(self._store, run, self._lease_s)
        execution = Execution(
            claim=claim,
            service=self._services.get(name) or Service(name, start="", agents=dict),  # Gone: the run fails.
            store=self._store,
            bus=self._bus,
            runner=self._runner,
            snapshots=self.snapshots,
            lease=lease,
            point=self._point,
        )
        self._executions[run.id] = execution
        self._idle.clear()
        tasks = Tasks()
        failed = False
        try:
            log.info("run started", extra={"run_id": run.id, "session_id": run.session_id})
            keeping = tasks.spawn(lease.keep(), name=f"lease {run.id}")
            working = tasks.spawn(execution.execute(), name=f"execute {run.id}")
            await self.tell_queue(run.session_id)
            await asyncio.wait({keeping, working}, return_when=asyncio.FIRST_COMPLETED)
            failed = working.done() and working.exception() is not None
            log.info("run left", extra={"run_id": run.id, "session_id": run.session_id})
        finally:
            await tasks.aclose()
            if self._executions.get(run.id) is execution:
                del self._executions[run.id]
            if not self._executions:
                self._idle.set()
            self._capacity.release()
            if not failed and not execution.ended:
                with suppress(Unavailable):
                    await self._store.runs.release(run.id, run.fence)
            self._due.set()

    async def _sweep(self) -> None:
        """Tell the ends that a crash left committed but untold."""
        while True:
            await asyncio.sleep(SWEEP_S * random.uniform(0.8, 1.2))  # noqa: S311 - spreads instances, no secret
            try:
                untold = await self._store.runs.untold(self._lease_s / 2)
            except Unavailable:
                log.warning("sweep put off, database unavailable")
                continue
            for run in untold:
                await self._tell(run)

    async def _tell(self, run: Run) -> None:
        """Tell one end; what keeps it from being told must not keep the others."""
        try:
            await tell_untold(run, self._store, self._bus)
        except (Unavailable, Fenced) as error:
            log.warning("end not told yet: %s", type(error).__name__, extra={"run_id": run.id})
        except Exception:
            log.exception("end not told", extra={"run_id": run.id})
