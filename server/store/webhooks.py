"""Webhooks: the events of an app's conversations and items, written with the fact and posted in their order.

An event waits until those of its conversation before it were taken or given up. An app whose receiver takes nothing
has a bounded number of events that wait: further events are dropped and counted, until some were taken.
"""

import logging
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Select,
    String,
    Text,
    bindparam,
    exists,
    func,
    literal,
    select,
    update,
)

from server.apps import App, EventType
from server.limits import Limits
from server.metrics import WEBHOOKS_LOST
from server.protocol.codec import decode_json, encode_json
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import Database
from server.store.posts import Callback, Posts, PostStatements, claim_of, claiming
from server.store.rows import Json
from server.store.tables import webhooks

log = logging.getLogger(__name__)

ORPHANED_S = 3600
"""An event of an app without a receiver waits so long: while the file of apps changes, another process may know one."""


_STATEMENTS = PostStatements(webhooks, ("id", "session_id", "app", "body", "attempt"))


class Webhooks(Posts):
    """The outbox of events. The address is that of the app by now, so what waits goes to a new one too."""

    def __init__(self, database: Database, apps: Mapping[str, App], limits: Limits) -> None:
        super().__init__(database, _STATEMENTS)
        self._due = self.statements.due.where(*_FIRST).order_by(webhooks.c.number)
        self._most_waiting = limits.waiting_events_per_app
        self._most_at_once = limits.event_posts_per_app
        self._apps = {name: app for name, app in apps.items() if app.webhook_url is not None}
        self._full: set[str] = set()
        self._served: frozenset[str] = frozenset()
        """The apps that have had an event claimed since the others had their last turn."""

    @property
    def has_receivers(self) -> bool:
        """Return whether an app has a webhook for any event."""
        return bool(self._apps)

    def wants(self, app: str, type: EventType) -> bool:
        """Return whether an app has a webhook for events of this type."""
        return app in self._apps and self._apps[app].wants(type)

    def wanted_by_any(self, type: EventType) -> bool:
        """Return whether at least one app has a webhook for events of this type."""
        return any(each.wants(type) for each in self._apps.values())

    def write(
        self, connection: Connection, /, app: str, type: EventType, session_id: str, **facts: Any
    ) -> None:
        """Write an event in the transaction of its fact, where the app wants it."""
        if not self.wants(app, type):
            return
        told = {
            "type": type,
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "data": {"session_id": session_id, **facts},
        }
        row = {
            "new_id": new_id("evt"),
            "of_session": session_id,
            "of_app": app,
            "most_waiting": self._most_waiting,
        }
        if connection.execute(_WRITE, {**row, "new_body": encode_json(told)}).rowcount:
            self._full.discard(app)
            return
        WEBHOOKS_LOST.inc()
        if app not in self._full:
            log.warning(
                "events of app %s are lost: %d of them wait for its receiver", app, self._most_waiting
            )
        self._full.add(app)

    async def claim(self, owner: str, lease_s: float) -> Callback | None:
        """Take the event that has been due longest of those that are the first of their conversation.

        Apps take turns, so that one with many events does not hold up the others. The events of an app of which this
        process knows no receiver are left to a process that does, and in the end to `sweep`.
        """
        values = claiming(owner, lease_s)
        row = await self._take(self._due_beside(()), partial(self._take_in_turn, values=values))
        if row is None:
            self._served = frozenset()
            return None
        again = row.app in self._served
        self._served = frozenset({row.app}) if again else self._served | {row.app}
        return Callback(run_id="", url=str(self._apps[row.app].webhook_url), **row._mapping)

    def _take_in_turn(self, connection: Connection, values: Json) -> Any:
        for served in dict.fromkeys((self._served, frozenset[str]())):
            row = self.statements.take_due(connection, self._due_beside(served), values)
            if row is not None:
                return row
        return None

    def _due_beside(self, served: Collection[str]) -> Select[Any]:
        """Return the event that is due longest of the apps that have a receiver, but of these."""
        return self._due.params(of_apps=sorted(self._apps.keys() - served), most_at_once=self._most_at_once)

    async def note_failed(self, callback: Callback, answer: int | None, again_s: float | None) -> None:
        """Record that the receiver did not take the event: it is due again after so many seconds, with all that follow
        it, or never.
        """
        if again_s is None:
            await super().note_failed(callback, answer, again_s)
            return
        values = {**claim_of(callback), "its_answer": answer, "wait_ms": int(again_s * 1000)}
        follow = {"of_session": callback.session_id, "this": callback.id}

        def put_off(connection: Connection) -> None:
            if connection.execute(self.statements.put_off, values).rowcount:
                connection.execute(_FOLLOW, follow)

        await self._database.run_write(put_off)

    async def sweep(self) -> int:
        """Give up what has waited for `ORPHANED_S` for an app without a receiver, and remove what was settled long ago.

        Returns how many events were removed.
        """
        await self._database.execute(_GIVE_UP, {"of_apps": sorted(self._apps)})
        return await super().sweep()

    async def forget_address(self, callback: Callback) -> None:
        """Drop an event that its receiver refuses: it is not sent again."""
        await self._settle(callback, "gone", 410)

    async def states(self, session_id: str) -> list[tuple[str, str, int, int | None]]:
        """Return type, state, attempts and last HTTP status of the events of a conversation, in their order."""
        rows = await self._database.fetch(_STATES, {"of_session": session_id})
        return [(decode_json(row.body)["type"], row.status, row.attempt, row.answer) for row in rows]


_session = bindparam("of_session", type_=String())
_app = bindparam("of_app", type_=String())
_apps = bindparam("of_apps", expanding=True, type_=String())

_NEW: dict[str, Any] = {
    "id": bindparam("new_id", type_=String()),
    "session_id": _session,
    "app": _app,
    "body": bindparam("new_body", type_=Text()),
    "status": literal("waiting", String()),
    "attempt": literal(0, Integer()),
    "due_at": now_ms(),
    "created_at": now_ms(),
}


_most_waiting = bindparam("most_waiting", type_=Integer())
_some = select(literal(1)).where(webhooks.c.app == _app, webhooks.c.status == "waiting").limit(_most_waiting)
_waiting = select(func.count()).select_from(_some.subquery()).scalar_subquery()
_WRITE = webhooks.insert().from_select(list(_NEW), select(*_NEW.values()).where(_waiting < _most_waiting))
"""An event is not inserted where so many of its app wait."""

_before = webhooks.alias("before")
_busy = (
    select(webhooks.c.app)
    .where(webhooks.c.lease_until >= now_ms())
    .group_by(webhooks.c.app)
    .having(func.count() >= bindparam("most_at_once"))
)
"""Apps to which as many posts are made at once as may be: a receiver that is slow leaves room for others."""

_FIRST = (
    webhooks.c.app.not_in(_busy),
    webhooks.c.app.in_(_apps),
    ~exists().where(
        _before.c.session_id == webhooks.c.session_id,
        _before.c.status == "waiting",
        _before.c.number < webhooks.c.number,
    ),
)
"""An event is claimed after those of its conversation before it."""

_head = webhooks.alias("head")
_FOLLOW = (
    update(webhooks)
    .where(
        webhooks.c.session_id == _session,
        webhooks.c.status == "waiting",
        webhooks.c.due_at < _head.c.due_at,
        _head.c.id == bindparam("this"),
        webhooks.c.number > _head.c.number,
    )
    .values(due_at=_head.c.due_at)
)
"""Events behind one that is put off are not claimed before it."""

_GIVE_UP = (
    update(webhooks)
    .where(
        webhooks.c.status == "waiting",
        webhooks.c.app.not_in(_apps),
        webhooks.c.due_at < now_ms() - ORPHANED_S * 1000,
    )
    .values(status="failed", settled_at=now_ms(), owner=None, lease_until=None)
)

_STATES = (
    select(webhooks.c.body, webhooks.c.status, webhooks.c.attempt, webhooks.c.answer)
    .where(webhooks.c.session_id == _session)
    .order_by(webhooks.c.number)
)
