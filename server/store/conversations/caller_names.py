"""The names by which callers call their conversations, beside the one that a conversation is begun under."""

from sqlalchemy import select

from server.store.engine.database import StorePart
from server.store.rows import Session
from server.store.tables import aliases


class CallerNames(StorePart):
    """Names of conversations, by app, principal and service."""

    async def exists(self, app: str, principal: str, service: str, name: str) -> bool:
        """Return whether a caller has a conversation of this name."""
        key = {"app": app, "principal": principal, "service": service, "alias": name}
        return bool(await self._database.fetch(select(aliases.c.session_id).filter_by(**key)))

    async def name_of(self, session: Session, asked: str | None = None) -> str | None:
        """Return the owner's name of a conversation: the `asked` one where it is one of several."""
        query = select(aliases.c.alias).where(
            aliases.c.session_id == session.id,
            aliases.c.service == session.service,
            aliases.c.principal == session.principal,
        )
        names = [str(row.alias) for row in await self._database.fetch(query.order_by(aliases.c.alias))]
        return asked if asked in names else next(iter(names), None)

    async def add(self, app: str, principal: str, name: str, session: Session) -> None:
        """Let a caller find a conversation by one more name, unless the caller has another one of it."""
        row = {"app": app, "principal": principal, "service": session.service, "alias": name}
        naming = self._database.insert(aliases).values(session_id=session.id, **row)
        async with self._database.write() as connection:
            await connection.execute(naming.on_conflict_do_nothing())
