"""The hand-over of an anonymous visitor's conversations to a user, in one transaction.

The owner of the conversation changes and nothing else, so its id, its log and a running run stay as they
are. Conversations of a user are never handed over: only rows of the visitor are.
"""

from collections.abc import Callable

from sqlalchemy import Connection, and_, delete, exists, or_, update

from server.identity import VISITOR_PREFIX, claimed_from
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, StorePart
from server.store.pushes.subscriptions import hand_subscriptions_over
from server.store.tables import aliases, blobs, revoked, sessions, usage
from server.store.webhooks import Webhooks

AT_ONCE = 200
"""Sessions of one statement."""

Follower = Callable[[Connection, list[str], str, str], None]
"""Changes what belongs to these sessions: gets their ids, the visitor and the user."""


class HandOvers(StorePart):
    """Hands conversations over from visitors to users."""

    def __init__(self, database: Database, webhooks: Webhooks) -> None:
        super().__init__(database)
        self._webhooks = webhooks
        self._followers: list[Follower] = []

    def follow(self, follower: Follower) -> None:
        """Let tables of others be changed in the same transaction."""
        self._followers.append(follower)

    async def hand_over(self, app: str, visitor: str, user: str) -> list[str]:
        """Make all conversations that a visitor has with an app those of a user; returns their ids.

        Of two users who ask at once one gets them all. Raises ValueError for a principal that is no visitor.
        """
        if not visitor.startswith(VISITOR_PREFIX):
            raise ValueError("only what a visitor has is handed over")

        def write(connection: Connection) -> list[str]:
            own = and_(sessions.c.app == app, sessions.c.principal == visitor)
            taking = update(sessions).where(own).values(principal=user).returning(sessions.c.id)
            found = [str(id) for id in connection.execute(taking).scalars()]
            for start in range(0, len(found), AT_ONCE):
                self._move(connection, found[start : start + AT_ONCE], visitor, user)
            hand_subscriptions_over(connection, app, visitor, user)
            for id in found:
                self._webhooks.write(connection, app, "session.identified", id)
            return found

        return await self._database.run_write(write)

    def _move(self, connection: Connection, ids: list[str], visitor: str, user: str) -> None:
        """Change what belongs to these sessions, and let the visitor's tokens for them end."""
        own = aliases.c.session_id.in_(ids)
        others = aliases.alias()
        taken = exists().where(
            others.c.app == aliases.c.app,
            others.c.principal == user,
            others.c.service == aliases.c.service,
            others.c.alias == aliases.c.alias,
        )
        # A name that the user has given to another conversation stays with that one.
        connection.execute(delete(aliases).where(own, taken))
        connection.execute(update(aliases).where(own).values(principal=user))
        files = and_(
            blobs.c.principal == visitor, or_(blobs.c.session_id.in_(ids), blobs.c.session_id.is_(None))
        )
        connection.execute(update(blobs).where(files).values(principal=user))
        spent = and_(usage.c.principal == visitor, usage.c.session_id.in_(ids))
        connection.execute(update(usage).where(spent).values(principal=user))
        for each in self._followers:
            each(connection, ids, visitor, user)
        ended = [{"subject": claimed_from(id, visitor), "revoked_at": now_ms()} for id in ids]
        connection.execute(revoked.insert().values(ended))
