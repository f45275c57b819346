"""Revocations: visitors who left and sessions that were deleted, as every instance finds them."""

from sqlalchemy import BigInteger, Connection, String, bindparam, exists, select

from server.errors import LoopwireError, NotFound, Unauthorized
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.tables import revoked, sessions

KEPT_MS = 400 * 24 * 3600 * 1000
"""Longer than the cookie of a visitor lives: a copy of one that left opens nothing."""

OVERLAP_MS = 10_000
"""What was committed late is still seen by who asks for what is new."""

NOT_REVOKED = ~exists().where(revoked.c.subject == sessions.c.principal)
"""Part of a statement on a session: its principal has not left."""


class Revocations(StorePart):
    """A subject is a principal or a session; what is revoked stays so, for ids are never used again."""

    async def revoke(self, subject: str) -> None:
        """Let this subject in no more; saying it twice changes nothing. Forgets what is a year old."""
        adding = self._database.insert(revoked).values(subject=subject, revoked_at=now_ms())

        def write(connection: Connection) -> None:
            connection.execute(revoked.delete().where(revoked.c.revoked_at < now_ms() - KEPT_MS))
            connection.execute(adding.on_conflict_do_nothing())

        await self._database.run_write(write)

    async def holds(self, subject: str) -> bool:
        """Is it revoked?"""
        return bool(await self._database.fetch(_HOLDS, {"this": subject}))

    async def now(self) -> int:
        """The time of the database in ms, less what may still be committed late."""
        return (await self.since(1 << 62))[1]

    async def since(self, at: int) -> tuple[list[str], int]:
        """What was revoked after a time in ms of the database, and the time to ask from next."""
        query = {"since": at}

        def read(connection: Connection) -> tuple[list[str], int]:
            now: int = connection.execute(select(now_ms())).scalar_one()
            return list(connection.execute(_SINCE, query).scalars()), now - OVERLAP_MS

        return await self._database.run_read(read)


_HOLDS = select(revoked.c.subject).where(revoked.c.subject == bindparam("this", type_=String()))

_SINCE = select(revoked.c.subject).where(revoked.c.revoked_at > bindparam("since", type_=BigInteger()))


def is_revoked(connection: Connection, subject: str) -> bool:
    """Is it revoked, inside a transaction?"""
    return connection.execute(_HOLDS, {"this": subject}).first() is not None


def refusal(connection: Connection, principal: str) -> LoopwireError:
    """Why a principal does not get its session: it has left, or there is none of this id."""
    return Unauthorized() if is_revoked(connection, principal) else NotFound()
