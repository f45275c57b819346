"""Versions of messages: which one a command names, how many there are, and where a run leaves the active path."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, exists, select

from server.errors import NotEditable, NotFound
from server.protocol.content_parts import VISITOR_PARTS
from server.store.engine.database import StorePart
from server.store.rows import Branch, Json
from server.store.tables import messages, runs, tool_calls

MOST_ANSWERS = 64
"""Runs that answer each other's questions in one turn, at most; a model has fewer calls."""

LEVELS = 200
"""Levels of the tree of messages that one statement reads below a message."""


@dataclass(frozen=True, slots=True)
class VersionedMessage:
    """A message of the visitor, of which there may be versions."""

    message_id: str
    content: list[Json]
    tools: list[Json] | None
    versions: int
    """The number of versions by now."""


class Versions(StorePart):
    """Reads the tree of messages where it has branches."""

    async def find(self, session_id: str, message_id: str, *, of_answer: bool = False) -> VersionedMessage:
        """Return the visitor's message of this id; with `of_answer` also the one that a message of agents answers.

        It is named by our id of it, the client's, or that of its run, which may not have ended yet. Raises NotFound,
        and NotEditable for what no visitor wrote.
        """
        return await self._database.run_read(
            lambda connection: _find(connection, session_id, message_id, of_answer=of_answer)
        )

    async def find_branch(self, session_id: str, branch: Json) -> Branch | None:
        """Return where a run leaves the active path; None when the message that it names was never stored."""
        return await self._database.run_read(lambda connection: _find_branch(connection, session_id, branch))


_session: BindParameter[str] = bindparam("of_session")
_message: BindParameter[str] = bindparam("this")
_run: BindParameter[str] = bindparam("of_run")

_RUN = [runs.c.id, runs.c.message_id, runs.c.content, runs.c.tools, runs.c.parent_run_id]

_STORED = (
    select(*_RUN, messages.c.parent_id, messages.c.position)
    .join(messages, messages.c.run_id == runs.c.id)
    .where(messages.c.session_id == _session, messages.c.id == _message)
)

_UNENDED = select(*_RUN).where(
    runs.c.session_id == _session, runs.c.status.in_(["queued", "running"]), runs.c.message_id == _message
)

_NAMED = select(*_RUN).where(
    runs.c.session_id == _session, (runs.c.id == _message) | (runs.c.client_id == _message)
)

_OF_RUN = select(*_RUN).where(runs.c.id == _run)

_PLACE = select(messages.c.parent_id, messages.c.position, messages.c.run_id).where(
    messages.c.session_id == _session, messages.c.id == _message
)

_BELOW = (
    select(messages.c.id, messages.c.parent_id, messages.c.position, messages.c.created_at)
    .where(
        messages.c.session_id == _session,
        messages.c.position >= bindparam("first"),
        messages.c.position < bindparam("end"),
    )
    .order_by(messages.c.position)
)

_BESIDE = (
    select(messages.c.id, messages.c.parent_id)
    .where(messages.c.session_id == _session, messages.c.position == bindparam("at"))
    .order_by(messages.c.created_at, messages.c.id)
)

_LEFT = (
    select(runs.c.state, runs.c.agent)
    .join(messages, messages.c.run_id == runs.c.id)
    .where(messages.c.session_id == _session, messages.c.id == _message)
)

_since = select(runs.c.place).where(runs.c.id == _run).scalar_subquery()

_KEPT = select(
    exists().where(
        runs.c.session_id == _session,
        runs.c.place >= _since,
        tool_calls.c.run_id == runs.c.id,
        tool_calls.c.effect == "once",
        tool_calls.c.state != "intent",
    )
)


def _find(connection: Connection, session_id: str, message_id: str, *, of_answer: bool) -> VersionedMessage:
    key = {"of_session": session_id, "this": message_id}
    row: Any = connection.execute(_STORED, key).first() or connection.execute(_UNENDED, key).first()
    if row is not None and row.message_id != message_id and not of_answer:
        raise NotEditable
    row = row or connection.execute(_NAMED, key).first()
    if row is None:
        raise NotFound
    for _ in range(MOST_ANSWERS):  # The answer of a question goes on with the turn that asked.
        if row.parent_run_id is None:
            break
        row = connection.execute(_OF_RUN, {"of_run": row.parent_run_id}).one()
    if not _is_of_visitor(row.content):
        raise NotEditable
    place = _place(connection, session_id, row.message_id)
    versions = len(_versions(connection, session_id, place)) if place is not None else 1
    return VersionedMessage(row.message_id, row.content, row.tools, versions)


def _is_of_visitor(content: Iterable[Json]) -> bool:
    """Return whether a visitor wrote this; the data of a request is none of a conversation."""
    parts = list(content)
    return bool(parts) and all(each["type"] in VISITOR_PARTS for each in parts)


def _place(connection: Connection, session_id: str, message_id: str) -> Any:
    """Return the place of a stored message in the tree, None for one that is not stored."""
    return connection.execute(_PLACE, {"of_session": session_id, "this": message_id}).first()


def _versions(connection: Connection, session_id: str, place: Any) -> list[str]:
    """Return the stored versions of the message at a place, oldest first."""
    rows = connection.execute(_BESIDE, {"of_session": session_id, "at": place.position})
    return [row.id for row in rows if row.parent_id == place.parent_id]


def _find_branch(connection: Connection, session_id: str, branch: Json) -> Branch | None:
    named = branch.get("version_of") or branch["switch_to"]
    place = _place(connection, session_id, named)
    if place is None:
        return None
    if "switch_to" in branch:
        parent, versions, kept = _newest_below(connection, session_id, named, place.position), [], False
    else:
        parent, versions = place.parent_id, _versions(connection, session_id, place)
        kept = bool(
            connection.execute(_KEPT, {"of_session": session_id, "of_run": place.run_id}).scalar_one()
        )
    state, agent = _left_by(connection, session_id, parent)
    return Branch(parent, versions, state, agent, kept)


def _left_by(
    connection: Connection, session_id: str, message_id: str | None
) -> tuple[Json | None, str | None]:
    """Return the state and the agent after the run of a message: none of either before the first one."""
    if message_id is None:
        return {}, None
    row = connection.execute(_LEFT, {"of_session": session_id, "this": message_id}).one()
    return row.state, row.agent


def _newest_below(connection: Connection, session_id: str, message_id: str, position: int) -> str:
    """Return the end of the path through a message that was written last.

    The rows below it are read without their bodies, some levels at a time, until a level has none of them. So a switch
    to a short version costs little in a long conversation.
    """
    newest = message_id
    written: tuple[int, ...] = ()
    below, first = {message_id}, position + 1
    while below:
        levels = {"of_session": session_id, "first": first, "end": first + LEVELS}
        deepest = set()
        for row in connection.execute(_BELOW, levels):
            if row.parent_id not in below:
                continue
            below.add(row.id)
            if row.position == first + LEVELS - 1:
                deepest.add(row.id)
            if (row.created_at, row.position) >= written:
                newest, written = row.id, (row.created_at, row.position)
        below, first = deepest, first + LEVELS
    return newest
