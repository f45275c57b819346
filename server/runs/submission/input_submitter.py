"""The submission of inputs: each is stored with its run, started here when it was claimed, and else announced."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict, Unpack

from server.bus import Bus
from server.pacing import run_in_steps
from server.runs import crash_points
from server.runs.crash_points import Point
from server.runs.submission.immediate_starter import ImmediateStarter
from server.store import (
    NO_BUDGET,
    Budget,
    Claimant,
    GivenAnswer,
    NewInput,
    OperatorChange,
    SessionOwner,
    Store,
    Submitted,
    UnstoredSession,
)
from server.store.rows import Json
from server.tasks import Tasks
from server.tracing.trace_context import incoming


class RequestTerms(TypedDict):
    """The handling of a request of a service."""

    callback_url: NotRequired[str | None]
    """The address to which the response is posted, if any."""
    private: NotRequired[bool]
    """Whether its data is encrypted at rest."""
    is_request: NotRequired[bool]
    """Whether it needs no answer before it: more of these may wait than messages."""
    waited_ms: NotRequired[int | None]
    """The time that its sender waits: one that failed and is worth repeating, or was stopped after it, is a new run."""


class NewRequest(RequestTerms):
    """A request of a service."""

    content: list[Json]
    language: str


class InputSubmitter:
    """Stores each message, request or answer as a run of its session, with a slot in hand where one is free."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        starter: ImmediateStarter,
        tasks: Tasks,
        budgets: Mapping[str, Budget],
        point: Point,
    ) -> None:
        """`tasks` are the worker's, which end after its drain; `budgets` are those of the apps."""
        self._store = store
        self._bus = bus
        self._starter = starter
        self._tasks = tasks
        self._budgets = budgets
        self._point = point

    async def submit(
        self,
        session: SessionOwner | UnstoredSession,
        id: str,
        *,
        content: list[Json],
        language: str,
        tools: list[Json] | None = None,
        operator: OperatorChange | None = None,
        branch: Json | None = None,
        kind: str = "agent",
        **terms: Unpack[RequestTerms],
    ) -> Submitted:
        """Store an input under its sender's id; the same id again is the same run. Raises what the store raises.

        A new session is stored in the same transaction.

        The data of a `private` one is encrypted at rest. The sender may disconnect during the commit, and a claimed run
        must still be executed: see `Tasks.complete`.
        """
        self._point(crash_points.BEFORE_SUBMIT)
        given: NewInput = {
            "session_id": session.id,
            "principal": session.principal,
            "client_id": id,
            "budget": self._budgets.get(session.app, NO_BUDGET),
            "content": content,
            "language": language,
            "tools": tools,
            "trace_context": incoming(),
            "paced": operator is None or operator.has_words,
            "operator": operator,
            "branch": branch,
            "kind": kind,
            **terms,
            "unstored_session": session if isinstance(session, UnstoredSession) else None,
        }
        return await self._tasks.complete(run_in_steps(self._submit(given)), name="submit")

    async def _submit(self, given: NewInput) -> Submitted:
        async with self._starter.reserve() as slot:
            submitted = await self._store_input(given, slot.claimant)
            await self._starter.start(slot, given["session_id"], submitted)
            return submitted

    async def _store_input(self, given: NewInput, claimant: Claimant | None) -> Submitted:
        """Store an input; when it will wait in the queue, say so in Redis before the commit."""
        if claimant is not None:
            submitted = await self._store.runs.submit_at_once(claimant, **given)
            if submitted is not None:
                return submitted
        session_id, id = given["session_id"], given["client_id"]
        await self._bus.idle_proof.note_waiting(session_id, id)
        submitted = await self._store.runs.submit(claimant=claimant, **given)
        if submitted.claim is None:  # Repeat it: Redis may have lost the first note by now.
            await self._bus.idle_proof.note_waiting(session_id, id)
        return submitted

    async def resume(
        self,
        session: SessionOwner,
        id: str,
        given: Sequence[GivenAnswer],
        language: str,
        *,
        callback_url: str | None,
    ) -> Submitted:
        """Store the answers to interrupts with the run that goes on with them. Raises what the store raises."""
        self._point(crash_points.BEFORE_SUBMIT)
        return await self._tasks.complete(
            self._resume(session, id, given, language, callback_url, incoming()), name="submit"
        )

    async def _resume(
        self,
        session: SessionOwner,
        id: str,
        given: Sequence[GivenAnswer],
        language: str,
        callback_url: str | None,
        trace_context: str | None,
    ) -> Submitted:
        async with self._starter.reserve() as slot:
            submitted = await self._store.interrupts.resume(
                session_id=session.id,
                principal=session.principal,
                client_id=id,
                given=given,
                language=language,
                callback_url=callback_url,
                claimant=slot.claimant,
                budget=self._budgets.get(session.app, NO_BUDGET),
                trace_context=trace_context,
            )
            await self._starter.start(slot, session.id, submitted)
            return submitted
