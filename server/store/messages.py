"""The stored conversation: a tree of messages whose active path is what is shown and what the model remembers."""

from typing import Any

from sqlalchemy import ColumnElement, Row, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import NotFound
from server.store.clock import now_ms
from server.store.database import Part, every, one
from server.store.rows import Json, Page, StoredTranscript
from server.store.tables import feedback, messages, runs, sessions


class Messages(Part):
    """Reads messages of finished runs; a run in progress is in the live log, not here."""

    async def transcript(self, session_id: str) -> StoredTranscript:
        """The active path and the seq of the log that it reaches to, both of one moment.

        These messages and the log's events after `last_seq` are the whole conversation, without a gap or an overlap.
        """
        what = select(sessions.c.state, sessions.c.last_seq, sessions.c.last_run, sessions.c.active_leaf)
        async with self._database.read() as connection:
            session = await one(connection, what.where(sessions.c.id == session_id))
            if session is None:
                raise NotFound
            path = await _path(connection, session_id, session.active_leaf, messages.c.body)
        return StoredTranscript([row.body for row in path], session.state, session.last_seq, session.last_run)

    async def page(self, session_id: str, principal: str, limit: int = 50, before: str | None = None) -> Page:
        """The last `limit` messages of the active path, or those before the message called `before`."""
        own = (sessions.c.id == session_id, sessions.c.principal == principal)
        async with self._database.read() as connection:
            session = await one(connection, select(sessions.c.active_leaf).where(*own))
            if session is None:
                raise NotFound
            last = session.active_leaf
            if before is not None:
                shown = await one(connection, _message(session_id, before, messages.c.parent_id))
                if shown is None:
                    raise NotFound
                last = shown.parent_id
            path = await _path(connection, session_id, last, messages.c.body, limit=limit)
        cursor = path[0].id if path and path[0].parent_id is not None else None
        return Page([row.body for row in path], cursor)

    async def of_run(self, run_id: str) -> list[Json]:
        """The messages that a finished run added, in order."""
        query = select(messages.c.body).where(messages.c.run_id == run_id).order_by(messages.c.position)
        async with self._database.read() as connection:
            return [row.body for row in await every(connection, query)]

    async def history(self, session_id: str) -> list[Json]:
        """The model's input items of the finished runs on the active path, oldest first."""
        ended = select(runs.c.id, runs.c["items"]).where(
            runs.c.session_id == session_id, runs.c.status == "finished"
        )
        async with self._database.read() as connection:
            session = await one(connection, select(sessions.c.active_leaf).where(sessions.c.id == session_id))
            if session is None:
                raise NotFound
            path = await _path(connection, session_id, session.active_leaf, messages.c.run_id)
            items = {row.id: row.items for row in await every(connection, ended)}
        return [item for run_id in dict.fromkeys(row.run_id for row in path) for item in items[run_id]]

    async def feedback(self, message_id: str, principal: str, value: str | None) -> None:
        """Keep the principal's thumb up or down for a message of its own; None takes it back."""
        own = (
            select(messages.c.session_id)
            .join(sessions, sessions.c.id == messages.c.session_id)
            .where(messages.c.id == message_id, sessions.c.principal == principal)
            .order_by(messages.c.created_at.desc())
            .limit(1)
        )
        async with self._database.write() as connection:
            found = await one(connection, own)
            if found is None:
                raise NotFound
            key = {"session_id": found.session_id, "message_id": message_id}
            if value is None:
                await connection.execute(feedback.delete().filter_by(**key))
                return
            values = {"value": value, "created_at": now_ms()}
            await connection.execute(
                self._database.insert(feedback)
                .values(**key, **values)
                .on_conflict_do_update(index_elements=list(key), set_=values)
            )

    async def feedback_of(self, session_id: str) -> dict[str, str]:
        """The thumbs of a session by message."""
        query = select(feedback.c.message_id, feedback.c.value).where(feedback.c.session_id == session_id)
        async with self._database.read() as connection:
            return {row.message_id: row.value for row in await every(connection, query)}


def _message(session_id: str, id: str, *columns: ColumnElement[Any]) -> Select[Any]:
    return select(*columns).where(messages.c.session_id == session_id, messages.c.id == id)


async def _path(
    connection: AsyncConnection,
    session_id: str,
    leaf: str | None,
    column: ColumnElement[Any],
    *,
    limit: int | None = None,
) -> list[Row[Any]]:
    """The last messages from `leaf` back to the beginning, oldest first, with one column besides their ids.

    A message's position is its depth, so a path is among the rows of a range of positions; the few rows of other
    branches that the range holds are left out here. A recursive query took PostgreSQL 300 ms for 1,800 messages.
    """
    end = await one(connection, _message(session_id, leaf, messages.c.position)) if leaf is not None else None
    if end is None:
        return []
    query = select(messages.c.id, messages.c.parent_id, column).where(
        messages.c.session_id == session_id, messages.c.position <= end.position
    )
    if limit is not None:
        query = query.where(messages.c.position > end.position - limit)
    path: list[Row[Any]] = []
    wanted = leaf
    for row in await every(connection, query.order_by(messages.c.position.desc())):
        if row.id == wanted:
            path.append(row)
            wanted = row.parent_id
    return path[::-1]
