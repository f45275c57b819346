"""Revocations: visitors who left, deleted sessions and identities that ended, as every instance reads them."""

from sqlalchemy import Connection, String, and_, bindparam, exists, or_, select

from server.errors import LoopwireError, NotFound, Unauthorized
from server.identity import Identity, claimed_from, identities_of
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.tables import revoked, sessions

KEPT_MS = 400 * 24 * 3600 * 1000
"""Longer than the cookie of a visitor lives: a copy of one that left opens nothing."""

OVERLAP_MS = 10_000
"""Milliseconds by which each query reaches back, so that it also sees what was committed late."""

NOT_REVOKED = ~exists().where(revoked.c.subject == sessions.c.principal)
"""Part of a statement on a session: its principal has not left."""


class Revocations(StorePart):
    """A subject is a principal, a session or an identity; what is revoked stays so, for ids are never used again.

    The subject of all identities of a user (`identities_of`) is revoked up to a time: what was issued later counts.
    """

    async def revoke(self, subject: str) -> None:
        """Let this subject in no more; saying it twice changes nothing. Forgets what is a year old."""
        adding = self._database.insert(revoked).values(subject=subject, revoked_at=now_ms())

        def write(connection: Connection) -> None:
            connection.execute(revoked.delete().where(revoked.c.revoked_at < now_ms() - KEPT_MS))
            connection.execute(adding.on_conflict_do_nothing())

        await self._database.run_write(write)

    async def holds(self, subject: str) -> bool:
        """Return whether the subject is revoked."""
        return bool(await self._database.fetch(_HOLDS, {"this": subject}))

    async def revoke_all_of(self, principal: str) -> None:
        """Let the identities of a user in no more that were issued up to now."""
        adding = self._database.insert(revoked).values(subject=identities_of(principal), revoked_at=now_ms())
        again = adding.on_conflict_do_update(index_elements=["subject"], set_={"revoked_at": now_ms()})
        await self._database.execute(again, {})

    async def ends(self, principal: str, identity: Identity | None) -> bool:
        """Return whether a principal has left, or the identity by which it is known was revoked."""
        if identity is None:
            return await self.holds(principal)
        return bool(await self._database.fetch(_ENDS, _ending(principal, identity.id, identity.issued_at)))

    async def require(self, principal: str, identity: str, since: int) -> None:
        """Raise Unauthorized where an identity was revoked, or all of its user since it was issued (in seconds)."""
        if await self._database.fetch(_ENDS, _ending(principal, identity, since)):
            raise Unauthorized

    async def now(self) -> int:
        """Return the time of the database in ms, less what may still be committed late."""
        return int((await self._database.fetch(_NOW))[0].at) - OVERLAP_MS

    async def since(self, at: int) -> tuple[list[str], int]:
        """Return the names revoked after a time in ms of the database, and the time to ask from next."""
        query = {"since": at}

        def read(connection: Connection) -> tuple[list[str], int]:
            now: int = connection.execute(select(now_ms())).scalar_one()
            return list(connection.execute(_SINCE, query).scalars()), now - OVERLAP_MS

        return await self._database.run_read(read)


_NOW = select(now_ms().label("at"))

_HOLDS = select(revoked.c.subject).where(revoked.c.subject == bindparam("this"))

_SINCE = select(revoked.c.subject).where(revoked.c.revoked_at > bindparam("since"))


_ENDS = select(revoked.c.subject).where(
    or_(
        revoked.c.subject.in_([bindparam("this", type_=String()), bindparam("by_identity", type_=String())]),
        and_(
            revoked.c.subject == bindparam("all_of"),
            revoked.c.revoked_at >= bindparam("issued"),
        ),
    )
)


def _ending(principal: str, identity: str, since: int) -> dict[str, str | int]:
    """Name what would end an identity. Issued in the same second counts as before."""
    return {
        "this": principal,
        "by_identity": identity,
        "all_of": identities_of(principal),
        "issued": 1000 * since,
    }


def is_revoked(connection: Connection, subject: str) -> bool:
    """Return whether the subject is revoked, inside a transaction."""
    return connection.execute(_HOLDS, {"this": subject}).first() is not None


def refusal(connection: Connection, principal: str, session_id: str) -> LoopwireError:
    """Return why a principal does not get its session: it has left, another principal has the session, or there is
    none.
    """
    gone = is_revoked(connection, principal) or is_revoked(connection, claimed_from(session_id, principal))
    return Unauthorized() if gone else NotFound()
