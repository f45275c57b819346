"""The places at which conversations without a caller's name stand: by what was said so far they are found again.

A conversation has one place, which moves with each message. Several in which the same was said stand at the same place,
and each message moves one of them. A place is a row of the aliases, under a service's name with the place behind it:
so callers' own names are never taken for one.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, delete, exists, func, select

from server.protocol.content_parts import OPERATOR_PARTS
from server.store.engine.database import StorePart
from server.store.tables import aliases, blobs, runs, sessions

MOST_STANDING = 20
"""Conversations at the places of a message that are looked at: the newest, as old ones are often left."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A conversation at a place."""

    place: str
    session_id: str
    name: str
    """The caller's name of it."""
    last_run: str | None
    """The run of its newest message that no operator wrote."""
    has_pictures: bool
    went_on: bool
    """Whether a message moved it here; false where it began here."""


class ChatPlaces(StorePart):
    """Places of conversations, by their app, their owner and what was said."""

    async def standing(self, app: str, owner: str, service: str, places: list[str]) -> list[Standing]:
        """Return the named conversations at these places, the newest first, and each once."""
        at = {_at(service, each): each for each in places}
        here = (
            select(
                aliases.c.service, aliases.c.alias, sessions.c.id, sessions.c.principal, sessions.c.created_at
            )
            .join(sessions, sessions.c.id == aliases.c.session_id)
            .where(aliases.c.app == app, aliases.c.principal == owner, aliases.c.service.in_(at))
            .order_by(sessions.c.created_at.desc(), sessions.c.id)
            .limit(MOST_STANDING)
            .subquery("here")
        )
        of_caller = runs.c.content[0]["type"].as_string().not_in(OPERATOR_PARTS)
        last = select(runs.c.id).where(runs.c.session_id == here.c.id, of_caller)
        # A caller has a name more for each message that it sends with a key of its own.
        name = select(func.min(aliases.c.alias)).where(
            aliases.c.session_id == here.c.id,
            aliases.c.principal == here.c.principal,
            aliases.c.service == service,
        )
        query = select(
            here.c.service,
            here.c.id,
            here.c.alias,
            name.scalar_subquery().label("name"),
            last.order_by(runs.c.place.desc()).limit(1).scalar_subquery().label("last_run"),
            exists().where(blobs.c.session_id == here.c.id).label("has_pictures"),
        ).order_by(here.c.created_at.desc(), here.c.id)
        rows = await self._database.fetch(query)
        return [
            Standing(at[row.service], row.id, row.name, row.last_run, row.has_pictures, row.alias != row.id)
            for row in rows
            if row.name is not None
        ]

    async def put(
        self, app: str, owner: str, service: str, place: str, session_id: str, *, went_on: bool = False
    ) -> None:
        """Let a conversation stand at this place alone, where it began or `went_on`."""
        row = _row(app, owner, service, place, session_id, went_on=went_on)
        others = aliases.c.service.startswith(_at(service, ""), autoescape=True)

        def store(connection: Connection) -> None:
            connection.execute(delete(aliases).where(aliases.c.session_id == session_id, others))
            connection.execute(self._database.insert(aliases).values(**row).on_conflict_do_nothing())

        await self._database.run_write(store)

    async def move(self, app: str, owner: str, service: str, found: Standing, place: str) -> bool:
        """Move a conversation to another place; false where another message has moved it meanwhile."""
        old = _row(app, owner, service, found.place, found.session_id, went_on=found.went_on)
        new = _row(app, owner, service, place, found.session_id, went_on=True)

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


def _row(app: str, owner: str, service: str, place: str, session_id: str, *, went_on: bool) -> dict[str, str]:
    """Return the alias of a conversation at a place: its id where it began there."""
    return {
        "app": app,
        "principal": owner,
        "service": _at(service, place),
        "alias": f"{session_id} went on" if went_on else session_id,
        "session_id": session_id,
    }


def _at(service: str, place: str) -> str:
    return f"{service} at {place}"
