"""The end of a run: messages, model history, usage and the session's new state are written in one transaction."""

from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    bindparam,
    case,
    exists,
    func,
    select,
    update,
)

from server.errors import NotFound
from server.store.conversations.budgets import today, tokens_of, usage_row
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.rows import ROOT, Finish, Json
from server.store.runs import callbacks
from server.store.runs.interrupt_effects import keep_interrupts, override_interrupts
from server.store.runs.leases import HELD, THIS_RUN, execute_fenced
from server.store.seal import Seal
from server.store.tables import checkpoints, messages, runs, sessions, usage
from server.store.webhooks import Webhooks


class RunEnds(StorePart):
    """Finishes runs under the fence."""

    _seal: Seal
    _webhooks: Webhooks

    async def finish(self, run_id: str, fence: int, finish: Finish) -> None:
        """Commit the end, unpublished, so that the session's next run still waits. Raises Fenced.

        New messages follow the active leaf, or `finish.parent`; messages that are known keep their place.
        """
        finishing = partial(
            _finish, run_id=run_id, fence=fence, finish=finish, seal=self._seal, webhooks=self._webhooks
        )
        await self._database.run_write(finishing)


_session: BindParameter[str] = bindparam("of_session")

_END = (
    update(runs)
    .where(HELD)
    .values(
        status="finished",
        outcome=bindparam("its_outcome"),
        code=bindparam("its_code"),
        items=bindparam("its_items"),
        first_seq=bindparam("its_first_seq"),
        response=bindparam("its_response"),
        state=bindparam("its_state"),
        agent=bindparam("its_agent"),
        ended_at=now_ms(),
    )
    .returning(
        runs.c.session_id,
        runs.c.parent_run_id,
        runs.c.callback_url,
        runs.c.trace_context,
        exists().where(checkpoints.c.run_id == THIS_RUN).label("kept"),
        # A subquery here: beside the ids below it would make SQLite read every message of the session.
        select(sessions.c.active_leaf)
        .where(sessions.c.id == runs.c.session_id)
        .scalar_subquery()
        .label("leaf"),
        select(sessions.c.status)
        .where(sessions.c.id == runs.c.session_id)
        .scalar_subquery()
        .label("status_before"),
    )
)

_KNOWN = select(messages.c.id, messages.c.position).where(
    messages.c.session_id == _session, messages.c.id.in_(bindparam("ids"))
)

_CHANGE = (
    update(messages)
    .where(messages.c.session_id == _session, messages.c.id == bindparam("message"))
    .values(body=bindparam("new_body"))
)

_ADD = messages.insert().values(created_at=now_ms())

_SESSION = (
    update(sessions)
    .where(sessions.c.id == _session)
    .values(
        state=bindparam("new_state"),
        agent=bindparam("new_agent"),
        title=func.coalesce(bindparam("new_title"), sessions.c.title),
        status=bindparam("new_status"),
        last_seq=case(
            (sessions.c.last_seq > bindparam("new_seq"), sessions.c.last_seq),
            else_=bindparam("new_seq"),
        ),
        last_run=bindparam("new_run"),
        active_leaf=bindparam("new_leaf"),
        spent=case((sessions.c.spent_on == today(), sessions.c.spent), else_=0) + bindparam("new_tokens"),
        spent_on=today(),
        updated_at=now_ms(),
    )
    .returning(
        sessions.c.id, sessions.c.app, sessions.c.principal, sessions.c.service, sessions.c.callback_url
    )
)

_USAGE = usage.insert().values(created_at=now_ms())

_FORGET = checkpoints.delete().where(checkpoints.c.run_id == THIS_RUN)


def response_key(run_id: str) -> str:
    """Name a sealed response by what it is."""
    return f"response {run_id}"


def _finish(
    connection: Connection, *, run_id: str, fence: int, finish: Finish, seal: Seal, webhooks: Webhooks
) -> None:
    response: Any = finish.response
    if finish.private and response is not None:
        response = seal.close_json(response, response_key(run_id))
    ended = execute_fenced(
        connection,
        _END,
        {
            "this_run": run_id,
            "this_fence": fence,
            "its_outcome": finish.outcome,
            "its_code": finish.code,
            "its_items": finish.items,
            "its_first_seq": finish.first_seq,
            "its_response": response,
            "its_state": finish.state,
            "its_agent": finish.agent,
        },
    )
    leaf = _write_messages(connection, ended.session_id, run_id, ended.leaf, finish)
    values = {
        "of_session": ended.session_id,
        "new_state": finish.state,
        "new_agent": finish.agent,
        "new_title": finish.title,
        "new_status": finish.status_line,
        "new_seq": finish.last_seq,
        "new_run": run_id,
        "new_leaf": leaf,
        "new_tokens": tokens_of(finish.usage),
    }
    owner = connection.execute(_SESSION, values).one()
    if ended.status_before != finish.status_line and not finish.request:
        facts = {"service": owner.service, "status": finish.status_line}
        webhooks.write(connection, owner.app, "session.changed", owner.id, **facts)
    connection.execute(_USAGE, usage_row(run_id, owner, finish.usage))
    finish = replace(finish, trace_context=finish.trace_context or ended.trace_context)
    if ended.callback_url is not None:
        callbacks.write_response(connection, owner, ended.callback_url, run_id, finish, seal)
    elif owner.callback_url is not None:
        callbacks.write_callback(connection, owner, run_id, finish)
    if finish.interrupts:
        keep_interrupts(connection, ended.session_id, run_id, finish)
        return
    if ended.parent_run_id is not None:  # The run would have asked again; its interrupts end here.
        override_interrupts(connection, ended.session_id)
    if ended.kept:
        connection.execute(_FORGET, {"this_run": run_id})


def _write_messages(
    connection: Connection, session_id: str, run_id: str, active: str | None, finish: Finish
) -> str | None:
    """Store the messages after the `active` leaf and return the leaf of the branch that is active now."""
    named = {str(message["id"]): message for message in finish.messages}
    anchors = [id for id in (finish.parent, active) if id not in {None, ROOT}]
    rows = connection.execute(_KNOWN, {"of_session": session_id, "ids": [*named, *anchors]}).all()
    known: dict[str, int] = {row.id: row.position for row in rows}
    changed = [
        {"of_session": session_id, "message": id, "new_body": body}
        for id, body in named.items()
        if id in known
    ]
    if changed:
        connection.execute(_CHANGE, changed)
    parent = active if finish.parent is None else finish.parent or None
    new = [message for id, message in named.items() if id not in known]
    if new:
        connection.execute(
            _ADD, _chain_rows(new, _anchor(parent, known), session_id=session_id, run_id=run_id)
        )
    return str(new[-1]["id"]) if new else parent


def _anchor(id: str | None, known: dict[str, int]) -> tuple[str | None, int]:
    """Return a message of this session and its position; the beginning is None at 0."""
    if id is None:
        return None, 0
    if id not in known:
        raise NotFound
    return id, known[id]


def _chain_rows(new: list[Json], anchor: tuple[str | None, int], **same: Any) -> list[Json]:
    """Return the rows of new messages, each the child of the one before."""
    parent, position = anchor
    rows: list[Json] = []
    for message in new:
        position += 1
        id = str(message["id"])
        rows.append({"id": id, "parent_id": parent, "position": position, "body": message, **same})
        parent = id
    return rows
