"""The commands of people on runs, and what they are shown: submit, answer, cancel, the queue, snapshots."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Unpack

from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.agents.tools.registry import RegisteredTool
from server.bus import Bus
from server.errors import BadAnswer, BadFrame, Unavailable
from server.html.answer_words import fault_sentence
from server.protocol.commands import Cancel, ImagePart, Message
from server.protocol.envelope import Ack, Queue, QueueItem
from server.runs import points
from server.runs.execution import HOPELESS_ATTEMPTS
from server.runs.input_submitter import InputSubmitter, NewRequest
from server.runs.operators import OperatorCommands
from server.runs.pictures import image_part
from server.runs.points import Point
from server.runs.snapshots import ConversationSnapshot, Snapshots
from server.runs.worker import Worker
from server.store import NO_BUDGET, Budget, Claimant, Given, Misfit, Owned, Store, Submitted
from server.store.rows import Json
from server.tracing.trace_context import incoming

LATE_S = 5.0
"""A run that is due for so long waits for a worker, if there is one: people are told."""


class RunCommands:
    """Runs as everybody but the agents sees them: what people do, and what they are shown."""

    def __init__(
        self,
        *,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        services: Mapping[str, Service],
        owner: str,
        lease_s: float,
        point: Point = points.pass_on,
        budgets: Mapping[str, Budget] | None = None,
        on_end: Callable[[], None] | None = None,
        snapshots: Snapshots | None = None,
    ) -> None:
        """`budgets` are those of the apps; `on_end` hears of an end that somebody wants posted."""
        self.snapshots = snapshots or Snapshots(store, bus)
        self._store = store
        self._bus = bus
        self._runner = runner
        self._services = services
        self._point = point
        self._budgets = budgets or {}
        self.worker = Worker(
            store=store,
            bus=bus,
            runner=runner,
            services=services,
            owner=owner,
            lease_s=lease_s,
            snapshots=self.snapshots,
            tell_queue=self.tell_queue,
            point=point,
            on_end=on_end,
        )
        self._submitter = InputSubmitter(store, bus, self.worker.starter, self._budgets, point)
        self.operators = OperatorCommands(self._submitter, self.worker, bus)

    async def start(self, *, capacity: int) -> None:
        """Begin to execute runs, at most `capacity` at once; 0 leaves them to the workers."""
        self._bus.signals.on_cancel(self.worker.cancel)
        self._bus.signals.on_revoked(self.worker.cancel_in)
        if capacity:
            self.worker.start(capacity)

    async def aclose(self, *, drain_s: float) -> None:
        """Let what runs here end within `drain_s`, and give the rest back to the queue."""
        await self.worker.aclose(drain_s=drain_s)

    async def submit(self, session: Owned, message: Message, language: str) -> Ack:
        """Commit a message and its run, then acknowledge; the same id again is acknowledged as a duplicate.

        A run that nothing stands before begins here at once, when there is room; else whoever is free claims it.
        """
        known = self._services.get(session.service)
        if known is not None and known.contract is not None:
            raise BadFrame(f"This service takes requests at {known.contract.path}, and no messages.")
        tools = [tool.model_dump() for tool in message.tools or []]
        if tools:
            self._require_names(session, {tool["name"] for tool in tools})
        submitted = await self._submitter.submit(
            session,
            message.id,
            content=await self._content(session, message),
            language=language,
            tools=tools,
        )
        return Ack(
            id=message.id,
            dup=submitted.dup or None,
            run_id=submitted.run_id,
            message_id=submitted.message_id,
        )

    async def _content(self, session: Owned, message: Message) -> list[Json]:
        """Return the parts of a message as they are stored; its pictures are kept from now on, and have their size.

        Raises NotFound for a picture that was not uploaded to the session.
        """
        ids = [part.blob_id for part in message.content if isinstance(part, ImagePart)]
        if not ids:
            return [part.model_dump() for part in message.content]
        sizes = await self._store.blobs.keep_images(ids, session_id=session.id, principal=session.principal)
        return [
            image_part(session.id, part.blob_id, *sizes[part.blob_id])
            if isinstance(part, ImagePart)
            else part.model_dump()
            for part in message.content
        ]

    async def submit_request(self, session: Owned, id: str, **request: Unpack[NewRequest]) -> str:
        """Commit a request of a service with its run, whose id is returned; the same id again is the same run."""
        return (await self._submitter.submit(session, id, **request)).run_id

    async def resume(
        self,
        session: Owned,
        id: str,
        given: Sequence[Given],
        language: str,
        *,
        callback_url: str | None = None,
    ) -> Ack:
        """Commit the answers to interrupts and the run that goes on with them, then acknowledge.

        What that run answers is posted to `callback_url`, if there is one.
        """
        self._point(points.BEFORE_SUBMIT)

        def store(claimant: Claimant | None) -> Awaitable[Submitted]:
            return self._store.interrupts.resume(
                session_id=session.id,
                principal=session.principal,
                client_id=id,
                given=given,
                language=language,
                callback_url=callback_url,
                claimant=claimant,
                budget=self._budgets.get(session.app, NO_BUDGET),
                trace_context=incoming(),
            )

        try:
            submitted = await self.worker.starter.store_and_start(session.id, store)
        except Misfit as misfit:
            raise BadAnswer(fault_sentence(misfit.fault, language), id=id) from None
        return Ack(id=id, dup=submitted.dup or None, run_id=submitted.run_id)

    def tools(self, app: str, service: str) -> Mapping[str, RegisteredTool]:
        """Return the tools that the agents of a service have here in an app, by name."""
        return self._runner.tools(app, service)

    def _require_names(self, session: Owned, names: set[str]) -> None:
        """Refuse tools of a page where there may be none, or that are called like ours."""
        known = self._services.get(session.service)
        if known is not None and not known.client_tools:
            raise BadFrame("This service takes no tools of a page.")
        if self._runner.has_names(session.app, session.service, names):
            raise BadFrame("A tool of this name exists already.")

    async def cancel(self, session: Owned, cancel: Cancel) -> Ack:
        """Stop a queued or running run, here or elsewhere; one that has ended stays as it is."""
        stopped = await self._store.runs.request_cancel(
            session.id, run_id=cancel.run_id, client_id=cancel.message_id
        )
        if stopped is not None:
            if stopped.state == "running":
                self.worker.cancel(stopped.run_id)
                await self._bus.signals.cancel(stopped.run_id)
            elif stopped.state == "queued":
                await self.tell_queue(session.id)
        return Ack(id=cancel.id, run_id=stopped.run_id if stopped is not None else None)

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
        """Return the seq that the log of each session reaches when all that is stored and published is in it."""
        return await self._store.sessions.reached_seqs(session_ids)

    async def tell_queue(self, session_id: str) -> None:
        """Show every socket of the session what waits; losing it is allowed, and no reason to fail what tells it."""
        with suppress(Unavailable):
            await self._bus.notify(session_id, (await self._queue(session_id)).encode())
