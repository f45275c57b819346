"""The way into a session's queue: an input is stored as a run, exactly once, and can be stopped any time."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import Busy, IdReused, NotFound
from server.protocol.commands import parts_text
from server.protocol.ids import new_id
from server.store.clock import now_ms
from server.store.database import Part, every, exactly, one
from server.store.rows import Json, Queued, Run, Stopped, Submitted
from server.store.tables import runs, sessions

MOST_QUEUED = 3
"""Runs that may wait behind the one that runs, or is the next to run."""

TITLE_LENGTH = 60
"""A conversation is called by its first words until its service knows better."""

RUN_COLUMNS = [runs.c[name] for name in Run.__dataclass_fields__]


def run_of(row: Row[Any]) -> Run:
    """The row of `RUN_COLUMNS` as a run."""
    return Run(**row._mapping)


class Queue(Part):
    """Submits, shows and stops runs. The session's row is locked while its queue grows."""

    async def submit(
        self,
        *,
        session_id: str,
        principal: str,
        client_id: str,
        content: Sequence[Json],
        language: str,
        kind: str = "agent",
        parent_run_id: str | None = None,
    ) -> Submitted:
        """Store an input as a queued run in one transaction; the same id again is the same run.

        Raises NotFound for another's session, IdReused for a known id with another body, and Busy, storing
        nothing, when three runs already wait behind the first.
        """
        body = {"kind": kind, "content": list(content), "parent_run_id": parent_run_id}
        async with self._database.write() as connection:
            await _lock(connection, session_id, principal)
            known = await one(connection, _sent(session_id, client_id))
            if known is not None:
                if {key: getattr(known, key) for key in body} != body:
                    raise IdReused(id=client_id)
                ahead = await _live(connection, session_id, runs.c.place < known.place)
                return Submitted(known.id, known.message_id, dup=True, queued=ahead)
            ahead = await _live(connection, session_id)
            if ahead > MOST_QUEUED:
                raise Busy(id=client_id)
            new = {
                "id": new_id("run"),
                "message_id": new_id("msg"),
                "client_id": client_id,
                "language": language,
            }
            await _append(connection, session_id, {**new, **body})
        return Submitted(new["id"], new["message_id"], dup=False, queued=ahead)

    async def queue(self, session_id: str) -> list[Queued]:
        """What waits to be claimed, in the order of its turn."""
        query = (
            select(runs.c.id, runs.c.message_id, runs.c.client_id, runs.c.content, runs.c.cancel)
            .where(runs.c.session_id == session_id, runs.c.status == "queued")
            .order_by(runs.c.place)
        )
        async with self._database.read() as connection:
            rows = await every(connection, query)
        return [
            Queued(row.id, row.message_id, row.client_id, parts_text(row.content), row.content, row.cancel)
            for row in rows
        ]

    async def running(self, session_id: str) -> Run | None:
        """The one run that is claimed and has not finished."""
        async with self._database.read() as connection:
            row = await one(
                connection,
                select(*RUN_COLUMNS).where(runs.c.session_id == session_id, runs.c.status == "running"),
            )
        return None if row is None else run_of(row)

    async def get(self, run_id: str) -> Run:
        """Any run, for the server's own work."""
        async with self._database.read() as connection:
            row = await one(connection, select(*RUN_COLUMNS).where(runs.c.id == run_id))
        if row is None:
            raise NotFound
        return run_of(row)

    async def request_cancel(
        self, session_id: str, *, run_id: str | None = None, client_id: str | None = None
    ) -> Stopped | None:
        """Mark a run as stopped and say what state it was in; None when the session has no such run.

        The run is named by its own id or by its message (the client's id of it, or ours); without a name it
        is the running one, else the next. A queued one stays in the queue: whoever claims it tells its end.
        A finished one is left as it is.
        """
        async with self._database.write() as connection:
            found = await one(connection, _named(session_id, run_id, client_id))
            if found is None:
                return None
            stopping = (
                update(runs).where(runs.c.id == found.id, runs.c.status != "finished").values(cancel=True)
            )
            stopped = await one(connection, stopping.returning(runs.c.status))
        return Stopped(found.id, "finished" if stopped is None else stopped.status)


def _named(session_id: str, run_id: str | None, client_id: str | None) -> Any:
    query = select(runs.c.id).where(runs.c.session_id == session_id).limit(1)
    if run_id is not None:
        return query.where(runs.c.id == run_id)
    if client_id is not None:
        return query.where((runs.c.client_id == client_id) | (runs.c.message_id == client_id))
    return query.where(runs.c.status != "finished").order_by(
        (runs.c.status == "running").desc(), runs.c.place
    )


async def _lock(connection: AsyncConnection, session_id: str, principal: str) -> None:
    """Keep other submits to this session waiting until the transaction ends (SQLite: they wait anyway)."""
    own = select(sessions.c.id).where(sessions.c.id == session_id, sessions.c.principal == principal)
    if await one(connection, own.with_for_update()) is None:
        raise NotFound


def _sent(session_id: str, client_id: str) -> Any:
    columns = (runs.c.id, runs.c.message_id, runs.c.place, runs.c.kind, runs.c.content, runs.c.parent_run_id)
    return select(*columns).where(runs.c.session_id == session_id, runs.c.client_id == client_id)


async def _append(connection: AsyncConnection, session_id: str, values: Json) -> None:
    """Put a run at the end of the queue, whose session must be locked."""
    ours = runs.c.session_id == session_id
    last = (await exactly(connection, select(func.coalesce(func.max(runs.c.place), 0)).where(ours)))[0]
    state: Json = {"session_id": session_id, "place": last + 1, "status": "queued", "items": []}
    await connection.execute(runs.insert().values(created_at=now_ms(), **state, **values))
    await connection.execute(
        update(sessions)
        .where(sessions.c.id == session_id)
        .values(
            updated_at=now_ms(),
            title=func.coalesce(sessions.c.title, parts_text(values["content"])[:TITLE_LENGTH]),
        )
    )


async def _live(connection: AsyncConnection, session_id: str, *conditions: ColumnElement[bool]) -> int:
    waiting = select(func.count()).where(
        runs.c.session_id == session_id, runs.c.status.in_(["queued", "running"]), *conditions
    )
    return int((await exactly(connection, waiting))[0])
