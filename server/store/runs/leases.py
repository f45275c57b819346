"""The claims of runs: a run is claimed under a lease, and every later write is checked against the session's fence.

A claim raises the session's fence in its own transaction, so of two holders of a run only the younger can write.
Rows are locked in one order, run before session, so that holders never wait for each other in a circle. Statements
that are executed all the time are built once, here: building one took longer than executing it.
"""

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Executable,
    Row,
    Update,
    and_,
    bindparam,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from server.errors import Fenced
from server.store.conversations.sessions import SESSION_COLUMNS, session_of
from server.store.engine.clock import now_ms
from server.store.engine.database import DueQueue
from server.store.rows import Checkpoint, Claim, Json, Renewal, UnpublishedEnd
from server.store.runs.due import DUE, LATE, LOCK_DUE, UNPUBLISHED_ENDS
from server.store.runs.run_rows import RUN_COLUMNS, run_of
from server.store.tables import checkpoints, runs, sessions

UNCOUNTED_S = 600
"""Seconds in which attempts do not count that never began, or whose process stood still."""

MOST_RACES = 8
"""The runs in a row that may be lost to faster claimers, or cannot be read, before the poll waits."""

CHECKPOINT_COLUMNS = [checkpoints.c[name] for name in Checkpoint.__dataclass_fields__]

THIS_RUN: BindParameter[str] = bindparam("this_run")
_this_fence: BindParameter[int] = bindparam("this_fence")

HELD = and_(runs.c.id == THIS_RUN, runs.c.fence == _this_fence, runs.c.status == "running")
"""A run while this fence holds it."""


log = logging.getLogger(__name__)


class _UnreadRun(Exception):
    """The rows of a due run, or of its session, cannot be read: raised, since the transaction has to be rolled back."""

    def __init__(self, run_id: str) -> None:
        """Name the run by `run_id`."""
        self.run_id = run_id


class Leases(DueQueue):
    """Claims runs and keeps them. Time is the database's."""

    @cached_property
    def _keep(self) -> Executable:
        return _keeping(self._database.insert(checkpoints))

    async def claim(self, owner: str, lease_s: float) -> Claim | None:
        """Take the oldest run that is due, or None.

        Due is a running one whose lease has expired (a take-over), and a queued one that is the first of its session
        while nothing there runs or has an end that is not published yet. Counts `attempt`; how many are too many is for
        the caller, who then ends the run. One that cannot be read is put off, for a lease more each time, as if its
        holder had died: the others do not wait behind it.
        """
        for _ in range(MOST_RACES):
            try:
                return await self._take(DUE, partial(_try_to_claim, owner=owner, lease_s=lease_s))
            except IntegrityError:
                # The index of one running run per session caught a race that the query could not see: an instance has
                # that run, and others may be due.
                continue
            except _UnreadRun as error:
                log.error("a run cannot be read", exc_info=error.__cause__, extra={"run_id": error.run_id})
                await self._put_off(error.run_id, owner, lease_s)
        return None

    async def _put_off(self, run_id: str, owner: str, lease_s: float) -> None:
        """Count an attempt of a due run, and let it be due again after that."""
        values = {THIS_RUN.key: run_id, "new_owner": owner, "lease_ms": int(lease_s * 1000)}
        with suppress(IntegrityError):  # Another process was faster with a run of that session.
            await self._database.execute(_PUT_OFF, values)

    async def renew(self, held: Mapping[str, int], lease_s: float) -> dict[str, Renewal]:
        """Keep the leases of these runs, by their fences, and learn which were stopped; one that is ours no more
        is not alive."""
        keeping = (
            update(runs)
            .where(tuple_(runs.c.id, runs.c.fence).in_(list(held.items())), runs.c.status == "running")
            .values(lease_until=_until())
            .returning(runs.c.id, runs.c.cancel)
        )
        kept = await self._database.execute(keeping, {"lease_ms": int(lease_s * 1000)}, urgent=True)
        alive = {row.id: Renewal(alive=True, cancel=row.cancel) for row in kept}
        return {each: alive.get(each, Renewal(alive=False, cancel=False)) for each in held}

    async def release(self, run_id: str, fence: int, *, counted: bool = True) -> None:
        """Give an unfinished run back at once; nothing happens when it is not ours or has finished.

        `counted` says whether this attempt counts: one that a deploy ended is no fault of the run.
        """
        values = {**_under(run_id, fence), "uncounted": int(not counted)}
        await self._database.execute(_RELEASE, values)

    async def uncount(self, run_id: str, fence: int) -> None:
        """Take back that the attempt with this fence counts; the lease stays with its holder.

        A run that was first claimed longer than `UNCOUNTED_S` ago is not tried for ever: its attempts count.
        """
        await self._database.execute(_UNCOUNT, _under(run_id, fence))

    async def checkpoint(self, run_id: str, fence: int, checkpoint: Checkpoint) -> None:
        """Replace what a take-over continues from, in one transaction. Raises Fenced."""
        values = {name: getattr(checkpoint, name) for name in Checkpoint.__dataclass_fields__}

        def keep(connection: Connection) -> None:
            execute_fenced(connection, _HOLD, _under(run_id, fence))
            connection.execute(self._keep, {"run_id": run_id, **values})

        await self._database.run_write(keep)

    async def mark_published(self, run_id: str, fence: int) -> None:
        """Let the session's next run be claimed, as the end of this one is in the log. Raises Fenced."""
        if not await self._database.execute(_MARK_PUBLISHED, _under(run_id, fence)):
            raise Fenced

    async def adopt(self, run_id: str, fence: int) -> int:
        """Take over the publication of a finished run's end under a new fence of its session, and return that.

        Raises Fenced when it has been published, or adopted, since it was read with this fence.
        """
        return await self._database.run_write(partial(_adopt, run_id=run_id, fence=fence))

    async def list_unpublished(
        self, older_than_s: float, after: UnpublishedEnd | None = None
    ) -> list[UnpublishedEnd]:
        """Return a hundred ends `after` one, oldest first, that were committed that long ago and are unpublished."""
        given = {
            "older_ms": int(older_than_s * 1000),
            "after_ms": after.ended_at if after else 0,
            "after_id": after.id if after else "",
        }
        return [UnpublishedEnd(**row._mapping) for row in await self._database.fetch(UNPUBLISHED_ENDS, given)]

    async def late(self, older_than_s: float, most_attempts: int) -> frozenset[str]:
        """Return sessions with something undone for so long, or that was tried too often to no end.

        That is to claim a run, to take one over, or to publish an end. At most a thousand.
        """
        given = {"older_ms": int(older_than_s * 1000), "most_attempts": most_attempts}
        return frozenset(row.session_id for row in await self._database.fetch(LATE, given))


def execute_fenced(connection: Connection, statement: Update, values: Json) -> Any:
    """Execute an UPDATE that must touch its run, and return what it returns; Fenced when the run is not ours."""
    row = connection.execute(statement, values).first()
    if row is None:
        raise Fenced
    return row


def _under(run_id: str, fence: int) -> Json:
    return {"this_run": run_id, "this_fence": fence}


def _until() -> Any:
    return now_ms() + bindparam("lease_ms")


_RAISE_FENCE = (
    update(sessions)
    .where(sessions.c.id == bindparam("of_session"))
    .values(fence=sessions.c.fence + 1)
    .returning(*SESSION_COLUMNS)
)

_TAKE = (
    update(runs)
    .where(runs.c.id == THIS_RUN)
    .values(
        status="running",
        owner=bindparam("new_owner"),
        fence=_this_fence,
        attempt=runs.c.attempt + 1,
        lease_until=_until(),
        started_at=func.coalesce(runs.c.started_at, now_ms()),
    )
    .returning(*RUN_COLUMNS)
)

_PUT_OFF = (
    update(runs)
    .where(
        runs.c.id == THIS_RUN,
        or_(runs.c.status == "queued", and_(runs.c.status == "running", runs.c.lease_until < now_ms())),
    )
    .values(
        status="running",
        owner=bindparam("new_owner"),
        attempt=runs.c.attempt + 1,
        lease_until=now_ms() + bindparam("lease_ms") * (runs.c.attempt + 1),
        started_at=func.coalesce(runs.c.started_at, now_ms()),
    )
)

_RELEASE = (
    update(runs).where(HELD).values(lease_until=now_ms() - 1, attempt=runs.c.attempt - bindparam("uncounted"))
)

_UNCOUNT = (
    update(runs)
    .where(
        runs.c.id == THIS_RUN,
        runs.c.fence >= _this_fence,
        runs.c.status == "running",
        runs.c.started_at > now_ms() - UNCOUNTED_S * 1000,
    )
    .values(attempt=runs.c.attempt - 1)
)

_HOLD = update(runs).where(HELD).values(fence=_this_fence).returning(runs.c.id)

_ENDED = and_(runs.c.id == THIS_RUN, runs.c.fence == _this_fence, runs.c.status == "finished")

_MARK_PUBLISHED = update(runs).where(_ENDED).values(published=True).returning(runs.c.id)

_UNPUBLISHED = select(runs.c.session_id).where(_ENDED, runs.c.published.is_(False)).with_for_update()

_ADOPT = update(runs).where(runs.c.id == THIS_RUN).values(fence=_this_fence)

_CHECKPOINT = select(*CHECKPOINT_COLUMNS).where(checkpoints.c.run_id == THIS_RUN)


def _keeping(insert: Any) -> Executable:
    values: Json = {name: bindparam(name) for name in Checkpoint.__dataclass_fields__}
    keeping: Executable = insert.values(run_id=bindparam("run_id"), created_at=now_ms(), **values)
    return keeping.on_conflict_do_update(  # type: ignore[attr-defined,no-any-return]
        index_elements=["run_id"],
        set_={name: insert.excluded[name] for name in (*Checkpoint.__dataclass_fields__, "created_at")},
    )


def _try_to_claim(connection: Connection, *, owner: str, lease_s: float) -> Claim | None:
    asked = time.monotonic()
    found = connection.execute(LOCK_DUE).first()
    if found is None:
        return None
    try:
        return _claim_found(connection, found, owner, lease_s, asked)
    except (SQLAlchemyError, OSError):  # The database is away, or a race was lost.
        raise
    except Exception as error:
        # It would be the first one at the next claim too: the others must not wait behind it.
        raise _UnreadRun(found.id) from error


def _claim_found(connection: Connection, found: Row[Any], owner: str, lease_s: float, asked: float) -> Claim:
    session = session_of(connection.execute(_RAISE_FENCE, {"of_session": found.session_id}).one())
    taking = {
        **_under(found.id, session.fence),
        "new_owner": owner,
        "lease_ms": int(lease_s * 1000),
    }
    run = run_of(connection.execute(_TAKE, taking).one())
    takeover = found.status == "running"
    # A run that answers an interrupt has a checkpoint from its creation.
    begun = takeover or run.parent_run_id is not None
    checkpoint = _checkpoint(connection, run.id) if begun else None
    return Claim(run, session, takeover, checkpoint, alone=bool(found.alone), asked=asked)


def _adopt(connection: Connection, *, run_id: str, fence: int) -> int:
    row = connection.execute(_UNPUBLISHED, _under(run_id, fence)).first()
    if row is None:
        raise Fenced
    new: int = connection.execute(_RAISE_FENCE, {"of_session": row.session_id}).one().fence
    connection.execute(_ADOPT, _under(run_id, new))
    return new


def _checkpoint(connection: Connection, run_id: str) -> Checkpoint | None:
    row = connection.execute(_CHECKPOINT, {"this_run": run_id}).first()
    return None if row is None else Checkpoint(**row._mapping)
