"""The queries of what is due: a run to claim or take over, an end to publish, interrupts whose time is over."""

from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Select,
    and_,
    bindparam,
    exists,
    or_,
    select,
    tuple_,
    union_all,
)

from server.store.engine.clock import now_ms
from server.store.runs.run_rows import END_COLUMNS
from server.store.tables import place_of, revoked, runs, sessions

_other = runs.alias("other")

_beside = exists().where(_other.c.session_id == runs.c.session_id)

_IN_THE_WAY = or_(
    # Three subqueries: for one with an OR inside, SQLite reads every run of the session.
    _beside.where(_other.c.status == "running"),
    _beside.where(_other.c.status == "finished", _other.c.published.is_(False)),
    _beside.where(_other.c.status == "queued", place_of(_other) < runs.c.place),
)

_OTHERS = exists().where(
    _other.c.session_id == runs.c.session_id, _other.c.status == "queued", _other.c.id != runs.c.id
)

_LEFT = exists().where(sessions.c.id == runs.c.session_id, revoked.c.subject == sessions.c.principal)
"""The principal of the run's session may not come back."""


def _due() -> Select[Any]:
    """Return the oldest expired run, else the oldest queued one with nothing in its way."""
    return (
        select(runs.c.id, runs.c.session_id, runs.c.status, and_(~_OTHERS, ~_LEFT).label("alone"))
        .where(
            or_(
                and_(runs.c.status == "running", runs.c.lease_until < now_ms()),
                and_(runs.c.status == "queued", runs.c.published.is_(False), ~_IN_THE_WAY),
            )
        )
        .order_by(runs.c.status.desc(), runs.c.created_at)
        .limit(1)
    )


DUE = _due()
LOCK_DUE = DUE.with_for_update(skip_locked=True)


def _late() -> CompoundSelect[Any]:
    """Return the sessions of expired runs, of unpublished ends, and of queued runs that are the first of their session.

    Each by itself: of all three at once SQLite may look through every run there ever was.
    """
    then = now_ms() - bindparam("older_ms")
    hopeless = runs.c.attempt > bindparam("most_attempts")
    just_ended = exists().where(_other.c.session_id == runs.c.session_id, _other.c.ended_at > then)
    waits = and_(runs.c.created_at < then, ~_IN_THE_WAY, ~just_ended)
    kinds = (
        (runs.c.status == "running", or_(runs.c.lease_until < then, hopeless)),
        (runs.c.status == "finished", runs.c.published.is_(False), runs.c.ended_at < then),
        (runs.c.status == "queued", runs.c.published.is_(False), waits),
    )
    return union_all(*(select(runs.c.session_id).where(*each) for each in kinds)).limit(1000)


LATE = _late()

UNPUBLISHED_ENDS = (
    select(*END_COLUMNS)
    .where(
        runs.c.status == "finished",
        runs.c.published.is_(False),
        runs.c.ended_at <= now_ms() - bindparam("older_ms"),
        tuple_(runs.c.ended_at, runs.c.id) > tuple_(bindparam("after_ms"), bindparam("after_id")),
    )
    .order_by(runs.c.ended_at, runs.c.id)
    .limit(100)
)
