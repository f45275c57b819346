"""The end of a run: messages, model history, usage and the session's new state become true in one transaction."""

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import NotFound
from server.store.clock import now_ms
from server.store.database import Part, every, exactly
from server.store.leases import held, insist
from server.store.rows import Finish, Json, Session
from server.store.sessions import SESSION_COLUMNS, session_of
from server.store.tables import checkpoints, messages, runs, sessions, usage


class Ends(Part):
    """Finishes runs under the fence."""

    async def finish(self, run_id: str, fence: int, finish: Finish) -> None:
        """Commit the end; it is not told yet, so the session's next run still waits. Raises Fenced.

        New messages follow the active leaf, or `finish.parent`; messages that are known keep their place.
        """
        ending = held(run_id, fence).values(
            status="finished",
            told=False,
            outcome=finish.outcome,
            code=finish.code,
            items=finish.items,
            lease_until=None,
            ended_at=now_ms(),
        )
        async with self._database.write() as connection:
            await insist(connection, ending)
            mine = select(runs.c.session_id).where(runs.c.id == run_id).scalar_subquery()
            row = await exactly(
                connection, select(*SESSION_COLUMNS).where(sessions.c.id == mine).with_for_update()
            )
            session = session_of(row)
            leaf = await _written(connection, session, run_id, finish)
            await _session_changed(connection, session, run_id, leaf, finish)
            await connection.execute(
                usage.insert().values(
                    run_id=run_id,
                    app=session.app,
                    principal=session.principal,
                    detail=finish.usage,
                    created_at=now_ms(),
                )
            )
            if finish.outcome != "interrupt":
                await connection.execute(checkpoints.delete().where(checkpoints.c.run_id == run_id))


async def _session_changed(
    connection: AsyncConnection, session: Session, run_id: str, leaf: str | None, finish: Finish
) -> None:
    await connection.execute(
        update(sessions)
        .where(sessions.c.id == session.id)
        .values(
            state=finish.state,
            agent=finish.agent,
            title=session.title if finish.title is None else finish.title,
            status=finish.status_line,
            last_seq=max(session.last_seq, finish.last_seq),
            last_run=run_id,
            active_leaf=leaf,
            updated_at=now_ms(),
        )
    )


async def _written(connection: AsyncConnection, session: Session, run_id: str, finish: Finish) -> str | None:
    """Store the messages and return the leaf of the branch that is active now."""
    named = {str(message["id"]): message for message in finish.messages}
    anchors = {id for id in (finish.parent, finish.leaf, session.active_leaf) if id is not None}
    asked = select(messages.c.id, messages.c.position).where(
        messages.c.session_id == session.id, messages.c.id.in_(sorted(anchors | named.keys()))
    )
    known: dict[str, int] = {row.id: row.position for row in await every(connection, asked)}
    for id in named.keys() & known.keys():
        await connection.execute(
            update(messages)
            .where(messages.c.session_id == session.id, messages.c.id == id)
            .values(body=named[id])
        )
    parent = session.active_leaf if finish.parent is None else finish.parent
    new = [message for id, message in named.items() if id not in known]
    await _inserted(connection, session, run_id, new, _anchor(parent, known))
    known |= {str(message["id"]): 0 for message in new}
    if finish.leaf is not None:
        return _anchor(finish.leaf, known)[0]
    return str(new[-1]["id"]) if new else parent


def _anchor(id: str | None, known: dict[str, int]) -> tuple[str | None, int]:
    """A message of this session and its position; the beginning is None at 0."""
    if id is None:
        return None, 0
    if id not in known:
        raise NotFound
    return id, known[id]


async def _inserted(
    connection: AsyncConnection,
    session: Session,
    run_id: str,
    new: list[Json],
    anchor: tuple[str | None, int],
) -> None:
    parent, position = anchor
    rows: list[dict[str, Any]] = []
    for message in new:
        position += 1
        id = str(message["id"])
        rows.append({"id": id, "parent_id": parent, "position": position, "body": message})
        parent = id
    if rows:
        same = {"session_id": session.id, "run_id": run_id, "created_at": now_ms()}
        await connection.execute(messages.insert().values([{**row, **same} for row in rows]))
