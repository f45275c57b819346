"""The callbacks of a session: written with the end of a run, claimed and settled by senders."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    String,
    Text,
    and_,
    bindparam,
    delete,
    or_,
    select,
    update,
)

from server.protocol.codec import encode_json
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, DueQueue
from server.store.rows import Finish, Json
from server.store.seal import Seal, Unreadable
from server.store.tables import callbacks, sessions

log = logging.getLogger(__name__)

FINISHED = "run.finished"
KEEP_S = 7 * 86_400
"""A callback that was settled is kept so long, for an app that asks for its status."""


@dataclass(frozen=True, slots=True)
class Callback:
    """One post that is ours to make until its lease ends; `attempt` counts the claims and is its fence."""

    id: str
    session_id: str
    run_id: str
    app: str
    url: str
    body: str
    attempt: int
    trace_context: str | None = None
    """The span that the post continues."""


@dataclass(frozen=True, slots=True)
class CallbackState:
    """What became of a callback; `answer` is the last HTTP status, `due_at` ms since the epoch."""

    id: str
    app: str
    session_id: str
    status: str
    attempt: int
    answer: int | None
    due_at: int


COLUMNS = [callbacks.c[name] for name in Callback.__dataclass_fields__]


class Callbacks(DueQueue):
    """The outbox. Time is the database's; the result of an older attempt's claim is ignored."""

    def __init__(self, database: Database, seal: Seal) -> None:
        super().__init__(database)
        self._seal = seal

    async def claim(self, owner: str, lease_s: float) -> Callback | None:
        """Take the one that has been due longest, or None; one whose sender went silent is due again.

        One whose body cannot be opened any more is given up.
        """
        values = {"new_owner": owner, "lease_ms": int(lease_s * 1000)}
        taken = await self._take(_DUE, partial(_try_to_claim, values=values))
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

    async def release(self, callback: Callback) -> None:
        """Give back what nobody began to post: it is due as it was, and this attempt does not count."""
        await self._database.execute(_RELEASE, _of(callback))

    async def note_delivered(self, callback: Callback, answer: int) -> None:
        """It was taken, with this HTTP status."""
        await self._settle(callback, "delivered", answer)

    async def note_failed(self, callback: Callback, answer: int | None, again_s: float | None) -> None:
        """It was not taken: due again after so many seconds, or never."""
        if again_s is None:
            await self._settle(callback, "failed", answer)
            return
        values = {**_of(callback), "its_answer": answer, "wait_ms": int(again_s * 1000)}
        await self._database.execute(_PUT_OFF, values)

    async def forget_address(self, callback: Callback) -> None:
        """The receiver wants no more: its address is forgotten, and what waits for it is not sent."""

        def forget(connection: Connection) -> None:
            known = {"of_session": callback.session_id, "its_url": callback.url}
            connection.execute(_FORGET, known)
            connection.execute(_DROP, {**known, "its_answer": 410})

        await self._database.run_write(forget)

    async def states(self, session_id: str) -> list[tuple[str, str, int, int | None]]:
        """Id, state, attempts and last HTTP status of what was written for a session, oldest first."""
        query = (
            select(callbacks.c.id, callbacks.c.status, callbacks.c.attempt, callbacks.c.answer)
            .where(callbacks.c.session_id == session_id)
            .order_by(callbacks.c.created_at, callbacks.c.id)
        )
        rows = await self._database.fetch(query)
        return [(row.id, row.status, row.attempt, row.answer) for row in rows]

    async def list_states(self, status: str, most: int) -> list[CallbackState]:
        """Return the newest of those that are `waiting`, `delivered`, `failed` or `gone`, the newest first."""
        rows = await self._database.fetch(_LIST, {"its_status": status, "most": most})
        return [CallbackState(**row._mapping) for row in rows]

    async def replay(self, ids: Sequence[str] | None) -> list[str]:
        """Let callbacks that were given up be due again, with all their attempts; None is all of them.

        Returns the ids of those that are.
        """
        replaying = _REPLAY if ids is None else _REPLAY.where(callbacks.c.id.in_(ids))

        def replay_now(connection: Connection) -> list[str]:
            return list(connection.execute(replaying.returning(callbacks.c.id)).scalars())

        return await self._database.run_write(replay_now)

    async def sweep(self) -> int:
        """Remove what was settled a week ago; returns how many."""
        return await self._database.run_write(lambda connection: connection.execute(_SWEEP).rowcount)

    async def _settle(self, callback: Callback, status: str, answer: int | None) -> None:
        values = {**_of(callback), "new_status": status, "its_answer": answer}
        await self._database.execute(_SETTLE, values)


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


_SPEAKERS = {"user", "assistant"}


def _payload(message: Json) -> Json:
    return {
        name: message[name] for name in ("id", "role", "name", "content") if message.get(name) is not None
    }


def _of(callback: Callback) -> Json:
    return {"this": callback.id, "this_attempt": callback.attempt}


_MINE = and_(
    callbacks.c.id == bindparam("this", type_=String()),
    callbacks.c.attempt == bindparam("this_attempt", type_=Integer()),
    callbacks.c.status == "waiting",
)
_answer = bindparam("its_answer", type_=Integer())

_WRITE = callbacks.insert().values(
    status="waiting", attempt=0, due_at=now_ms(), created_at=now_ms(), settled_at=None
)

_DUE = (
    select(callbacks.c.id)
    .where(
        callbacks.c.status == "waiting",
        callbacks.c.due_at <= now_ms(),
        or_(callbacks.c.lease_until.is_(None), callbacks.c.lease_until < now_ms()),
    )
    .order_by(callbacks.c.due_at)
    .limit(1)
)

_LOCK_DUE = _DUE.with_for_update(skip_locked=True)

_TAKE = (
    update(callbacks)
    .where(callbacks.c.id == bindparam("this", type_=String()))
    .values(
        owner=bindparam("new_owner", type_=String()),
        attempt=callbacks.c.attempt + 1,
        lease_until=now_ms() + bindparam("lease_ms", type_=BigInteger()),
    )
    .returning(*COLUMNS)
)

_PUT_OFF = (
    update(callbacks)
    .where(_MINE)
    .values(
        owner=None,
        lease_until=None,
        answer=_answer,
        due_at=now_ms() + bindparam("wait_ms", type_=BigInteger()),
    )
)

_RELEASE = (
    update(callbacks).where(_MINE).values(owner=None, lease_until=None, attempt=callbacks.c.attempt - 1)
)

_SETTLE = (
    update(callbacks)
    .where(_MINE)
    .values(
        status=bindparam("new_status", type_=String()),
        owner=None,
        lease_until=None,
        answer=_answer,
        settled_at=now_ms(),
    )
)

_session = bindparam("of_session", type_=String())
_url = bindparam("its_url", type_=Text())

_FORGET = (
    update(sessions)
    .where(sessions.c.id == _session, sessions.c.callback_url == _url)
    .values(callback_url=None)
)

_DROP = (
    update(callbacks)
    .where(callbacks.c.session_id == _session, callbacks.c.url == _url, callbacks.c.status == "waiting")
    .values(status="gone", owner=None, lease_until=None, answer=_answer, settled_at=now_ms())
)


_long_ago = now_ms() - KEEP_S * 1000

# A settled callback was due before, so the index on `due_at` finds it.
_SWEEP = delete(callbacks).where(
    callbacks.c.status.in_(["delivered", "failed", "gone"]),
    callbacks.c.due_at <= _long_ago,
    callbacks.c.settled_at <= _long_ago,
)


_STATE = [callbacks.c[name] for name in CallbackState.__dataclass_fields__]

_LIST = (
    select(*_STATE)
    .where(callbacks.c.status == bindparam("its_status", type_=String()))
    .order_by(callbacks.c.due_at.desc())
    .limit(bindparam("most", type_=Integer()))
)

_REPLAY = (
    update(callbacks)
    .where(callbacks.c.status == "failed")
    .values(status="waiting", attempt=0, due_at=now_ms(), settled_at=None)
)


def _try_to_claim(connection: Connection, *, values: Json) -> Callback | None:
    found = connection.execute(_LOCK_DUE).first()
    if found is None:
        return None
    return Callback(**connection.execute(_TAKE, {"this": found.id, **values}).one()._mapping)
