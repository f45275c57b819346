"""The subscriptions of browsers: the address at a push service, and the keys by which the browser reads a message."""

import hashlib

from sqlalchemy import Connection, bindparam, delete, select, update

from server.errors import Unauthorized
from server.limits import Limits
from server.protocol.ids import new_id
from server.store.conversations.revocations import is_revoked
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, StorePart
from server.store.pushes.tables import push_subscriptions


class PushSubscriptions(StorePart):
    """Keeps the subscriptions. A browser has one address, and belongs to the visitor who subscribed it last."""

    def __init__(self, database: Database, limits: Limits) -> None:
        """`limits` say how many subscriptions a visitor has with one app."""
        super().__init__(database)
        self._most = limits.push_subscriptions_per_visitor

    async def put(self, app: str, principal: str, endpoint: str, p256dh: str, auth: str) -> None:
        """Store a subscription; the same again changes nothing. Raises Unauthorized for a visitor who has left."""
        row = {
            "app": app,
            "principal": principal,
            "endpoint": endpoint,
            "digest": digest_of(endpoint),
            "p256dh": p256dh,
            "auth": auth,
        }
        adding = self._database.insert(push_subscriptions).values(
            id=new_id("sub"), created_at=now_ms(), **row
        )
        again = adding.on_conflict_do_update(index_elements=["digest"], set_={**row, "created_at": now_ms()})

        def write(connection: Connection) -> None:
            if is_revoked(connection, principal):
                raise Unauthorized
            # What waits for the former visitor of this browser is not for the new one.
            own = {"its_digest": row["digest"], **_owner(app, principal)}
            connection.execute(_OF_OTHERS, own)
            connection.execute(again)
            connection.execute(_SURPLUS, {**own, "most": self._most})

        await self._database.run_write(write)

    async def remove(self, app: str, principal: str, endpoint: str) -> None:
        """Remove a subscription of this visitor, if there is one, with what waits for it."""
        values = {"its_digest": digest_of(endpoint), **_owner(app, principal)}
        await self._database.execute(_REMOVE, values)

    async def remove_all(self, principal: str) -> None:
        """Remove all subscriptions of a visitor."""
        await self._database.execute(_REMOVE_ALL, {"its_principal": principal})


def digest_of(endpoint: str) -> str:
    """Return the name of an address in the table."""
    return hashlib.sha256(endpoint.encode()).hexdigest()


def hand_subscriptions_over(connection: Connection, app: str, visitor: str, user: str) -> None:
    """Let the subscriptions of a visitor be those of a user, in the transaction that hands the conversations over."""
    connection.execute(_HAND_OVER, {**_owner(app, visitor), "new_principal": user})


def _owner(app: str, principal: str) -> dict[str, str]:
    return {"its_app": app, "its_principal": principal}


_own = (
    push_subscriptions.c.app == bindparam("its_app"),
    push_subscriptions.c.principal == bindparam("its_principal"),
)
_this = push_subscriptions.c.digest == bindparam("its_digest")
_newest = push_subscriptions.c.created_at.desc(), push_subscriptions.c.id.desc()

_OF_OTHERS = delete(push_subscriptions).where(
    _this,
    (push_subscriptions.c.app != bindparam("its_app"))
    | (push_subscriptions.c.principal != bindparam("its_principal")),
)
_KEPT = select(push_subscriptions.c.id).where(*_own).order_by(*_newest).limit(bindparam("most"))
_SURPLUS = delete(push_subscriptions).where(
    *_own, push_subscriptions.c.id.not_in(_KEPT), push_subscriptions.c.digest != bindparam("its_digest")
)
_REMOVE = delete(push_subscriptions).where(*_own, _this)
_REMOVE_ALL = delete(push_subscriptions).where(push_subscriptions.c.principal == bindparam("its_principal"))
_HAND_OVER = update(push_subscriptions).where(*_own).values(principal=bindparam("new_principal"))
