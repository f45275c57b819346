"""The way out of the queue: a run is claimed under a lease, and every later write proves it by the session's fence.

A claim raises the session's fence in its own transaction, so of two holders of a run only the younger can write.
Rows are locked in one order, run before session, so that holders never wait for each other in a circle.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, Update, and_, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import Fenced
from server.store.clock import now_ms
from server.store.database import Part, every, exactly, one
from server.store.queue import RUN_COLUMNS, run_of
from server.store.rows import Checkpoint, Claim, Renewal, Run
from server.store.sessions import SESSION_COLUMNS, session_of
from server.store.tables import checkpoints, runs, sessions

CHECKPOINT_COLUMNS = [checkpoints.c[name] for name in Checkpoint.__dataclass_fields__]


def held(run_id: str, fence: int) -> Update:
    """An UPDATE of a run that touches it only while this fence holds it."""
    return update(runs).where(runs.c.id == run_id, runs.c.fence == fence, runs.c.status == "running")


class Leases(Part):
    """Claims runs and keeps them. Time is the database's."""

    async def claim(self, owner: str, lease_s: float) -> Claim | None:
        """Take the oldest run that is due, or None.

        Due is a running one whose lease has expired (a take-over), and a queued one that is the first of its session
        while nothing there runs or has an end that is not told yet. Counts `attempt`; how many are too many is for
        the caller, who then ends the run.
        """
        try:
            async with self._database.write() as connection:
                found = await one(connection, _EXPIRED) or await one(connection, _DUE)
                if found is None:
                    return None
                return await _taken(connection, found.id, found.status == "running", owner, lease_s)
        except IntegrityError:
            # The index of one running run per session caught a race that the query could not see: somebody has it.
            return None

    async def renew(self, run_id: str, fence: int, lease_s: float) -> Renewal:
        """Keep the lease, and learn whether the run was stopped; not alive when it is ours no more."""
        keeping = held(run_id, fence).values(lease_until=_until(lease_s)).returning(runs.c.cancel)
        async with self._database.write() as connection:
            row = await one(connection, keeping)
        return Renewal(alive=row is not None, cancel=row is not None and row.cancel)

    async def release(self, run_id: str, fence: int) -> None:
        """Give an unfinished run back at once; nothing happens when it is not ours or has finished."""
        async with self._database.write() as connection:
            await connection.execute(held(run_id, fence).values(lease_until=now_ms() - 1))

    async def started(self, run_id: str, fence: int, first_seq: int) -> None:
        """Note where the run begins in the log; the first holder's note stays. Raises Fenced."""
        first = func.coalesce(func.nullif(runs.c.first_seq, 0), first_seq)
        async with self._database.write() as connection:
            await insist(connection, held(run_id, fence).values(first_seq=first))

    async def checkpoint(self, run_id: str, fence: int, checkpoint: Checkpoint) -> None:
        """Replace what a take-over continues from, in one transaction. Raises Fenced."""
        values = {name: getattr(checkpoint, name) for name in Checkpoint.__dataclass_fields__}
        async with self._database.write() as connection:
            await insist(connection, held(run_id, fence).values(fence=fence))
            await connection.execute(
                self._database.insert(checkpoints)
                .values(run_id=run_id, created_at=now_ms(), **values)
                .on_conflict_do_update(index_elements=["run_id"], set_={**values, "created_at": now_ms()})
            )

    async def checkpoint_of(self, run_id: str) -> Checkpoint | None:
        """The last checkpoint of an unfinished or interrupted run: what a resume continues from."""
        async with self._database.read() as connection:
            return await _checkpoint(connection, run_id)

    async def told(self, run_id: str, fence: int) -> None:
        """Let the session's next run be claimed, as the end of this one is in the log. Raises Fenced."""
        telling = (
            update(runs)
            .where(runs.c.id == run_id, runs.c.fence == fence, runs.c.status == "finished")
            .values(told=True)
        )
        async with self._database.write() as connection:
            await insist(connection, telling)

    async def adopt(self, run_id: str, fence: int) -> int:
        """Take over the telling of a finished run under a new fence of its session, and return that.

        Raises Fenced when it has been told, or adopted, since it was read with this fence.
        """
        async with self._database.write() as connection:
            raised = (
                update(sessions)
                .where(
                    sessions.c.id == select(runs.c.session_id).where(runs.c.id == run_id).scalar_subquery()
                )
                .values(fence=sessions.c.fence + 1)
            )
            new = int((await exactly(connection, raised.returning(sessions.c.fence)))[0])
            ours = (
                runs.c.id == run_id,
                runs.c.fence == fence,
                runs.c.status == "finished",
                runs.c.told.is_(False),
            )
            await insist(connection, update(runs).where(*ours).values(fence=new))
        return new

    async def untold(self, older_than_s: float) -> list[Run]:
        """Runs whose end was committed that long ago and is not told yet, oldest first."""
        query = (
            select(*RUN_COLUMNS)
            .where(
                runs.c.status == "finished",
                runs.c.told.is_(False),
                runs.c.ended_at <= now_ms() - int(older_than_s * 1000),
            )
            .order_by(runs.c.ended_at)
            .limit(100)
        )
        async with self._database.read() as connection:
            return [run_of(row) for row in await every(connection, query)]


async def insist(connection: AsyncConnection, statement: Update) -> None:
    """Execute an UPDATE that must touch its run; Fenced when it is not ours."""
    if await one(connection, statement.returning(runs.c.id)) is None:
        raise Fenced


def _until(lease_s: float) -> ColumnElement[int]:
    return now_ms() + int(lease_s * 1000)


_EXPIRED = (
    select(runs.c.id, runs.c.status)
    .where(runs.c.status == "running", runs.c.lease_until < now_ms())
    .order_by(runs.c.created_at)
    .limit(1)
    .with_for_update(skip_locked=True)
)


def _due() -> Select[Any]:
    other = runs.alias("other")
    in_the_way = exists().where(
        other.c.session_id == runs.c.session_id,
        or_(
            other.c.status == "running",
            and_(other.c.status == "finished", other.c.told.is_(False)),
            and_(other.c.status == "queued", other.c.place < runs.c.place),
        ),
    )
    return (
        select(runs.c.id, runs.c.status)
        .where(runs.c.status == "queued", runs.c.told.is_(False), ~in_the_way)
        .order_by(runs.c.created_at)
        .limit(1)
        .with_for_update(skip_locked=True, of=runs)
    )


_DUE = _due()
"""Asked all the time, so it is put together once."""


async def _taken(
    connection: AsyncConnection, run_id: str, takeover: bool, owner: str, lease_s: float
) -> Claim:
    raised = (
        update(sessions)
        .where(sessions.c.id == select(runs.c.session_id).where(runs.c.id == run_id).scalar_subquery())
        .values(fence=sessions.c.fence + 1)
    )
    session = session_of(await exactly(connection, raised.returning(*SESSION_COLUMNS)))
    taking = (
        update(runs)
        .where(runs.c.id == run_id)
        .values(
            status="running",
            owner=owner,
            fence=session.fence,
            attempt=runs.c.attempt + 1,
            lease_until=_until(lease_s),
            started_at=func.coalesce(runs.c.started_at, now_ms()),
        )
    )
    run = run_of(await exactly(connection, taking.returning(*RUN_COLUMNS)))
    checkpoint = await _checkpoint(connection, run_id) if takeover else None
    return Claim(run, session, takeover, checkpoint)


async def _checkpoint(connection: AsyncConnection, run_id: str) -> Checkpoint | None:
    row = await one(connection, select(*CHECKPOINT_COLUMNS).where(checkpoints.c.run_id == run_id))
    return None if row is None else Checkpoint(**row._mapping)
