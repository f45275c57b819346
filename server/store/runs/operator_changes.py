"""The changes that an operator makes to a session, in the transaction that stores the run of the change.

While an operator has joined, messages of the visitor begin runs without a model. Queued messages become
such runs too, and the running run is stopped.
"""

from dataclasses import replace

from sqlalchemy import BindParameter, Connection, bindparam, select, update

from server.store.operator_actions import record_action
from server.store.rows import Json, OperatorChange, Session
from server.store.tables import runs, sessions
from server.store.webhooks import Webhooks

NOTED = {"join": "join", "leave": "leave", "say": "message", "whisper": "whisper"}
"""The recorded action of a change, by its kind."""


def lock_runs(connection: Connection, session_id: str) -> None:
    """Lock what may be stopped, before the session: holders of runs lock in this order too."""
    connection.execute(_LOCK, {"of_session": session_id})


def changes_nothing(session: Session, change: OperatorChange) -> bool:
    """Return whether the session is already as the change would leave it."""
    known = session.operator
    if change.kind == "join":
        return known is not None and (known["key"], known["name"]) == (change.key_id, change.name)
    return change.kind == "leave" and known is None


def apply_change(
    connection: Connection, session: Session, change: OperatorChange, at: int
) -> tuple[Session, tuple[str, ...]]:
    """Let an operator join or leave; return the session as it is now, and the runs at work that are to stop."""
    if change.kind != "whisper":
        connection.execute(_ATTEND, {"of_session": session.id})
    if change.has_words:
        return session, ()
    operator: Json | None = None
    if change.kind == "join":
        operator = {"key": change.key_id, "name": change.name, "since": at}
    key = {"of_session": session.id}
    if operator is None:
        connection.execute(_CLEAR, key)
        return replace(session, operator=None), ()
    connection.execute(_SET, {**key, "new_operator": operator})
    connection.execute(_SILENCE, key)
    return replace(session, operator=operator), stop_agents(connection, session.id)


def stop_agents(connection: Connection, session_id: str) -> tuple[str, ...]:
    """Stop the runs of agents that work or wait, and return those that work."""
    key = {"of_session": session_id}
    working = tuple(connection.execute(_WORKING, key).scalars())
    connection.execute(_STOP, key)
    return working


def record_change(connection: Connection, session: Session, change: OperatorChange) -> None:
    """Record what an operator did."""
    record_action(
        connection, app=session.app, key_id=change.key_id, session_id=session.id, action=NOTED[change.kind]
    )


def tell_change(connection: Connection, session: Session, change: OperatorChange, webhooks: Webhooks) -> None:
    """Tell the app that an operator has joined or left."""
    if change.kind == "join":
        webhooks.write(connection, session.app, "session.operator_joined", session.id, operator=change.name)
    elif change.kind == "leave":
        webhooks.write(connection, session.app, "session.operator_left", session.id)


_session: BindParameter[str] = bindparam("of_session")

_LOCK = (
    select(runs.c.id)
    .where(runs.c.session_id == _session, runs.c.status.in_(["queued", "running"]))
    .order_by(runs.c.place)
    .with_for_update()
)

_SET = update(sessions).where(sessions.c.id == _session).values(operator=bindparam("new_operator"))

_ATTEND = update(sessions).where(sessions.c.id == _session).values(person_called_at=None)
"""A visitor who called for a person waits no longer."""

_CLEAR = update(sessions).where(sessions.c.id == _session).values(operator=None)

_QUEUED = (runs.c.session_id == _session, runs.c.status == "queued", runs.c.kind == "agent")

_SILENCE = update(runs).where(*_QUEUED, runs.c.parent_run_id.is_(None)).values(kind="note")

_AGENTS = (runs.c.session_id == _session, runs.c.kind == "agent", runs.c.status.in_(["queued", "running"]))

_WORKING = select(runs.c.id).where(*_AGENTS, runs.c.status == "running")

_STOP = update(runs).where(*_AGENTS).values(cancel=True)
"""An answer of the visitor that waits would go on with an agent: it is stopped too."""
