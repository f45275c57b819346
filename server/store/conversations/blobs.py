"""Photos and documents as rows, small because they were re-encoded; each is read by its own principal only."""

import hashlib
from typing import Any

from sqlalchemy import Row, or_, select, update

from server.errors import NotFound, TooLong
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart, count_changed, exactly, one
from server.store.rows import Blob
from server.store.tables import blobs

MAX_BYTES = 1_048_576

_COLUMNS = [blobs.c[name] for name in Blob.__dataclass_fields__]


def _blob_of(row: Row[Any]) -> Blob:
    return Blob(**row._mapping)


class Blobs(StorePart):
    """Bytes with an owner and, when wished, an end."""

    async def put(
        self,
        *,
        principal: str,
        media_type: str,
        data: bytes,
        session_id: str | None = None,
        keep_s: float | None = None,
    ) -> Blob:
        """Store at most 1 MB; after `keep_s` it cannot be read any more and the next sweep removes it."""
        if len(data) > MAX_BYTES:
            raise TooLong("This file is too large.")
        storing = blobs.insert().values(
            id=new_id("blb"),
            principal=principal,
            session_id=session_id,
            media_type=media_type,
            sha256=hashlib.sha256(data).hexdigest(),
            data=data,
            created_at=now_ms(),
            expires_at=None if keep_s is None else now_ms() + int(keep_s * 1000),
        )
        async with self._database.write() as connection:
            return _blob_of(await exactly(connection, storing.returning(*_COLUMNS)))

    async def put_once(
        self, *, principal: str, session_id: str, media_type: str, data: bytes, keep_s: float
    ) -> str:
        """Store a file of a session, or find the same bytes there, which are kept from now on; returns its id."""
        if len(data) > MAX_BYTES:
            raise TooLong("This file is too large.")
        sha256 = hashlib.sha256(data).hexdigest()
        same = (blobs.c.session_id == session_id, blobs.c.sha256 == sha256, blobs.c.principal == principal)
        until = now_ms() + int(keep_s * 1000)
        async with self._database.write() as connection:
            again = update(blobs).where(*same).values(expires_at=until).returning(blobs.c.id)
            known = await one(connection, again)
            if known is not None:
                return str(known.id)
            storing = blobs.insert().values(
                id=new_id("blb"),
                principal=principal,
                session_id=session_id,
                media_type=media_type,
                sha256=sha256,
                data=data,
                created_at=now_ms(),
                expires_at=until,
            )
            return str((await exactly(connection, storing.returning(blobs.c.id))).id)

    async def get(self, blob_id: str, principal: str) -> Blob:
        """The principal's own file; NotFound for another's, and for one that has expired."""
        lasting = or_(blobs.c.expires_at.is_(None), blobs.c.expires_at > now_ms())
        query = select(*_COLUMNS).where(blobs.c.id == blob_id, blobs.c.principal == principal, lasting)
        found = await self._database.fetch(query)
        if not found:
            raise NotFound
        return _blob_of(found[0])

    async def sweep(self) -> int:
        """Remove what has expired; returns how many."""
        async with self._database.write() as connection:
            return await count_changed(connection, blobs.delete().where(blobs.c.expires_at <= now_ms()))
