"""The queue of a session: an input is stored as a run, exactly once, and can be stopped at any time."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NotRequired, TypedDict, Unpack

from sqlalchemy import Connection, Executable, bindparam, select, update
from sqlalchemy.exc import IntegrityError

from server.errors import NotFound
from server.limits import Limits
from server.protocol.commands import parts_text
from server.protocol.content_parts import INPUT
from server.store.conversations.budgets import NO_BUDGET, Budget
from server.store.engine.batched_reads import BatchedReads
from server.store.engine.database import Database, StorePart, one
from server.store.rows import Claimant, Json, OperatorChange, Queued, Run, Stopped, Submitted, UnstoredSession
from server.store.runs.finish import response_key
from server.store.runs.new_run import NewRun
from server.store.runs.run_rows import RUN_COLUMNS, run_of
from server.store.runs.submit import NotStored, insert_statement, submit_run
from server.store.seal import Seal, Unreadable
from server.store.tables import runs
from server.store.webhooks import Webhooks

log = logging.getLogger(__name__)


class NewInput(TypedDict):
    """An input that is to be stored as a run."""

    session_id: str
    principal: str
    client_id: str
    content: Sequence[Json]
    language: str
    kind: NotRequired[str]
    tools: NotRequired[Sequence[Json] | None]
    budget: NotRequired[Budget]
    paced: NotRequired[bool]
    """Whether the rate of messages holds for it."""
    callback_url: NotRequired[str | None]
    """The address to which the response of a request is posted."""
    trace_context: NotRequired[str | None]
    """The trace that it belongs to."""
    operator: NotRequired[OperatorChange | None]
    """The action of an operator."""
    branch: NotRequired[Json | None]
    """The input's change of the active path."""
    unstored_session: NotRequired[UnstoredSession | None]
    """The session, where it is not stored yet."""
    private: NotRequired[bool]
    """Whether the data of its content is encrypted at rest."""
    is_request: NotRequired[bool]
    """Whether it is a request that needs no answer before it."""
    waited_ms: NotRequired[int | None]
    """The time that its sender waits; only of a request, which is a new run where the first one is worth repeating."""


class RunQueue(StorePart):
    """Submits, shows and stops runs. The session's row is locked while its queue grows."""

    def __init__(self, database: Database, limits: Limits, seal: Seal, webhooks: Webhooks) -> None:
        super().__init__(database)
        self._limits = limits
        self._seal = seal
        self._webhooks = webhooks
        self._waiting = BatchedReads(self._queues)

    @cached_property
    def _append(self) -> Executable:
        return insert_statement(self._limits)

    async def submit(self, *, claimant: Claimant | None = None, **given: Unpack[NewInput]) -> Submitted:
        """Store an input as a run in one transaction; the same id again is the same run.

        With a claimant, and nothing of the session before it, the run is claimed in that transaction; else it is
        queued. Raises NotFound for another's session, Unauthorized for a revoked principal, IdReused for a known id
        with another body, and, storing nothing, Busy when as many runs wait behind the first as may, RateLimited when
        `paced` ones come too fast, and OverBudget when the day's tokens are spent.
        """
        new = self._new_run(claimant, given)
        try:
            submitted = await self._submit(new)
        except IntegrityError:
            # The index of one running run per session caught a race that the statement could not see: it waits.
            if claimant is None:
                raise
            submitted = await self._submit(replace(new, claimant=None))
        assert submitted is not None  # noqa: S101 - only what is wanted at once is not stored where it would wait.
        return submitted

    async def submit_at_once(self, claimant: Claimant, **given: Unpack[NewInput]) -> Submitted | None:
        """Store an input as `submit` does, but only as a run that is claimed with it: None when it would be queued."""
        try:
            return await self._submit(replace(self._new_run(claimant, given), at_once=True))
        except IntegrityError:  # The same race: the run would be queued.
            return None

    async def _submit(self, new: NewRun) -> Submitted | None:
        stored = await self._database.run_write(lambda connection: _store(connection, self._append, new))
        return stored.first if isinstance(stored, NotStored) else stored

    def _new_run(self, claimant: Claimant | None, given: NewInput) -> NewRun:
        tools = given.get("tools")
        return NewRun(
            session_id=given["session_id"],
            principal=given["principal"],
            client_id=given["client_id"],
            content=list(given["content"]),
            language=given["language"],
            kind=given.get("kind", "agent"),
            parent_run_id=None,
            tools=list(tools) if tools else None,
            claimant=claimant,
            budget=given.get("budget", NO_BUDGET),
            pace=self._limits.messages_per_session if given.get("paced") else (),
            callback_url=given.get("callback_url"),
            trace_context=given.get("trace_context"),
            operator=given.get("operator"),
            webhooks=self._webhooks,
            seal=self._seal if given.get("private") else None,
            branch=given.get("branch"),
            unstored_session=given.get("unstored_session"),
            is_request=given.get("is_request", False),
            waited_ms=given.get("waited_ms"),
        )

    async def queue(self, session_id: str) -> list[Queued]:
        """Return the messages that wait to be claimed, in their order."""
        return await self._waiting.get(session_id) or []

    async def aclose(self) -> None:
        """Ask no more."""
        await self._waiting.aclose()

    async def _queues(self, session_ids: list[str]) -> dict[str, list[Queued]]:
        """Find what waits in many sessions."""
        rows = await self._database.fetch(_QUEUED, {"these_sessions": session_ids})
        found: dict[str, list[Queued]] = defaultdict(list)
        for row in rows:
            queued = Queued(
                row.id, row.message_id, row.client_id, parts_text(row.content), row.content, row.cancel
            )
            found[row.session_id].append(queued)
        return found

    async def find_sent(self, session_id: str, client_ids: Sequence[str]) -> dict[str, str]:
        """Return the runs of those inputs that are stored, by the client's ids."""
        query = select(runs.c.client_id, runs.c.id).where(
            runs.c.session_id == session_id, runs.c.client_id.in_(client_ids)
        )
        return {row.client_id: row.id for row in await self._database.fetch(query)}

    async def has_any(self, session_id: str) -> bool:
        """Return whether anything was sent in a session."""
        return bool(
            await self._database.fetch(select(runs.c.id).where(runs.c.session_id == session_id).limit(1))
        )

    async def running(self, session_id: str) -> Run | None:
        """Return the one run that is claimed and has not finished."""
        query = select(*RUN_COLUMNS).where(runs.c.session_id == session_id, runs.c.status == "running")
        found = await self._database.fetch(query)
        return run_of(found[0]) if found else None

    async def get(self, run_id: str) -> Run:
        """Return any run, for the server's own work."""
        found = await self._database.fetch(select(*RUN_COLUMNS).where(runs.c.id == run_id))
        if not found:
            raise NotFound
        return run_of(found[0])

    async def latest_request(self, session_id: str) -> Json | None:
        """Return the data of the newest request of a session; None where there is none, or where it is sealed."""
        query = select(runs.c.content).where(runs.c.session_id == session_id)
        found = await self._database.fetch(query.order_by(runs.c.place.desc()).limit(1))
        data = next((part["data"] for row in found for part in row.content if part["type"] == INPUT), None)
        return data if isinstance(data, dict) else None

    async def response(self, run_id: str) -> Json | list[Json] | None:
        """Return what the request of a run was answered with; None as long as it is not, and where it failed.

        None too where it was sealed with another secret.
        """
        found = await self._database.fetch(select(runs.c.response).where(runs.c.id == run_id))
        try:
            response: Json | list[Json] | None = (
                self._seal.open_json(found[0].response, response_key(run_id)) if found else None
            )
        except Unreadable:
            log.warning("a response cannot be opened: LOOPWIRE_SECRET is another than when it was stored")
            return None
        return response

    async def request_cancel(
        self, session_id: str, *, run_id: str | None = None, client_id: str | None = None
    ) -> Stopped | None:
        """Mark a run as stopped and say what state it was in; None when the session has no such run.

        The run is named by its own id or by its message (the client's id of it, or ours); without a name it
        is the running one, else the next. A queued one stays in the queue: its claimant publishes its end.
        A finished one is left as it is.
        """
        async with self._database.write() as connection:
            found = await one(connection, _name(session_id, run_id, client_id))
            if found is None:
                return None
            stopping = (
                update(runs).where(runs.c.id == found.id, runs.c.status != "finished").values(cancel=True)
            )
            stopped = await one(connection, stopping.returning(runs.c.status))
        return Stopped(found.id, "finished" if stopped is None else stopped.status)


_QUEUED = (
    select(runs.c.session_id, runs.c.id, runs.c.message_id, runs.c.client_id, runs.c.content, runs.c.cancel)
    .where(runs.c.session_id.in_(bindparam("these_sessions")), runs.c.status == "queued")
    .order_by(runs.c.place)
)


def _store(connection: Connection, append: Executable, new: NewRun) -> Submitted | NotStored:
    stored = submit_run(connection, append, new)
    if isinstance(stored, NotStored):
        connection.rollback()
    return stored


def _name(session_id: str, run_id: str | None, client_id: str | None) -> Any:
    query = select(runs.c.id).where(runs.c.session_id == session_id)
    if run_id is not None:
        return query.where(runs.c.id == run_id)
    if client_id is not None:
        return query.where((runs.c.client_id == client_id) | (runs.c.message_id == client_id))
    # The running one is before all that wait.
    return query.where(runs.c.status != "finished").order_by(runs.c.place)
