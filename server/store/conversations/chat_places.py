"""The places at which conversations without a caller's name stand: by what was said so far they are found again.

A conversation has one place, which moves with each message. Several in which the same was said stand at the same place,
and each message moves one of them. A place is a row of the aliases, under a service's name with the place behind it:
so callers' own names are never taken for one.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, delete, exists, select

from server.store.engine.database import StorePart
from server.store.tables import aliases, blobs, runs, sessions

MOST_STANDING = 20
"""Conversations at one place that are looked at, the oldest first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A conversation at a place."""

    place: str
    session_id: str
    name: str
    """The caller's name of it."""
    last_run: str | None
    has_pictures: bool


class ChatPlaces(StorePart):
    """Places of conversations, by their app, their owner and what was said."""

    async def standing(
        self, app: str, owner: str, service: str, places: list[str], *, newest: bool = False
    ) -> list[Standing]:
        """Return the named conversations at these places, the oldest first."""
        at = {_at(service, each): each for each in places}
        named = aliases.alias()
        last = (
            select(runs.c.id)
            .where(runs.c.session_id == sessions.c.id)
            .order_by(runs.c.place.desc())
            .limit(1)
            .scalar_subquery()
        )
        began = sessions.c.created_at.desc() if newest else sessions.c.created_at
        pictured = exists().where(blobs.c.session_id == sessions.c.id).label("has_pictures")
        query = (
            select(
                aliases.c.service,
                aliases.c.session_id,
                pictured,
                named.c.alias.label("name"),
                last.label("last_run"),
            )
            .join(sessions, sessions.c.id == aliases.c.session_id)
            .join(
                named,
                and_(
                    named.c.session_id == sessions.c.id,
                    named.c.principal == sessions.c.principal,
                    named.c.service == service,
                ),
            )
            .where(aliases.c.app == app, aliases.c.principal == owner, aliases.c.service.in_(at))
            .order_by(began, sessions.c.id)
            .limit(MOST_STANDING)
        )
        rows = await self._database.fetch(query)
        return [
            Standing(at[row.service], row.session_id, row.name, row.last_run, row.has_pictures)
            for row in rows
        ]

    async def put(self, app: str, owner: str, service: str, place: str, session_id: str) -> None:
        """Let a conversation stand at this place alone."""
        row = _row(app, owner, service, place, session_id)
        others = aliases.c.service.startswith(_at(service, ""), autoescape=True)

        def store(connection: Connection) -> None:
            connection.execute(delete(aliases).where(aliases.c.session_id == session_id, others))
            connection.execute(self._database.insert(aliases).values(**row).on_conflict_do_nothing())

        await self._database.run_write(store)

    async def move(self, app: str, owner: str, service: str, found: Standing, place: str) -> bool:
        """Move a conversation to another place; false where another message has moved it meanwhile."""
        old = _row(app, owner, service, found.place, found.session_id)
        new = _row(app, owner, service, place, found.session_id)

        def move(connection: Connection) -> bool:
            here = and_(*(aliases.c[name] == value for name, value in old.items()))
            moved: Any = connection.execute(
                delete(aliases).where(here).returning(aliases.c.session_id)
            ).first()
            if moved is None:
                return False
            connection.execute(self._database.insert(aliases).values(**new).on_conflict_do_nothing())
            return True

        return await self._database.run_write(move)


def _row(app: str, owner: str, service: str, place: str, session_id: str) -> dict[str, str]:
    """Return the alias of a conversation at a place."""
    return {
        "app": app,
        "principal": owner,
        "service": _at(service, place),
        "alias": session_id,
        "session_id": session_id,
    }


def _at(service: str, place: str) -> str:
    return f"{service} at {place}"
