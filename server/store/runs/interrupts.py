"""The answers to interrupts: each is answered once, and its answer is a run that continues the one that asked."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial

from sqlalchemy import BindParameter, Connection, Executable, bindparam, func, select, update
from sqlalchemy.exc import IntegrityError

from server.errors import Answered, Expired, Unauthorized
from server.limits import Limits
from server.protocol.content_parts import EXPIRED, RESUME
from server.protocol.ids import new_id
from server.store.conversations.budgets import NO_BUDGET, Budget
from server.store.conversations.revocations import refusal
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, StorePart
from server.store.rows import Checkpoint, Claimant, GivenAnswer, Interrupt, Submitted
from server.store.runs.interrupt_answers import INTERRUPT_COLUMNS, find_first, judge, pair_answers, part_of
from server.store.runs.interrupt_tables import interrupts
from server.store.runs.new_run import NewRun
from server.store.runs.submit import insert_statement, submit_new_run
from server.store.tables import checkpoints, runs, sessions


class Interrupts(StorePart):
    """Answers, expires and reads interrupts."""

    def __init__(self, database: Database, limits: Limits) -> None:
        super().__init__(database)
        self._limits = limits

    @cached_property
    def _append(self) -> Executable:
        return insert_statement(self._limits)

    async def resume(
        self,
        *,
        session_id: str,
        principal: str,
        client_id: str,
        given: Sequence[GivenAnswer],
        language: str,
        callback_url: str | None = None,
        claimant: Claimant | None = None,
        budget: Budget = NO_BUDGET,
        trace_context: str | None = None,
    ) -> Submitted:
        """Answer interrupts of one run and store the run that continues it, with that run's checkpoint as its own.

        All or nothing, in one transaction; the same id again is the same run. Raises NotFound for what is not an
        interrupt of the principal's own session, Answered, Expired, Misfit, IdReused, OverBudget when the day's
        tokens are spent, and Busy while the session has something else to do.
        """
        new = NewRun(
            session_id=session_id,
            principal=principal,
            client_id=client_id,
            content=[],
            language=language,
            kind="agent",
            parent_run_id=None,
            tools=None,
            claimant=claimant,
            callback_url=callback_url,
            budget=budget,
            trace_context=trace_context,
        )
        try:
            return await self._database.run_write(partial(_resume, append=self._append, new=new, given=given))
        except IntegrityError:
            # The index of one running run per session caught a race that the statement could not see: it waits.
            if claimant is None:
                raise
            waiting = replace(new, claimant=None)
            return await self._database.run_write(
                partial(_resume, append=self._append, new=waiting, given=given)
            )

    async def of_run(self, run_id: str) -> list[Interrupt]:
        """Return the interrupts that a run ended with, in the order of asking."""
        query = (
            select(*INTERRUPT_COLUMNS).where(interrupts.c.run_id == run_id).order_by(interrupts.c.created_at)
        )
        return [Interrupt(**row._mapping) for row in await self._database.fetch(query)]

    async def open_in(self, session_id: str) -> list[Interrupt]:
        """Return the open interrupts of a session, in the order of asking."""
        query = (
            select(*INTERRUPT_COLUMNS)
            .where(interrupts.c.session_id == session_id, interrupts.c.status == "open")
            .order_by(interrupts.c.created_at)
        )
        return [Interrupt(**row._mapping) for row in await self._database.fetch(query)]

    async def due(self, but: Collection[str] = ()) -> list[str]:
        """Return the sessions in which the time of something open is over, the longest over first, a hundred at most.

        Those in `but` are left out: a caller that cannot close them would get them again and again.
        """
        given = {"but": list(but)}
        return [row.session_id for row in await self._database.fetch(_DUE, given)]

    async def expire(self, session_id: str) -> str | None:
        """Close what is due in a session and store the note that publishes it; return the note's run, or None."""
        work = partial(_expire, append=self._append, session_id=session_id)
        return await self._database.run_write(work)


_session: BindParameter[str] = bindparam("of_session")

_DUE = (
    select(interrupts.c.session_id)
    .where(interrupts.c.status == "open", interrupts.c.expires_at <= now_ms())
    .where(interrupts.c.session_id.not_in(bindparam("but")))
    .group_by(interrupts.c.session_id)
    .order_by(func.min(interrupts.c.expires_at))
    .limit(100)
)
_run: BindParameter[str] = bindparam("of_run")

_LOCK = (
    select(sessions.c.principal, sessions.c.language, sessions.c.operator)
    .where(sessions.c.id == _session)
    .with_for_update()
)

_ANSWER = (
    update(interrupts)
    .where(interrupts.c.id == bindparam("this"))
    .values(
        status=bindparam("becomes"),
        answer=bindparam("payload"),
        answered_by=bindparam("by_run"),
        closed_at=now_ms(),
    )
)

_LATE_OF = select(*INTERRUPT_COLUMNS).where(interrupts.c.run_id == _run, interrupts.c.status == "expired")

_TOOLS = select(runs.c.tools).where(runs.c.id == _run)

_MOVE = (
    update(checkpoints)
    .where(checkpoints.c.run_id == _run)
    .values(run_id=bindparam("to_run"))
    .returning(*[checkpoints.c[name] for name in Checkpoint.__dataclass_fields__])
)

_EXPIRE = (
    update(interrupts)
    .where(
        interrupts.c.session_id == _session,
        interrupts.c.status == "open",
        interrupts.c.expires_at <= now_ms(),
    )
    .values(status="expired", closed_at=now_ms())
    .returning(*INTERRUPT_COLUMNS, interrupts.c.run_id)
)

_OPEN_OF = select(interrupts.c.id).where(interrupts.c.run_id == _run, interrupts.c.status == "open")

_FORGET = checkpoints.delete().where(checkpoints.c.run_id == _run)


def _resume(
    connection: Connection, *, append: Executable, new: NewRun, given: Sequence[GivenAnswer]
) -> Submitted:
    """Lock the session, judge every answer, then store the run and move the checkpoint to it."""
    locked = connection.execute(_LOCK, {"of_session": new.session_id}).first()
    if locked is None or locked.principal != new.principal:
        raise refusal(connection, new.principal, new.session_id)
    pairs = pair_answers(connection, new, given)
    content = [part_of(RESUME, row, each) for row, each in pairs]
    first = find_first(connection, new, content)
    if first is not None:
        return first
    if (
        locked.operator is not None
    ):  # Its run would go on with an agent; the operator who joined closed the question.
        raise Answered
    parent = judge(connection, new, pairs)
    late = [part_of(EXPIRED, row) for row in connection.execute(_LATE_OF, {"of_run": parent})]
    tools = connection.execute(_TOOLS, {"of_run": parent}).scalar_one()
    run = submit_new_run(
        connection, append, replace(new, content=[*content, *late], parent_run_id=parent, tools=tools)
    )
    answers = [
        {
            "this": row.id,
            "becomes": "answered" if each.status == "resolved" else "cancelled",
            "payload": each.payload,
            "by_run": run.run_id,
        }
        for row, each in pairs
    ]
    connection.execute(_ANSWER, answers)
    moved = connection.execute(_MOVE, {"of_run": parent, "to_run": run.run_id}).first()
    if moved is None:
        raise Expired
    if run.claim is None:
        return run
    return replace(run, claim=replace(run.claim, checkpoint=Checkpoint(**moved._mapping)))


def _expire(connection: Connection, *, append: Executable, session_id: str) -> str | None:
    """Close what is due; a run that nothing can continue any more loses its checkpoint."""
    locked = connection.execute(_LOCK, {"of_session": session_id}).all()
    due = connection.execute(_EXPIRE, {"of_session": session_id}).all()
    if not due:
        return None
    (session,) = locked
    for run_id in {row.run_id for row in due}:
        if connection.execute(_OPEN_OF, {"of_run": run_id}).first() is None:
            connection.execute(_FORGET, {"of_run": run_id})
    note = NewRun(
        session_id=session_id,
        principal=session.principal,
        client_id=new_id("exp"),
        content=[part_of(EXPIRED, row) for row in due],
        language=session.language,
        kind="note",
        parent_run_id=None,
        tools=None,
        claimant=None,
    )
    try:
        return submit_new_run(connection, append, note).run_id
    except Unauthorized:  # The principal is revoked: no client reads the end.
        return None
