"""The callbacks of a session: written with the end of a run, claimed and settled by senders."""

import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    Boolean,
    Connection,
    bindparam,
    literal,
    not_,
    or_,
    select,
    update,
)

from server.identity import STRANGER_PREFIXES
from server.protocol.codec import encode_json
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import Database
from server.store.posts import ANSWER, Callback, Posts, PostStatements, claiming
from server.store.rows import Finish, Json
from server.store.seal import Seal, Unreadable
from server.store.shares import NONE_FULL, FullShares, receiving_host
from server.store.tables import callbacks, sessions

log = logging.getLogger(__name__)

FINISHED = "run.finished"


class Callbacks(Posts):
    """The outbox of callbacks."""

    def __init__(self, database: Database, seal: Seal) -> None:
        super().__init__(database, _STATEMENTS)
        self._seal = seal

    async def claim(self, owner: str, lease_s: float, full: FullShares = NONE_FULL) -> Callback | None:
        """Take the one that has been due longest, or None; one whose sender went silent is due again.

        None is taken for those whose share is `full`. One whose body cannot be opened any more is given up.
        """
        do, values = self.statements, claiming(owner, lease_s)
        due = do.due.params(_passed_over(NONE_FULL))
        if full:
            # Thousands may wait for such a receiver: they are passed over without the lock of writers.
            found = await self._database.fetch(do.due.params(_passed_over(full)))
            if not found:
                return None
            due = due.where(callbacks.c.id == found[0].id)

        def take(connection: Connection) -> Callback | None:
            row = do.take_due(connection, due, values)
            if row is None:
                return None
            orderer = connection.execute(_ORDERER_OF, {"of_session": row.session_id}).scalar_one()
            return Callback(**row._mapping, orderer=orderer)

        taken = await self._take(due, take)
        if taken is None:
            return None
        try:
            about = _about(taken.session_id, taken.run_id, taken.url)
            return replace(
                taken, body=self._seal.open_text(taken.body, about, _about_session(taken.session_id))
            )
        except Unreadable:
            log.warning(
                "a callback cannot be opened: LOOPWIRE_SECRET or its row is another than when it was written"
            )
            await self.note_failed(taken, None, None)
            return None

    async def forget_address(self, callback: Callback) -> None:
        """Forget the address of a receiver that wants no more, and drop what waits for it."""

        def forget(connection: Connection) -> None:
            known = {"of_session": callback.session_id, "its_url": callback.url}
            connection.execute(_FORGET, known)
            connection.execute(_DROP, {**known, "its_answer": 410})

        await self._database.run_write(forget)

    async def states(self, session_id: str) -> list[tuple[str, str, int, int | None]]:
        """Return id, state, attempts and last HTTP status of what was written for a session, oldest first."""
        query = (
            select(callbacks.c.id, callbacks.c.status, callbacks.c.attempt, callbacks.c.answer)
            .where(callbacks.c.session_id == session_id)
            .order_by(callbacks.c.created_at, callbacks.c.id)
        )
        rows = await self._database.fetch(query)
        return [(row.id, row.status, row.attempt, row.answer) for row in rows]


def write_callback(connection: Connection, ended: Any, run_id: str, finish: Finish) -> None:
    """Write the callback of a run's end, in the end's own transaction."""
    data = {
        "type": FINISHED,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "data": {
            "session_id": ended.id,
            "run_id": run_id,
            "service": ended.service,
            "outcome": finish.outcome,
            "code": finish.code,
            "status": finish.status_line,
            "agent": finish.agent,
            "state": {key: value for key, value in finish.state.items() if not key.startswith("_")},
            "messages": [_payload(each) for each in finish.messages if each.get("role") in _SPEAKERS],
        },
    }
    _write(connection, ended, ended.callback_url, run_id, encode_json(data), finish.trace_context)


def write_response(
    connection: Connection, ended: Any, url: str, run_id: str, finish: Finish, seal: Seal
) -> None:
    """Write the callback of a request, in the transaction of its run's end: the response, or why there is none."""
    failed = {"error": finish.code or finish.outcome, "job_id": run_id}
    answer = encode_json(failed if finish.response is None else finish.response)
    body = seal.close_text(answer, _about(ended.id, run_id, url)) if finish.private else answer
    _write(connection, ended, url, run_id, body, finish.trace_context)


def _about(session_id: str, run_id: str, url: str) -> str:
    return f"callback {session_id} {run_id} {url}"


def _about_session(session_id: str) -> str:
    """Name a sealed body as earlier versions did."""
    return f"callback {session_id}"


def _write(connection: Connection, ended: Any, url: str, run_id: str, body: str, trace: str | None) -> None:
    about = {"id": new_id("cbk"), "session_id": ended.id, "run_id": run_id, "app": ended.app, "url": url}
    connection.execute(_WRITE, {**about, "body": body, "trace_context": trace})


_RECEIVER = callbacks.c.app + literal(" ") + receiving_host(callbacks.c.url)
"""As `receiver_of` says it."""

_ORDERER = select(sessions.c.principal).where(sessions.c.id == callbacks.c.session_id).scalar_subquery()

_full_receivers: BindParameter[list[str]] = bindparam("full_receivers", expanding=True)
_full_orderers: BindParameter[list[str]] = bindparam("full_orderers", expanding=True)
_strangers_too: BindParameter[bool] = bindparam("strangers_too", type_=Boolean())

_HAS_ROOM = (
    _RECEIVER.not_in(_full_receivers),
    _ORDERER.not_in(_full_orderers),
    or_(
        _strangers_too, not_(or_(*(_ORDERER.startswith(each, autoescape=True) for each in STRANGER_PREFIXES)))
    ),
)
"""The conditions of `FullShares` on a callback."""

_TAKEN = [each for each in Callback.__dataclass_fields__ if each != "orderer"]
_STATEMENTS = PostStatements(callbacks, _TAKEN, _HAS_ROOM)


def _passed_over(full: FullShares) -> Json:
    """Return the values of `_HAS_ROOM`."""
    return {
        "full_receivers": sorted(full.receivers),
        "full_orderers": sorted(full.orderers),
        "strangers_too": not full.strangers,
    }


_SPEAKERS = {"user", "assistant"}


def _payload(message: Json) -> Json:
    return {
        name: message[name] for name in ("id", "role", "name", "content") if message.get(name) is not None
    }


_WRITE = callbacks.insert().values(status="waiting", attempt=0, due_at=now_ms(), created_at=now_ms())

_session: BindParameter[str] = bindparam("of_session")
_url: BindParameter[str] = bindparam("its_url")

_ORDERER_OF = select(sessions.c.principal).where(sessions.c.id == _session)

_FORGET = (
    update(sessions)
    .where(sessions.c.id == _session, sessions.c.callback_url == _url)
    .values(callback_url=None)
)

_DROP = (
    update(callbacks)
    .where(callbacks.c.session_id == _session, callbacks.c.url == _url, callbacks.c.status == "waiting")
    .values(status="gone", owner=None, lease_until=None, answer=ANSWER, settled_at=now_ms())
)
