"""The checks of an answer to an interrupt: it is of this session, in time, the first one, and fits the form."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, Row, bindparam, or_, select

from server.errors import Answered, BadFrame, Busy, Expired, IdReused, NotFound
from server.protocol.content_parts import RESUME
from server.protocol.forms import Fault, fault_in
from server.store.engine.clock import now_ms
from server.store.rows import GivenAnswer, Interrupt, Json, Submitted
from server.store.runs.interrupt_tables import interrupts
from server.store.runs.new_run import NewRun, sent_before
from server.store.tables import runs

Pair = tuple[Any, GivenAnswer]
"""A row of `_MEANT` and its answer."""

ASKING_S = 0.25
"""Seconds after which to send an answer again whose question is on the screen, but not in the database yet."""

INTERRUPT_COLUMNS = [interrupts.c[name] for name in Interrupt.__dataclass_fields__]


class Misfit(Exception):
    """An answer does not fit what was asked. It is no error for the client yet: the store knows no language."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault


def pair_answers(connection: Connection, new: NewRun, given: Sequence[GivenAnswer]) -> list[Pair]:
    """Return the interrupt of each answer; NotFound when one is none of this session's."""
    ids = [each.interrupt_id for each in given if each.interrupt_id is not None]
    calls = [each.call_id for each in given if each.call_id is not None]
    rows = connection.execute(_MEANT, {"of_session": new.session_id, "ids": ids, "calls": calls}).all()
    by_id = {row.id: row for row in rows}
    by_call = {row.call_id: row for row in rows if row.kind == "tool"}
    found = [(by_id.get(each.interrupt_id) or by_call.get(each.call_id), each) for each in given]
    pairs = [(row, each) for row, each in found if row is not None]
    if len(pairs) != len(given):
        if _at_work(connection, new):
            # A question is shown before its run has ended: a quick answer may come before the interrupt is stored.
            raise Busy(retry_after=ASKING_S)
        raise NotFound
    if len({row.id for row, _ in pairs}) != len(pairs):
        raise BadFrame("An interrupt is answered twice.")
    return pairs


def part_of(type_: str, row: Row[Any], given: GivenAnswer | None = None) -> Json:
    """Return what the run stores of an answer, or of a missing one: all that it needs to publish it."""
    part: Json = {"type": type_, "interrupt_id": row.id, "call_id": row.call_id}
    part |= {"kind": row.kind, "block_id": row.block_id}
    return part if given is None else part | {"status": given.status, "payload": given.payload}


def find_first(connection: Connection, new: NewRun, content: list[Json]) -> Submitted | None:
    """Find the result of this very frame when it was stored before. Raises IdReused for another one with its id."""
    known = sent_before(connection, new)
    if known is None:
        return None
    if [each for each in known.content if each["type"] == RESUME] != content:
        raise IdReused
    return Submitted(known.id, known.message_id, dup=True, queued=0)


def judge(connection: Connection, new: NewRun, pairs: list[Pair]) -> str:
    """Refuse an answer that is too late or does not fit; return the run that asked."""
    for row, given in pairs:
        if row.status == "expired" or (row.status == "open" and row.late):
            raise Expired
        if row.status != "open":
            raise Answered
        fault = fault_in(row.schema, given.payload) if given.status == "resolved" else None
        if fault:
            raise Misfit(fault)
    asked = {row.run_id for row, _ in pairs}
    if len(asked) != 1:
        raise BadFrame("Only interrupts of one run can be answered at once.")
    if _at_work(connection, new):
        # A message would have overridden the interrupts, so the running run is another answer or a note: retry soon.
        raise Busy(retry_after=1.0)
    return str(asked.pop())


def _at_work(connection: Connection, new: NewRun) -> bool:
    return connection.execute(_AT_WORK, {"of_session": new.session_id}).first() is not None


_session: BindParameter[str] = bindparam("of_session")

_MEANT = (
    select(
        *INTERRUPT_COLUMNS,
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

_AT_WORK = select(runs.c.id).where(runs.c.session_id == _session, runs.c.status != "finished")
