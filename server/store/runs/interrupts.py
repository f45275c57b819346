"""Answers to what waits: each interrupt is answered once, and its answer is a run that continues the one that asked."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from sqlalchemy import JSON, Connection, Executable, Row, String, bindparam, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from server.errors import Answered, BadFrame, Busy, Expired, IdReused, NotFound, Unauthorized
from server.limits import Limits
from server.protocol.forms import Fault, fault_in
from server.protocol.ids import new_id
from server.store.conversations.budgets import NO_BUDGET, Budget
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, StorePart
from server.store.rows import Checkpoint, Claimant, Given, Interrupt, Json, Submitted
from server.store.runs.interrupt_tables import interrupts
from server.store.runs.submit import NewRun, appending, sent_before, submit_new_run
from server.store.tables import checkpoints, runs, sessions

Pair = tuple[Any, Given]
"""A row of `_MEANT` and its answer."""

ASKING_S = 0.25
"""When to send an answer again whose question is on the screen, but not in the database yet."""

_INTERRUPT = [interrupts.c[name] for name in Interrupt.__dataclass_fields__]


class Misfit(Exception):
    """An answer does not fit what was asked. It is no error for the client yet: the store knows no language."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.key)


class Interrupts(StorePart):
    """Answers, expires and reads interrupts."""

    def __init__(self, database: Database, limits: Limits) -> None:
        super().__init__(database)
        self._limits = limits

    @cached_property
    def _append(self) -> Executable:
        return appending(self._database.insert(runs), self._limits)

    async def resume(
        self,
        *,
        session_id: str,
        principal: str,
        client_id: str,
        given: Sequence[Given],
        language: str,
        claimant: Claimant | None = None,
        budget: Budget = NO_BUDGET,
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
            budget=budget,
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
        """What a run ended with, in the order of asking."""
        query = select(*_INTERRUPT).where(interrupts.c.run_id == run_id).order_by(interrupts.c.created_at)
        return [Interrupt(**row._mapping) for row in await self._database.fetch(query)]

    async def open_in(self, session_id: str) -> list[Interrupt]:
        """What a session waits for, in the order of asking."""
        query = (
            select(*_INTERRUPT)
            .where(interrupts.c.session_id == session_id, interrupts.c.status == "open")
            .order_by(interrupts.c.created_at)
        )
        return [Interrupt(**row._mapping) for row in await self._database.fetch(query)]

    async def due(self, but: Collection[str] = ()) -> list[str]:
        """Sessions in which the time of something open is over, the longest over first, a hundred at most.

        Those in `but` are left out: whoever cannot close them would be given them again and again.
        """
        given = {"but": list(but)}
        return [row.session_id for row in await self._database.fetch(_DUE, given)]

    async def expire(self, session_id: str) -> str | None:
        """Close what is due in a session and store the note that tells it; gives the note's run, None without any."""
        work = partial(_expire, append=self._append, session_id=session_id)
        return await self._database.run_write(work)


_session = bindparam("of_session", type_=String())

_DUE = (
    select(interrupts.c.session_id)
    .where(interrupts.c.status == "open", interrupts.c.expires_at <= now_ms())
    .where(interrupts.c.session_id.not_in(bindparam("but", type_=String())))
    .group_by(interrupts.c.session_id)
    .order_by(func.min(interrupts.c.expires_at))
    .limit(100)
)
_run = bindparam("of_run", type_=String())

_LOCK = (
    select(sessions.c.id, sessions.c.principal, sessions.c.language)
    .where(sessions.c.id == _session)
    .with_for_update()
)

_MEANT = (
    select(
        *_INTERRUPT,
        interrupts.c.run_id,
        interrupts.c.status,
        (interrupts.c.expires_at <= now_ms()).label("late"),
    )
    .where(
        interrupts.c.session_id == _session,
        or_(
            interrupts.c.id.in_(bindparam("ids")),
            interrupts.c.call_id.in_(bindparam("calls")),
        ),
    )
    .order_by(interrupts.c.created_at)
)

_AT_WORK = select(runs.c.id).where(runs.c.session_id == _session, runs.c.status != "finished").limit(1)

_ANSWER = (
    update(interrupts)
    .where(interrupts.c.id == bindparam("this"), interrupts.c.status == "open")
    .values(
        status=bindparam("becomes", type_=String()),
        answer=bindparam("payload", type_=JSON(none_as_null=True)),
        answered_by=bindparam("by_run", type_=String()),
        closed_at=now_ms(),
    )
)

_LATE_OF = select(*_INTERRUPT).where(interrupts.c.run_id == _run, interrupts.c.status == "expired")

_TOOLS = select(runs.c.tools).where(runs.c.id == _run)

_MOVE = (
    update(checkpoints)
    .where(checkpoints.c.run_id == _run)
    .values(run_id=bindparam("to_run", type_=String()))
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
    .returning(*_INTERRUPT, interrupts.c.run_id)
)

_OPEN_OF = select(interrupts.c.id).where(interrupts.c.run_id == _run, interrupts.c.status == "open").limit(1)

_FORGET = checkpoints.delete().where(checkpoints.c.run_id == _run)


def _resume(connection: Connection, *, append: Executable, new: NewRun, given: Sequence[Given]) -> Submitted:
    """Lock the session, judge every answer, then store the run and move the checkpoint to it."""
    locked = connection.execute(_LOCK, {"of_session": new.session_id}).first()
    if locked is None or locked.principal != new.principal:
        raise NotFound(id=new.client_id)
    pairs = _pair_answers(connection, new, given)
    content = [_part("resume", row, each) for row, each in pairs]
    first = _find_first(connection, new, content)
    if first is not None:
        return first
    parent = _judge(connection, new, pairs)
    late = [_part("expired", row) for row in connection.execute(_LATE_OF, {"of_run": parent})]
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
        raise Expired(id=new.client_id)
    if run.claim is None:
        return run
    return replace(run, claim=replace(run.claim, checkpoint=Checkpoint(**moved._mapping)))


def _pair_answers(connection: Connection, new: NewRun, given: Sequence[Given]) -> list[Pair]:
    """The interrupt of each answer; NotFound when one is none of this session's."""
    ids = [each.interrupt_id for each in given if each.interrupt_id is not None]
    calls = [each.call_id for each in given if each.call_id is not None]
    rows = connection.execute(_MEANT, {"of_session": new.session_id, "ids": ids, "calls": calls}).all()
    by_id = {row.id: row for row in rows}
    by_call = {row.call_id: row for row in rows if row.kind == "tool"}
    found = [by_id.get(each.interrupt_id) or by_call.get(each.call_id) for each in given]
    pairs = [(row, each) for row, each in zip(found, given, strict=True) if row is not None]
    if len(pairs) != len(given):
        if _at_work(connection, new):
            # People see a question before the run that asks it has ended, and are quick: it may be one of those.
            raise Busy(id=new.client_id, retry_after=ASKING_S)
        raise NotFound(id=new.client_id)
    if len({row.id for row, _ in pairs}) != len(pairs):
        raise BadFrame("An interrupt is answered twice.", id=new.client_id)
    return pairs


def _part(type_: str, row: Row[Any], given: Given | None = None) -> Json:
    """What the run keeps of an answer, or of one that never came: all that it needs to tell it."""
    part: Json = {"type": type_, "interrupt_id": row.id, "call_id": row.call_id}
    part |= {"kind": row.kind, "block_id": row.block_id}
    return part if given is None else part | {"status": given.status, "payload": given.payload}


def _find_first(connection: Connection, new: NewRun, content: list[Json]) -> Submitted | None:
    """Find what became of this very frame when it was stored before. Raises IdReused for another one with its id."""
    known = sent_before(connection, new)
    if known is None:
        return None
    if [each for each in known.content if each["type"] == "resume"] != content:
        raise IdReused(id=new.client_id)
    return Submitted(known.id, known.message_id, dup=True, queued=0)


def _judge(connection: Connection, new: NewRun, pairs: list[Pair]) -> str:
    """Refuse what came too late or does not fit; gives the run that asked."""
    for row, given in pairs:
        if row.status == "expired" or (row.status == "open" and row.late):
            raise Expired(id=new.client_id)
        if row.status != "open":
            raise Answered(id=new.client_id)
        fault = fault_in(row.schema, given.payload) if given.status == "resolved" else None
        if fault:
            raise Misfit(fault)
    asked = {row.run_id for row, _ in pairs}
    if len(asked) != 1:
        raise BadFrame("Only interrupts of one run can be answered at once.", id=new.client_id)
    if _at_work(connection, new):
        # A message would have overridden them: it is another answer that runs, or a note. Soon they can be answered.
        raise Busy(id=new.client_id, retry_after=1.0)
    return str(asked.pop())


def _at_work(connection: Connection, new: NewRun) -> bool:
    return connection.execute(_AT_WORK, {"of_session": new.session_id}).first() is not None


def _expire(connection: Connection, *, append: Executable, session_id: str) -> str | None:
    """Close what is due; a run that nothing can continue any more loses its checkpoint."""
    locked = connection.execute(_LOCK, {"of_session": session_id}).first()
    due = connection.execute(_EXPIRE, {"of_session": session_id}).all() if locked is not None else []
    if locked is None or not due:
        return None
    for run_id in {row.run_id for row in due}:
        if connection.execute(_OPEN_OF, {"of_run": run_id}).first() is None:
            connection.execute(_FORGET, {"of_run": run_id})
    note = NewRun(
        session_id=session_id,
        principal=locked.principal,
        client_id=new_id("exp"),
        content=[_part("expired", row) for row in due],
        language=locked.language,
        kind="note",
        parent_run_id=None,
        tools=None,
        claimant=None,
    )
    try:
        return submit_new_run(connection, append, note).run_id
    except Unauthorized:  # Revoked: there is nobody to tell.
        return None
