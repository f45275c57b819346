"""The worker of a process: it claims runs for its free slots, and ends in order when the process does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.bus import Bus
from server.claim_loop import ClaimLoop
from server.runs.conversation.snapshots import Snapshots
from server.runs.crash_points import Point
from server.runs.execution.claim_executor import ClaimExecutor
from server.runs.execution.local_ends import LocalEnds
from server.runs.execution.sweep import Sweep
from server.runs.session_queue import SessionQueue
from server.store import Claim, Claimant, Store
from server.tasks import Tasks, happens_within

POLL_S = 1.0


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
        point: Point,
        on_end: Callable[[], None],
    ) -> None:
        """`on_end` is called for an end with a callback."""
        self.ends = LocalEnds()
        self.tasks = Tasks()  # They execute runs and store inputs, and end after the drain.
        self._watch = Tasks()  # The sweep, which ends with the claiming.
        self._keeping = Tasks()  # The renewal of leases, which ends last.
        self._store = store
        self._bus = bus
        self._owner = owner
        self._lease_s = lease_s
        self._loop = ClaimLoop(self, poll_s=POLL_S, name="runs")
        self.executor = ClaimExecutor(
            store=store,
            bus=bus,
            runner=runner,
            services=services,
            lease_s=lease_s,
            snapshots=snapshots,
            queue=queue,
            point=point,
            loop=self._loop,
            on_end=on_end,
        )
        self.slots = self.executor.slots

    def start(self, capacity: int) -> None:
        """Begin to execute runs, at most `capacity` at once; 0 leaves them to other processes."""
        self._bus.signals.on_cancel(self.executor.cancel)
        self._bus.signals.on_revoked(self.executor.cancel_session)
        if not capacity:
            return
        self.slots.open(capacity)
        self._bus.signals.on_wake(self._loop.signal)
        self._bus.signals.enlist()
        self._keeping.spawn(self.executor.keeper.run(), name="runs keep")
        self._loop.start()
        sweep = Sweep(self._store, self._bus, self._lease_s, self.announce_due)
        self._watch.spawn(sweep.run(), name="runs sweep")

    async def aclose(self, *, drain_s: float) -> None:
        """Claim no more, let what runs end within `drain_s`, and give the rest back to the queue."""
        self._loop.claiming = False
        await self._bus.signals.retire()
        await self._loop.stop()
        await self._watch.aclose()
        await happens_within(self.slots.idle, drain_s)
        await self._loop.aclose()
        await self.tasks.aclose()
        await self.executor.release_unbegun()
        await self._keeping.aclose()

    @property
    def claiming(self) -> bool:
        """Return whether the worker still takes runs."""
        return self._loop.running

    async def announce_due(self) -> None:
        """Signal this process and the others that a run may be due."""
        await self._bus.signals.wake()

    async def stop(self, run_ids: Iterable[str]) -> None:
        """Stop runs wherever they are executed."""
        for run_id in run_ids:
            await self._bus.signals.cancel(run_id)

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

    def _spawn(self, claim: Claim, *, queued: bool) -> None:
        executing = self.tasks.spawn(self.executor.execute(claim, queued=queued), name=f"run {claim.run.id}")
        self.ends.follow(claim.run.id, executing)
