"""The submission of messages and requests: each is stored with its run, and announced when it will wait."""

from collections.abc import Mapping
from typing import TypedDict

from server.bus import Bus
from server.runs import points
from server.runs.immediate_starter import ImmediateStarter
from server.runs.points import Point
from server.store import NO_BUDGET, Budget, Claimant, NewInput, OperatorChange, Owned, Store, Submitted
from server.store.rows import Json
from server.tracing.trace_context import incoming


class NewRequest(TypedDict):
    """A request of a service."""

    content: list[Json]
    language: str
    callback_url: str | None
    """Where the response is posted, if anywhere."""
    private: bool
    """Whether its data is encrypted at rest."""


class InputSubmitter:
    """Stores each message or request as a run of its session, and lets the ImmediateStarter start what was claimed."""

    def __init__(
        self, store: Store, bus: Bus, starter: ImmediateStarter, budgets: Mapping[str, Budget], point: Point
    ) -> None:
        """`budgets` are those of the apps."""
        self._store = store
        self._bus = bus
        self._starter = starter
        self._budgets = budgets
        self._point = point

    async def submit(
        self,
        session: Owned,
        id: str,
        *,
        content: list[Json],
        language: str,
        tools: list[Json] | None = None,
        callback_url: str | None = None,
        operator: OperatorChange | None = None,
        private: bool = False,
    ) -> Submitted:
        """Store an input under its sender's id; the same id again is the same run. Raises what the store raises.

        The data of a `private` one is encrypted at rest.
        """
        self._point(points.BEFORE_SUBMIT)

        given: NewInput = {
            "session_id": session.id,
            "principal": session.principal,
            "client_id": id,
            "budget": self._budgets.get(session.app, NO_BUDGET),
            "content": content,
            "language": language,
            "tools": tools,
            "callback_url": callback_url,
            "trace_context": incoming(),
            "paced": operator is None or operator.kind == "say",
            "operator": operator,
            "private": private,
        }

        async def store_with_announcement(claimant: Claimant | None) -> Submitted:
            """Store the input; when it will wait in the queue, say so in Redis before the commit."""
            if claimant is not None:
                submitted = await self._store.runs.submit_at_once(claimant, **given)
                if submitted is not None:
                    return submitted
            await self._bus.idle_proof.note_waiting(session.id, id)
            submitted = await self._store.runs.submit(claimant=claimant, **given)
            if submitted.claim is None:  # Repeat it: Redis may have lost the first note by now.
                await self._bus.idle_proof.note_waiting(session.id, id)
            return submitted

        return await self._starter.store_and_start(session.id, store_with_announcement)
