"""The effects of other transactions on interrupts: a run ends with some, a plain message overrides open ones."""

from sqlalchemy import BindParameter, Connection, bindparam, exists, func, or_, select, update

from server.store.engine.clock import now_ms
from server.store.rows import Checkpoint, Finish
from server.store.runs.interrupt_tables import interrupts
from server.store.tables import checkpoints, runs, sessions

_session: BindParameter[str] = bindparam("in_session")
_here: BindParameter[str] = bindparam("here")
_open = (interrupts.c.session_id == _session, interrupts.c.status == "open")

WAITS = exists().where(*_open)
"""Whether something in this session waits for an answer."""

_OVERRIDE = update(interrupts).where(*_open).values(status="overridden", closed_at=now_ms())

_FORGET = checkpoints.delete().where(checkpoints.c.run_id.in_(select(interrupts.c.run_id).where(*_open)))

_JOINED = exists().where(sessions.c.id == _session, sessions.c.operator.is_not(None))

_FOLLOWED = select(func.count()).where(
    runs.c.session_id == _session,
    runs.c.status == "queued",
    # The note of an operator who joins, or of a switch to another version, waits behind the run that works.
    or_(runs.c.kind == "agent", runs.c.branch.is_not(None), _JOINED),
)

_AGAIN = (
    update(interrupts)
    .where(interrupts.c.id.in_(bindparam("ids")))
    .values(run_id=_here)
    .returning(interrupts.c.id)
)

_ASK = interrupts.insert().values(status="open", created_at=now_ms())

_OPEN_OF = select(func.count()).where(interrupts.c.run_id == _here, interrupts.c.status == "open")

_CHECKPOINT = [checkpoints.c[name] for name in Checkpoint.__dataclass_fields__]

_KEEP = (
    update(checkpoints)
    .where(checkpoints.c.run_id == _here)
    .values({each.name: bindparam(f"new_{each.name}") for each in _CHECKPOINT})
)

_DROP = checkpoints.delete().where(checkpoints.c.run_id == _here)


def override_interrupts(connection: Connection, session_id: str) -> None:
    """Close all that is open here: nothing of it is waited for any more, nor can it be continued."""
    connection.execute(_FORGET, {"in_session": session_id})
    connection.execute(_OVERRIDE, {"in_session": session_id})


def keep_interrupts(connection: Connection, session_id: str, run_id: str, finish: Finish) -> None:
    """Store what a run that ends waiting leaves: its checkpoint, which an answer continues. The session's row is
    locked.

    What an earlier run of the chain asked keeps its id and its time. A message that was sent while the run worked, and
    is the next to be answered, overrides at once what is asked here, and so does an operator who has joined.
    """
    asked = [each.id for each in finish.interrupts]
    known = {row.id for row in connection.execute(_AGAIN, {"ids": asked, "here": run_id})}
    new = [each for each in finish.interrupts if each.id not in known]
    if new:
        rows = [
            {name: getattr(each, name) for name in type(each).__dataclass_fields__}
            | {"session_id": session_id, "run_id": run_id}
            for each in new
        ]
        connection.execute(_ASK, rows)
    if connection.execute(_FOLLOWED, {"in_session": session_id}).scalar_one():
        connection.execute(_OVERRIDE, {"in_session": session_id})
    if finish.resume is None or not connection.execute(_OPEN_OF, {"here": run_id}).scalar_one():
        connection.execute(_DROP, {"here": run_id})
        return
    values = {f"new_{each.name}": getattr(finish.resume, each.name) for each in _CHECKPOINT}
    connection.execute(_KEEP, {"here": run_id, **values})
