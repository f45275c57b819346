"""The stored conversation: a tree of messages, whose active path is shown and sent to the model."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Text, bindparam, cast, select

from server.errors import NotFound
from server.protocol.codec import decode_json
from server.protocol.ids import result_id
from server.protocol.messages import with_versions
from server.protocol.order import (
    NEAR,
    unanswered_calls,
    whole_calls,
    with_results_at_calls,
    without_strays,
)
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart, one
from server.store.rows import NO_REASON, FeedbackReason, Json, JudgedMessage, Page, StoredTranscript
from server.store.tables import feedback, messages, runs, sessions


class Messages(StorePart):
    """Reads messages of finished runs; a run in progress is in the live log, not here."""

    async def transcript(self, session_id: str, most: int | None = None) -> StoredTranscript:
        """Return the active path, or its last `most` messages, and the seq of the log that it reaches to, of one
        moment.

        These messages and the log's events after `last_seq` are the conversation, without a gap or an overlap.
        """
        return await self._database.run_read(lambda connection: _transcript(connection, session_id, most)[0])

    async def conversation(
        self, session_id: str, most: int | None = None, items: int | None = None
    ) -> tuple[StoredTranscript, list[Json]]:
        """Return the transcript and the model's input items of its runs, both of one moment.

        Where only so many `items` are wanted, there are so many or a few more, if the path has them.
        """

        def both(connection: Connection) -> tuple[StoredTranscript, list[Json]]:
            transcript, path = _transcript(connection, session_id, most)
            return transcript, _items(connection, session_id, path, items)

        return await self._database.run_read(both)

    async def conversation_until(
        self, session_id: str, last: str | None, most: int, items: int
    ) -> tuple[list[Json], bool, list[Json]]:
        """Return the last `most` messages of the path that ends with this one, whether it has older ones, and its
        items.

        None is the path without any message.
        """

        def both(connection: Connection) -> tuple[list[Json], bool, list[Json]]:
            path = _path(connection, session_id, last, limit=most)
            return *_order(path), _items(connection, session_id, path, items)

        return await self._database.run_read(both)

    async def history(self, session_id: str) -> list[Json]:
        """Return the model's input items of the finished runs on the active path, oldest first."""
        return (await self.conversation(session_id))[1]

    async def bodies(self, session_id: str, ids: Sequence[str]) -> dict[str, Json]:
        """Return those of these messages that the session has, by id."""
        found = await self._database.fetch(_BODIES, {"of_session": session_id, "ids": list(ids)})
        return {row.id: row.body for row in found}

    async def page(self, session_id: str, principal: str, limit: int = 50, before: str | None = None) -> Page:
        """Return the last `limit` messages of the active path, or those before the message called `before`.

        A few more where the first of them would be a result without its call. A result that was stored much later than
        its call is in the call's page.
        """

        def read_page(connection: Connection) -> Page:
            session = connection.execute(
                _OWN, {"of_session": session_id, "by_principal": principal}
            ).one_or_none()
            if session is None:
                raise NotFound
            if before is not None:
                return _before(connection, session_id, before, limit)
            return _page(connection, session_id, session.active_leaf, limit)

        return await self._database.run_read(read_page)

    async def before(self, session_id: str, before: str, limit: int) -> Page:
        """Return the same before a message, without the check of the owner, which the caller has made."""
        return await self._database.run_read(
            lambda connection: _before(connection, session_id, before, limit)
        )

    async def until(self, session_id: str, last: str, most: int) -> tuple[list[Json], bool]:
        """Return the last `most` messages of the path that ends with this one, and whether it has older ones."""

        def read_end(connection: Connection) -> tuple[list[Json], bool]:
            return _order(_path(connection, session_id, last, limit=most))

        return await self._database.run_read(read_end)

    async def of_run(self, run_id: str) -> list[Json]:
        """Return the messages that a finished run added, in order."""
        query = select(messages.c.body).where(messages.c.run_id == run_id).order_by(messages.c.position)
        return [row.body for row in await self._database.fetch(query)]

    async def feedback(
        self, message_id: str, principal: str, value: str | None, why: FeedbackReason = NO_REASON
    ) -> JudgedMessage:
        """Keep the principal's thumb up or down for a message of its own, and why; None takes both back.

        Raises NotFound.
        """
        own = (
            select(messages.c.session_id, messages.c.run_id, messages.c.created_at, runs.c.trace_context)
            .join(sessions, sessions.c.id == messages.c.session_id)
            .join(runs, runs.c.id == messages.c.run_id)
            .where(messages.c.id == message_id, sessions.c.principal == principal)
            .order_by(messages.c.created_at.desc())
        )
        async with self._database.write() as connection:
            found = await one(connection, own)
            if found is None:
                raise NotFound
            key = {"session_id": found.session_id, "message_id": message_id}
            judged = JudgedMessage(found.run_id, found.created_at, found.trace_context)
            if value is None:
                await connection.execute(feedback.delete().filter_by(**key))
                return judged
            values = {
                "value": value,
                "reason": why.reason,
                "comment": why.comment,
                "created_at": now_ms(),
            }
            await connection.execute(
                self._database.insert(feedback)
                .values(**key, **values)
                .on_conflict_do_update(index_elements=list(key), set_=values)
            )
            return judged

    async def feedback_of(self, session_id: str) -> dict[str, str]:
        """Return the thumbs of a session by message."""
        query = select(feedback.c.message_id, feedback.c.value).where(feedback.c.session_id == session_id)
        return {row.message_id: row.value for row in await self._database.fetch(query)}


_session: BindParameter[str] = bindparam("of_session")
_last: BindParameter[str] = bindparam("last")

_OWN = select(sessions.c.active_leaf).where(
    sessions.c.id == _session, sessions.c.principal == bindparam("by_principal")
)

_STATE = select(sessions.c.state, sessions.c.last_seq, sessions.c.last_run, sessions.c.active_leaf).where(
    sessions.c.id == _session
)

_PARENT = select(messages.c.parent_id).where(messages.c.session_id == _session, messages.c.id == _last)

_ITEMS = select(runs.c.id, runs.c["items"]).where(
    runs.c.id.in_(bindparam("ids")), runs.c.status == "finished"
)

_BODIES = select(messages.c.id, messages.c.body).where(
    messages.c.session_id == _session, messages.c.id.in_(bindparam("ids"))
)

_end = (
    select(messages.c.position)
    .where(messages.c.session_id == _session, messages.c.id == _last)
    .scalar_subquery()
)

_PATH = (
    select(
        messages.c.id,
        messages.c.parent_id,
        messages.c.run_id,
        cast(messages.c.body, Text).label("json"),
        messages.c.created_at,
    )
    .where(
        messages.c.session_id == _session,
        messages.c.position <= _end,
        messages.c.position > _end - bindparam("most"),
    )
    .order_by(messages.c.position.desc())
)

ALL = 2**30
"""More messages than any path has."""


MORE = 8
"""Messages that are read besides, so that it is seldom done twice."""

RUNS_AT_ONCE = 128
"""Runs whose items are read by one statement: it names them all."""


@dataclass(frozen=True, slots=True)
class PathRow:
    """A message of a path; its body names the versions that there are of it."""

    id: str
    parent_id: str | None
    run_id: str
    body: Json


def _transcript(
    connection: Connection, session_id: str, most: int | None
) -> tuple[StoredTranscript, list[PathRow]]:
    """Return the stored transcript, and its rows."""
    session = connection.execute(_STATE, {"of_session": session_id}).one_or_none()
    if session is None:
        raise NotFound
    path = _path(connection, session_id, session.active_leaf, limit=most or ALL)
    bodies, older = _order(path)
    return StoredTranscript(bodies, session.state, session.last_seq, session.last_run, older), path


def _order(path: list[PathRow]) -> tuple[list[Json], bool]:
    """Return the messages of the end of a path in order, and whether it has older ones."""
    older = bool(path) and path[0].parent_id is not None
    bodies = [row.body for row in path]
    return with_results_at_calls(without_strays(bodies) if older else bodies), older


def _before(connection: Connection, session_id: str, before: str, limit: int) -> Page:
    shown = connection.execute(_PARENT, {"of_session": session_id, "last": before}).one_or_none()
    if shown is None:
        raise NotFound
    return _page(connection, session_id, shown.parent_id, limit)


def _page(connection: Connection, session_id: str, last: str | None, limit: int) -> Page:
    path = _path(connection, session_id, last, limit=limit + NEAR)
    path = path[whole_calls([row.body for row in path], max(0, len(path) - limit)) :]
    bodies = _with_all_results(connection, session_id, [row.body for row in path])
    return Page(bodies, path[0].id if path and path[0].parent_id is not None else None)


def _with_all_results(connection: Connection, session_id: str, bodies: list[Json]) -> list[Json]:
    """Return the messages in order, with all results of their calls and none of others."""
    bodies = without_strays(bodies)
    ids = [result_id(each) for each in unanswered_calls(bodies)]
    later = connection.execute(_BODIES, {"of_session": session_id, "ids": ids}).all() if ids else []
    return with_results_at_calls([*bodies, *(row.body for row in later)])


def _items(connection: Connection, session_id: str, path: list[PathRow], wanted: int | None) -> list[Json]:
    """Return the items of the runs on a path, oldest first; for so many as are wanted it goes on before the path.

    A run has about as many messages as items.
    """
    found: list[Json] = []
    read: set[str] = set()
    while path:
        newest = [id for id in dict.fromkeys(row.run_id for row in reversed(path)) if id not in read]
        for at in range(0, len(newest), RUNS_AT_ONCE):
            some = newest[at : at + RUNS_AT_ONCE]
            ended = {row.id: row.items for row in connection.execute(_ITEMS, {"ids": some})}
            found[:0] = [item for id in reversed(some) for item in ended[id]]
            if wanted is not None and len(found) >= wanted:
                return found
        read.update(newest)
        missing = ALL if wanted is None else wanted - len(found) + MORE
        path = _path(connection, session_id, path[0].parent_id, limit=missing)
    return found


def _path(connection: Connection, session_id: str, leaf: str | None, *, limit: int = ALL) -> list[PathRow]:
    """Return the last messages from `leaf` back to the beginning, oldest first.

    A message's position is its depth, so a path is among the rows of a range of positions; the few rows of other
    branches that the range holds are left out here, unread but for which versions there are. A recursive query took
    PostgreSQL 300 ms for 1,800 messages.
    """
    if leaf is None:
        return []
    found: list[Any] = []
    beside: defaultdict[str | None, list[Any]] = defaultdict(list)
    wanted: str | None = leaf
    for row in connection.execute(_PATH, {"of_session": session_id, "last": leaf, "most": limit}):
        beside[row.parent_id].append(row)
        if row.id == wanted:
            found.append(row)
            wanted = row.parent_id
    return [
        PathRow(
            row.id, row.parent_id, row.run_id, _with_versions(decode_json(row.json), beside[row.parent_id])
        )
        for row in reversed(found)
    ]


def _with_versions(body: Json, beside: list[Any]) -> Json:
    """Return a message of the visitor with the ids of its versions, where there are several."""
    if body.get("role") != "user":
        return body
    rows = sorted(beside, key=lambda row: (row.created_at, row.id))
    return with_versions(body, [row.id for row in rows])
