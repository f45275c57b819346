"""The queue of runs as this process serves it: it takes input, claims what is due, and tells what was left untold."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.bus import Bus
from server.errors import BadAnswer, BadFrame, Fenced, Unavailable
from server.html.answer_words import fault_sentence
from server.protocol.commands import Cancel, Message
from server.protocol.envelope import Ack, Queue, QueueItem
from server.runs import points
from server.runs.execution import HOPELESS_ATTEMPTS, MAX_ATTEMPTS, Execution
from server.runs.lease import Lease, LeaseKeeper
from server.runs.points import Point
from server.runs.slots import Slots
from server.runs.snapshots import ConversationSnapshot, Snapshots
from server.runs.sweep import Sweep
from server.store import NO_BUDGET, Budget, Claim, Claimant, Given, Misfit, MustWait, Owned, Store, Submitted
from server.tasks import Tasks

POLL_S = 1.0
LATE_S = 5.0
"""A run that is due for so long waits for a worker, if there is one: people are told."""


Storing = Callable[[Claimant | None], Awaitable[Submitted]]
"""Stores an input; whoever is named would execute its run at once."""

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
        budgets: Mapping[str, Budget] | None = None,
        ended: Callable[[], None] | None = None,
        snapshots: Snapshots | None = None,
    ) -> None:
        """`budgets` are those of the apps; `ended` hears of an end that somebody wants posted."""
        self.snapshots = snapshots or Snapshots(store, bus)
        self._store = store
        self._bus = bus
        self._runner = runner
        self._services = services
        self._owner = owner
        self._lease_s = lease_s
        self._point = point
        self._budgets = budgets or {}
        self._ended = ended
        self._due = asyncio.Event()
        self._wakes = 0
        """How often somebody said that there may be runs to claim."""
        self._claiming = False
        self._keeper = LeaseKeeper(store.runs, lease_s)
        self._tasks = Tasks()
        self._loops = Tasks()
        self._keeping = Tasks()
        self._executions: dict[str, Execution] = {}
        self._slots = Slots()

    async def start(self, *, capacity: int) -> None:
        """Begin to claim runs, at most `capacity` at once; 0 leaves them to the workers."""
        self._bus.on_cancel(self._stop)
        self._bus.on_revoked(self._stop_in)
        if capacity:
            self._slots.open(capacity)
            self._bus.on_wake(self._note_wake)
            self._bus.enlist()
            self._claiming = True
            self._keeping.spawn(self._keeper.run(), name="runs keep")
            self._loops.spawn(self._claim_due(), name="runs claim")
            sweep = Sweep(self._store, self._bus, self._lease_s, self._sweep_made_due)
            self._loops.spawn(sweep.run(), name="runs sweep")

    async def aclose(self, *, drain_s: float) -> None:
        """Claim no more, let what runs end within `drain_s`, and give the rest back to the queue."""
        if self._claiming:
            self._claiming = False
            await self._bus.retire()
        await self._loops.aclose()
        with suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                await self._slots.idle.wait()
        await self._tasks.aclose()
        await self._keeping.aclose()

    async def submit(self, session: Owned, message: Message, language: str) -> Ack:
        """Commit a message and its run, then acknowledge; the same id again is acknowledged as a duplicate.

        A run that nothing stands before begins here at once, when there is room; else whoever is free claims it.
        """
        tools = [tool.model_dump() for tool in message.tools or []]
        if tools:
            self._require_names(session.service, {tool["name"] for tool in tools})
        self._point(points.BEFORE_SUBMIT)

        def store(claimant: Claimant | None) -> Awaitable[Submitted]:
            return self._store.runs.submit(
                session_id=session.id,
                principal=session.principal,
                client_id=message.id,
                content=[part.model_dump() for part in message.content],
                language=language,
                tools=tools,
                claimant=claimant,
                budget=self._budgets.get(session.app, NO_BUDGET),
                paced=True,
            )

        async def store_with_announcement(claimant: Claimant | None) -> Submitted:
            """Store it; what will wait in the queue says so before it is committed."""
            if claimant is not None:
                with suppress(MustWait):
                    return await store(replace(claimant, insists=True))
            await self._bus.idle_proof.waits(session.id, message.id)
            submitted = await store(claimant)
            if submitted.claim is None:  # Once more: Redis may have lost the first word by now.
                await self._bus.idle_proof.waits(session.id, message.id)
            return submitted

        submitted = await self._store_and_start(session.id, store_with_announcement)
        return Ack(
            id=message.id,
            dup=submitted.dup or None,
            run_id=submitted.run_id,
            message_id=submitted.message_id,
        )

    async def resume(self, session: Owned, id: str, given: Sequence[Given], language: str) -> Ack:
        """Commit the answers to interrupts and the run that goes on with them, then acknowledge."""
        self._point(points.BEFORE_SUBMIT)

        def store(claimant: Claimant | None) -> Awaitable[Submitted]:
            return self._store.interrupts.resume(
                session_id=session.id,
                principal=session.principal,
                client_id=id,
                given=given,
                language=language,
                claimant=claimant,
                budget=self._budgets.get(session.app, NO_BUDGET),
            )

        try:
            submitted = await self._store_and_start(session.id, store)
        except Misfit as misfit:
            raise BadAnswer(fault_sentence(misfit.fault, language), id=id) from None
        return Ack(id=id, dup=submitted.dup or None, run_id=submitted.run_id)

    def _require_names(self, service: str, names: set[str]) -> None:
        """Refuse tools of a page where there may be none, or that are called like ours."""
        known = self._services.get(service)
        if known is not None and not known.client_tools:
            raise BadFrame("This service takes no tools of a page.")
        if names & self._runner.tool_names(service) or any(each.startswith("transfer_to_") for each in names):
            raise BadFrame("A tool of this name exists already.")

    async def _store_and_start(self, session_id: str, store: Storing) -> Submitted:
        """Store an input, and begin its run here when it was claimed with it."""
        # Whoever sent it may go in mid-commit: what was claimed with it is executed all the same.
        storing = self._tasks.spawn(self._store_with_slot(session_id, store), name="submit")
        await asyncio.wait({storing})
        if storing.cancelled():  # Told to leave at once: the client sends it again, to another.
            raise Unavailable(retry_after=1.0)
        submitted = storing.result()
        if isinstance(submitted, Exception):
            raise submitted
        return submitted

    async def _store_with_slot(self, session_id: str, store: Storing) -> Submitted | Exception:
        """Store an input with a slot for its run in hand, if there is one; gives what went wrong as it is."""
        claimant, held = None, False
        if self._claiming and not self._slots.full:
            await self._slots.enter()
            claimant = Claimant(self._owner, self._lease_s)
        else:
            self._slots.begin()
        try:
            submitted = await store(claimant)
            self._point(points.AFTER_SUBMIT)
            if submitted.claim is not None:
                held = True
                self._tasks.spawn(
                    self._execute_claim(submitted.claim, queued=False), name=f"run {submitted.run_id}"
                )
            elif not submitted.dup:
                self._due.set()
                await self._signal_due()
                if submitted.queued:
                    await self.tell_queue(session_id)
            return submitted
        except Exception as error:
            return error
        finally:
            if claimant is None:
                self._slots.release()
            elif not held:
                self._slots.leave()

    async def cancel(self, session: Owned, cancel: Cancel) -> Ack:
        """Stop a queued or running run, here or elsewhere; one that has ended stays as it is."""
        stopped = await self._store.runs.request_cancel(
            session.id, run_id=cancel.run_id, client_id=cancel.message_id
        )
        if stopped is not None:
            if stopped.state == "running":
                self._stop(stopped.run_id)
                await self._bus.signal_cancel(stopped.run_id)
            elif stopped.state == "queued":
                await self.tell_queue(session.id)
        if stopped is None:
            return Ack(id=cancel.id)
        return Ack(id=cancel.id, run_id=stopped.run_id)

    async def feedback(self, session_id: str) -> dict[str, str]:
        """Give the thumbs that the reader of a session gave, by message id."""
        return await self._store.messages.feedback_of(session_id)

    async def snapshot(self, session_id: str) -> ConversationSnapshot:
        """Return the conversation as it stands."""
        return await self.snapshots.take(session_id)

    async def queue(self, session_id: str) -> Queue:
        """Return the frame of what waits behind the running answer: nothing where Redis vouches for that."""
        if await self._bus.idle_proof.idle(session_id):
            return Queue(items=[])
        return await self._queue(session_id)

    async def _queue(self, session_id: str) -> Queue:
        waiting = await self._store.runs.queue(session_id)
        return Queue(
            items=[
                QueueItem(run_id=one.run_id, message_id=one.message_id, id=one.client_id, text=one.text)
                for one in waiting
                if not one.cancel and one.text
            ]
        )

    async def late(self) -> frozenset[str]:
        """Sessions that somebody should have worked on by now, and nobody does."""
        return await self._store.runs.late(LATE_S, HOPELESS_ATTEMPTS)

    async def reached_seqs(self, session_ids: Sequence[str]) -> dict[str, int]:
        """The seq that the log of these sessions reaches to, if it lost nothing, with all that is stored and told."""
        return await self._store.sessions.reached_seqs(session_ids)

    async def tell_queue(self, session_id: str) -> None:
        """Show every socket of the session what waits; losing it is allowed, and no reason to fail what tells it."""
        with suppress(Unavailable):
            await self._bus.notify(session_id, (await self._queue(session_id)).encode())

    def _note_wake(self) -> None:
        self._wakes += 1
        self._due.set()

    async def _sweep_made_due(self) -> None:
        self._due.set()
        await self._signal_due()

    async def _signal_due(self) -> None:
        await self._bus.wake()

    def _stop(self, run_id: str) -> None:
        execution = self._executions.get(run_id)
        if execution is not None:
            execution.cancelled.set()

    def _stop_in(self, session_id: str) -> None:
        """Stop what runs in a session that is no more, before its lease finds out."""
        for execution in self._executions.values():
            if execution.run.session_id == session_id:
                execution.cancelled.set()

    async def _claim_due(self) -> None:
        """Claim until nothing is due, then wait for the signal or the poll."""
        while self._claiming:
            self._due.clear()
            if await self._claim_one():
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._due.wait()

    async def _claim_one(self) -> bool:
        """Wait for a slot and claim what is due; false when nothing is."""
        await self._slots.enter()
        # A drain may come in mid-commit: what was claimed is not left in nobody's hands.
        return await asyncio.shield(self._tasks.spawn(self._claim(), name="claim"))

    async def _claim(self) -> bool:
        """Claim for the slot in hand, and execute it; whoever leaves meanwhile gives it back untried."""
        held = False
        try:
            claim = await self._store.runs.claim(self._owner, self._lease_s)
            if claim is not None and self._claiming:
                held = True
                self._tasks.spawn(self._execute_claim(claim, queued=True), name=f"run {claim.run.id}")
            elif claim is not None:
                await self._store.runs.release(claim.run.id, claim.run.fence, counted=False)
        except Unavailable:
            log.debug("no run claimed, database unavailable")  # It has told the log itself.
        except Exception:
            # The one task that claims for every session: a bug in one claim must not end them all.
            log.exception("no run claimed")
        finally:
            if not held:
                self._slots.leave()
        return held

    async def _execute_claim(self, claim: Claim, *, queued: bool) -> None:
        """Execute one claim while its lease is kept; losing it ends the execution.

        A run that failed in our hands is not given back: it is tried again when its lease has expired, not at once.
        """
        run, wakes = claim.run, self._wakes
        lease = self._keeper.take(run, claim.asked)
        execution = self._execution(claim, lease, queued=queued)
        self._executions[run.id] = execution
        about = {"run_id": run.id, "session_id": run.session_id}
        failed = False
        try:
            log.info("run started", extra=about)
            await execution.execute()
        except Fenced:
            log.warning("run left to another holder", extra=about)
        except Unavailable:
            failed = True
            log.warning("run left until its lease ends, a part is away", extra=about)
            if not execution.begun and not lease.counts and run.attempt <= MAX_ATTEMPTS:
                with suppress(Unavailable):
                    await self._store.runs.uncount(run.id, run.fence)
        except Exception:
            failed = True
            raise
        finally:
            log.info("run left", extra=about)
            self._keeper.drop(lease)
            if self._executions.get(run.id) is execution:
                del self._executions[run.id]
            self._slots.leave()
            if execution.ended and self._ended is not None and claim.session.callback_url is not None:
                self._ended()
            if not execution.ended:
                await execution.charge_unfinished()
            if not failed and not execution.ended:
                with suppress(Unavailable):
                    # Only a drain ends it here with the lease still ours: no fault of the run's.
                    await self._store.runs.release(run.id, run.fence, counted=lease.counts)
            if queued or not execution.ended or wakes != self._wakes:
                self._due.set()

    def _execution(self, claim: Claim, lease: Lease, *, queued: bool) -> Execution:
        """Prepare; a message leaves the queue that is shown when it stands in the log, not before."""
        name, session_id = claim.session.service, claim.session.id
        return Execution(
            claim=claim,
            service=self._services.get(name),
            store=self._store,
            bus=self._bus,
            runner=self._runner,
            snapshots=self.snapshots,
            lease=lease,
            point=self._point,
            opened=(lambda: self.tell_queue(session_id)) if queued else None,
        )
