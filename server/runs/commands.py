"""The commands of people on runs: submit, answer, cancel; and the views of the queue and of snapshots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Unpack

from server.agents.run.runner import AgentRunner
from server.agents.service import Service
from server.agents.tools.registry import RegisteredTool
from server.bus import Bus
from server.errors import BadAnswer, BadFrame
from server.html.answer_words import fault_sentence
from server.limits import Limits
from server.protocol.commands import Cancel, ClientTool, ImagePart, Message, Part
from server.protocol.content_parts import page_data
from server.protocol.envelope import Ack, Queue
from server.runs.conversation.pictures import image_part
from server.runs.conversation.snapshots import ConversationSnapshot, Snapshots
from server.runs.crash_points import Point
from server.runs.execution.follow_up import HOPELESS_ATTEMPTS
from server.runs.session_queue import SessionQueue
from server.runs.submission.immediate_starter import ImmediateStarter
from server.runs.submission.input_submitter import InputSubmitter, NewRequest
from server.runs.submission.operators import OperatorCommands
from server.runs.submission.versions import VersionCommands
from server.runs.worker import Worker
from server.store import Budget, Finish, GivenAnswer, Misfit, SessionOwner, Store
from server.store.rows import Json

LATE_S = 5.0
"""Seconds that a run may be due before readers get `degraded`: no worker seems to take it up."""


class RunCommands:
    """Runs as all parts but the agents see them: the commands of people, and what people are shown."""

    def __init__(
        self,
        *,
        store: Store,
        bus: Bus,
        runner: AgentRunner,
        services: Mapping[str, Service],
        worker: Worker,
        snapshots: Snapshots,
        queue: SessionQueue,
        point: Point,
        budgets: Mapping[str, Budget],
        limits: Limits,
    ) -> None:
        """`budgets` are those of the apps."""
        self.worker = worker
        self.snapshots = snapshots
        self._store = store
        self._runner = runner
        self._services = services
        self._queue = queue
        starter = ImmediateStarter(worker, queue, point)
        submitter = InputSubmitter(store, bus, starter, worker.tasks, budgets, point)
        self._submitter = submitter
        self.operators = OperatorCommands(submitter)
        most = limits.versions_per_message
        self.versions = VersionCommands(
            store=store,
            submitter=submitter,
            most=most,
            content=self._content,
            tools=self._tools_of,
        )

    async def submit(self, session: SessionOwner, message: Message, language: str) -> Ack:
        """Commit a message and its run, then acknowledge; the same id again is acknowledged as a duplicate.

        A run with no run before it begins here at once, when a slot is free; else any free worker claims it.
        """
        known = self._services.get(session.service)
        if known is not None and known.contract is not None:
            raise BadFrame(f"This service takes requests at {known.contract.path}, and no messages.")
        submitted = await self._submitter.submit(
            session,
            message.id,
            content=[*await self._content(session, message.content), *page_data(message.context)],
            language=language,
            tools=self._tools_of(session, message.tools or ()),
        )
        return Ack(
            id=message.id,
            dup=submitted.dup or None,
            run_id=submitted.run_id,
            message_id=submitted.message_id,
        )

    def _tools_of(self, session: SessionOwner, tools: Sequence[ClientTool]) -> list[Json]:
        """Return the tools of a page as they are stored, without the ignored ones.

        Raises BadFrame where it may have none.
        """
        known = self._services.get(session.service)
        if tools and known is not None and not known.client_tools:
            raise BadFrame("This service takes no tools of a page.")
        ignored = self.ignored_tools(session, (tool.name for tool in tools))
        return [tool.model_dump() for tool in tools if tool.name not in ignored]

    def ignored_tools(self, session: SessionOwner, names: Iterable[str]) -> list[str]:
        """Return the names of a page's tools that the agents do not get, since the service has tools of these names."""
        return sorted(self._runner.taken_names(session.app, session.service, names))

    async def _content(self, session: SessionOwner, parts: Sequence[Part]) -> list[Json]:
        """Return the parts of a message as they are stored; its pictures are kept from now on, and have their size.

        Raises NotFound for a picture that was not uploaded to the session.
        """
        ids = [part.blob_id for part in parts if isinstance(part, ImagePart)]
        if not ids:
            return [part.model_dump() for part in parts]
        sizes = await self._store.blobs.keep_images(ids, session_id=session.id, principal=session.principal)
        return [
            image_part(session.id, part.blob_id, *sizes[part.blob_id])
            if isinstance(part, ImagePart)
            else part.model_dump()
            for part in parts
        ]

    async def submit_request(self, session: SessionOwner, id: str, **request: Unpack[NewRequest]) -> str:
        """Commit a request of a service with its run, whose id is returned; the same id again is the same run."""
        return (await self._submitter.submit(session, id, **request)).run_id

    async def wait_for_end_here(self, run_id: str, seconds: float) -> Finish | None:
        """Return the committed end of a run that this process executes; None where it has to be looked for."""
        return await self.worker.ends.wait(run_id, seconds)

    async def resume(
        self,
        session: SessionOwner,
        id: str,
        given: Sequence[GivenAnswer],
        language: str,
        *,
        callback_url: str | None = None,
    ) -> Ack:
        """Commit the answers to interrupts and the run that goes on with them, then acknowledge.

        What that run answers is posted to `callback_url`, if there is one.
        """
        try:
            submitted = await self._submitter.resume(session, id, given, language, callback_url=callback_url)
        except Misfit as misfit:
            raise BadAnswer(fault_sentence(misfit.fault, language), id=id) from None
        return Ack(id=id, dup=submitted.dup or None, run_id=submitted.run_id)

    def tools(self, app: str, service: str) -> Mapping[str, RegisteredTool]:
        """Return the tools that the agents of a service have here in an app, by name."""
        return self._runner.tools(app, service)

    def shows_reasoning(self, service: Service) -> bool:
        """Return whether the runs of a service show summaries of their model's reasoning."""
        return self._runner.provider.shows_reasoning(service)

    async def cancel(self, session: SessionOwner, cancel: Cancel) -> Ack:
        """Stop a queued or running run, here or elsewhere; one that has ended stays as it is."""
        stopped = await self._store.runs.request_cancel(
            session.id, run_id=cancel.run_id, client_id=cancel.message_id
        )
        if stopped is None:
            return Ack(id=cancel.id)
        if stopped.state == "running":
            await self.worker.stop([stopped.run_id])
        elif stopped.state == "queued":
            await self._queue.show(session.id)
        return Ack(id=cancel.id, run_id=stopped.run_id)

    async def feedback(self, session_id: str) -> dict[str, str]:
        """Return the thumbs that the reader of a session gave, by message id."""
        return await self._store.messages.feedback_of(session_id)

    async def snapshot(self, session_id: str) -> ConversationSnapshot:
        """Return the current conversation."""
        return await self.snapshots.fold_log(session_id)

    async def queue(self, session_id: str) -> Queue:
        """Return the frame of what waits behind the running answer."""
        return await self._queue.read(session_id)

    async def late(self) -> frozenset[str]:
        """Return the sessions that a worker should have claimed by now, and none has."""
        return await self._store.runs.late(LATE_S, HOPELESS_ATTEMPTS)

    async def reached_seqs(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Return the seq that the log of each session reaches when all that is stored and published is in it."""
        return await self._store.sessions.reached_seqs(session_ids)
