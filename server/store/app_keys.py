"""Keys of apps as rows: the maker, the scope and the end of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, bindparam, or_, select

from server.errors import NotFound
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart, one
from server.store.tables import app_keys, revoked


@dataclass(frozen=True, slots=True)
class AppKey:
    """One key; times are ms since the epoch, `ends_at` None is no end."""

    id: str
    app: str
    scopes: frozenset[str]
    digest: str
    created_at: int
    ends_at: int | None


class AppKeys(StorePart):
    """Stores keys by their hashes."""

    async def add(self, id: str, app: str, scopes: Sequence[str], digest: str) -> None:
        """Store a key that was made."""
        values = {"id": id, "app": app, "scopes": sorted(scopes), "digest": digest}
        async with self._database.write() as connection:
            await connection.execute(app_keys.insert().values(**values, created_at=now_ms()))

    async def find(self, id: str) -> AppKey | None:
        """Return the key of this id, unless it has ended."""
        rows = await self._database.fetch(_LIVING, {"this_key": id})
        return next(iter(_keys(rows)), None)

    async def list_all(self) -> list[AppKey]:
        """Return all keys, those that have ended too, the oldest first."""
        return _keys(await self._database.fetch(_ALL))

    async def revoke(self, id: str, *, after_ms: int = 0) -> AppKey:
        """Let a key open nothing any more, now or after so many ms. Raises NotFound unless it still opens something.

        Streams that a key opened which ends now are ended, as those of a visitor who leaves.
        """
        ending = app_keys.update().where(app_keys.c.id == id, _lives()).values(ends_at=now_ms() + after_ms)
        async with self._database.write() as connection:
            ended = await one(connection, ending.returning(*_COLUMNS))
            if ended is not None and not after_ms:
                adding = self._database.insert(revoked).values(subject=id, revoked_at=now_ms())
                await connection.execute(adding.on_conflict_do_nothing())
        if ended is None:
            raise NotFound("There is no key of this id that still opens something.")
        return _keys([ended])[0]


def _lives() -> ColumnElement[bool]:
    return or_(app_keys.c.ends_at.is_(None), app_keys.c.ends_at > now_ms())


_COLUMNS = [app_keys.c[name] for name in AppKey.__dataclass_fields__]
_LIVING = select(*_COLUMNS).where(app_keys.c.id == bindparam("this_key"), _lives())
_ALL = select(*_COLUMNS).order_by(app_keys.c.created_at, app_keys.c.id)


def _keys(rows: Sequence[Row[Any]]) -> list[AppKey]:
    found = (dict(row._mapping) for row in rows)
    return [AppKey(**{**each, "scopes": frozenset(each["scopes"])}) for each in found]
