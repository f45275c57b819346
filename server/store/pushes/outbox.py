"""The outbox of pushes: a message of an operator waits for each browser of its visitor, from its own transaction on.

A newer message of the conversation replaces one that waits: the browser shows the newest alone. What has waited for
`TTL_S` is given up, since a push service keeps a message for as long.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, delete, literal, or_, select, update

from server.protocol.codec import encode_json
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import Database
from server.store.posts import Callback, Posts, PostStatements, claim_of, claiming
from server.store.pushes.tables import push_subscriptions, pushes
from server.store.rows import Session
from server.store.shares import NONE_FULL, FullShares, receiving_host
from server.store.tables import sessions

TTL_S = 24 * 3600
"""Seconds for which a message is worth a push."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """The browser that a push is for, and its visitor."""

    principal: str
    endpoint: str
    p256dh: str
    auth: str


_STATEMENTS = PostStatements(pushes, ("id", "session_id", "app", "body", "attempt"))


class Pushes(Posts):
    """The outbox of pushes."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, _STATEMENTS)

    async def claim(self, owner: str, lease_s: float, full: FullShares = NONE_FULL) -> Callback | None:
        """Take the push that has been due longest, or None; its address is that of its recipient.

        None is taken for those whose share is `full`.
        """
        do, values, due = self.statements, claiming(owner, lease_s), self.statements.due
        if full:
            # Thousands may wait for such a receiver: they are passed over without the lock of writers.
            room = _RECEIVER.not_in(sorted(full.receivers)), _ORDERER.not_in(sorted(full.orderers))
            found = await self._database.fetch(due.where(*room))
            if not found:
                return None
            due = due.where(pushes.c.id == found[0].id)

        def take(connection: Connection) -> Callback | None:
            row = do.take_due(connection, due, values)
            if row is None:
                return None
            its = connection.execute(_ADDRESSED, {"this": row.id}).one()
            return Callback(run_id="", url=its.endpoint, orderer=its.principal, **row._mapping)

        return await self._take(due, take)

    async def recipient(self, callback: Callback) -> Recipient | None:
        """Return the browser of a push; None where the browser or its visitor has the conversation no more."""
        rows = await self._database.fetch(_RECIPIENT, {"this": callback.id})
        return Recipient(**rows[0]._mapping) if rows else None

    async def note_needless(self, callback: Callback) -> None:
        """Record that a push is not sent: its visitor has the page open, or its browser has unsubscribed."""
        await self._settle(callback, "gone", None)

    async def forget_address(self, callback: Callback) -> None:
        """Remove the subscription that the push service does not know any more, with all that waits for it."""
        await self._database.execute(_FORGET, claim_of(callback))

    async def sweep(self) -> int:
        """Give up what has waited too long, and remove what was settled long ago; returns how many were removed."""
        await self._database.execute(_GIVE_UP, {})
        return await super().sweep()

    async def states(self, session_id: str) -> list[tuple[str, str, int, int | None]]:
        """Return id, state, attempts and last HTTP status of the pushes of a conversation, oldest first."""
        rows = await self._database.fetch(_STATES, {"of_session": session_id})
        return [(row.id, row.status, row.attempt, row.answer) for row in rows]


def write_pushes(connection: Connection, session: Session, message_id: str, name: str | None) -> None:
    """Let a message of an operator wait for each browser of its visitor, in the transaction that stores the message."""
    own = {"its_app": session.app, "its_principal": session.principal}
    subscribed = list(connection.execute(_SUBSCRIBED, own).scalars())
    if not subscribed:
        return
    connection.execute(_REPLACE, {"of_session": session.id})
    body = encode_json({"message": message_id, "language": session.language, "name": name})
    rows = [
        {
            "id": new_id("psh"),
            "session_id": session.id,
            "subscription_id": id,
            "app": session.app,
            "body": body,
        }
        for id in subscribed
    ]
    connection.execute(_WRITE, rows)


_session: BindParameter[str] = bindparam("of_session")

_SUBSCRIBED = select(push_subscriptions.c.id).where(
    push_subscriptions.c.app == bindparam("its_app"),
    push_subscriptions.c.principal == bindparam("its_principal"),
)

_REPLACE = delete(pushes).where(
    pushes.c.session_id == _session,
    pushes.c.status == "waiting",
    or_(pushes.c.lease_until.is_(None), pushes.c.lease_until < now_ms()),
)

_WRITE = pushes.insert().values(
    status="waiting", attempt=0, due_at=now_ms(), created_at=now_ms(), settled_at=None
)

_RECIPIENT: Any = (
    select(
        push_subscriptions.c.principal,
        push_subscriptions.c.endpoint,
        push_subscriptions.c.p256dh,
        push_subscriptions.c.auth,
    )
    .join(pushes, pushes.c.subscription_id == push_subscriptions.c.id)
    .join(sessions, sessions.c.id == pushes.c.session_id)
    # A conversation that was handed over since is not for the browser of its former visitor.
    .where(pushes.c.id == bindparam("this"), sessions.c.principal == push_subscriptions.c.principal)
)

_ADDRESSED = (
    select(push_subscriptions.c.endpoint, push_subscriptions.c.principal)
    .join(pushes, pushes.c.subscription_id == push_subscriptions.c.id)
    .where(pushes.c.id == bindparam("this"))
)

_OF_PUSH = push_subscriptions.c.id == pushes.c.subscription_id
_RECEIVER = (
    pushes.c.app
    + literal(" ")
    + receiving_host(select(push_subscriptions.c.endpoint).where(_OF_PUSH).scalar_subquery())
)
"""As `receiver_of` says it."""

_ORDERER = select(push_subscriptions.c.principal).where(_OF_PUSH).scalar_subquery()

_FORGET = delete(push_subscriptions).where(
    push_subscriptions.c.id.in_(
        select(pushes.c.subscription_id).where(
            pushes.c.id == bindparam("this"), pushes.c.attempt == bindparam("this_attempt")
        )
    )
)

_GIVE_UP = (
    update(pushes)
    .where(pushes.c.status == "waiting", pushes.c.created_at < now_ms() - TTL_S * 1000)
    .values(status="failed", settled_at=now_ms(), owner=None, lease_until=None)
)

_STATES = (
    select(pushes.c.id, pushes.c.status, pushes.c.attempt, pushes.c.answer)
    .where(pushes.c.session_id == _session)
    .order_by(pushes.c.created_at, pushes.c.id)
)
