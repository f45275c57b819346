"""Pictures of messages, and contents of events that are too large for the log, as rows of at most 1 MiB.

Only the principal that owns a row reads it."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Row, case, func, or_, select, update

from server.errors import NotFound, TooLong
from server.limits import Limits
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, StorePart, count_changed, every, exactly, one
from server.store.rows import Blob, MessagePicture
from server.store.seal import Seal, Unreadable, is_sealed, plain_type, sealed_type
from server.store.tables import blobs, sessions

MAX_BYTES = 1_048_576
"""The bytes of one row at most: a larger picture is made smaller before, a larger content of an event is not stored."""

_COLUMNS = [blobs.c[name] for name in Blob.__dataclass_fields__]
_PICTURE = [blobs.c[name] for name in MessagePicture.__dataclass_fields__]


def _lasting() -> ColumnElement[bool]:
    return or_(blobs.c.expires_at.is_(None), blobs.c.expires_at > now_ms())


def _about(session_id: str, blob_id: str) -> str:
    return f"picture {session_id} {blob_id}"


def _about_session(session_id: str) -> str:
    """Name a sealed picture as earlier versions did; its hash still follows from it, by which it is found again."""
    return f"picture {session_id}"


def _blob_of(row: Row[Any]) -> Blob:
    return Blob(**row._mapping)


class Blobs(StorePart):
    """Stores bytes for a principal: until a time, or without an end. `sweep` removes the rows whose time is over."""

    def __init__(self, database: Database, seal: Seal, limits: Limits) -> None:
        super().__init__(database)
        self._seal = seal
        self._most_of_session = limits.pictures_per_session

    async def put(
        self,
        *,
        principal: str,
        media_type: str,
        data: bytes,
        session_id: str | None = None,
        keep_s: float | None = None,
    ) -> Blob:
        """Store a content of an event, without an end or for `keep_s` seconds. Raises TooLong above `MAX_BYTES`."""
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

    async def put_image(
        self,
        *,
        principal: str,
        session_id: str,
        media_type: str,
        data: bytes,
        size: tuple[int, int],
        keep_s: float,
        sealed: bool = False,
    ) -> str:
        """Store a picture of a session for `keep_s`, or find the same bytes there; returns its id.

        The same bytes are kept from now on, or for good where a message has them. `size` is width and height in
        pixels. One that is `sealed` is encrypted at rest, and read by runs alone.
        Raises TooLong for more than a megabyte, and for more pictures than a session may have.
        """
        if len(data) > MAX_BYTES:
            raise TooLong("This file is too large.")
        blob_id, known_by = new_id("blb"), data
        if sealed:
            known_by = self._seal.close(data, _about_session(session_id))
            data, media_type = self._seal.close(data, _about(session_id, blob_id)), sealed_type(media_type)
        sha256 = hashlib.sha256(known_by).hexdigest()
        own = (blobs.c.session_id == session_id, blobs.c.principal == principal)
        until = now_ms() + int(keep_s * 1000)
        later = case((blobs.c.expires_at.is_not(None), until))
        # One after the other: two repetitions of a request would store two pictures, and be two requests.
        lock = select(sessions.c.id).where(sessions.c.id == session_id).with_for_update()
        async with self._database.write() as connection:
            await one(connection, lock)
            again = update(blobs).where(*own, blobs.c.sha256 == sha256).values(expires_at=later)
            known = await one(connection, again.returning(blobs.c.id))
            if known is not None:
                return str(known.id)
            count = select(func.count()).where(*own, blobs.c.width.is_not(None))
            if (await exactly(connection, count))[0] >= self._most_of_session:
                raise TooLong(f"A conversation may have {self._most_of_session} pictures.")
            storing = blobs.insert().values(
                id=blob_id,
                principal=principal,
                session_id=session_id,
                media_type=media_type,
                sha256=sha256,
                data=data,
                created_at=now_ms(),
                expires_at=until,
                width=size[0],
                height=size[1],
            )
            return str((await exactly(connection, storing.returning(blobs.c.id))).id)

    async def keep_images(
        self, ids: Sequence[str], *, session_id: str, principal: str
    ) -> dict[str, tuple[int, int]]:
        """Keep these pictures of a session as long as the session; returns their sizes by id.

        Raises NotFound when one of them is no picture of the session, or has expired.
        """
        own = (blobs.c.session_id == session_id, blobs.c.principal == principal, blobs.c.width.is_not(None))
        keeping = update(blobs).where(blobs.c.id.in_(ids), *own, _lasting()).values(expires_at=None)
        async with self._database.write() as connection:
            kept = await every(connection, keeping.returning(blobs.c.id, blobs.c.width, blobs.c.height))
        sizes = {str(row.id): (int(row.width), int(row.height)) for row in kept}
        if len(sizes) < len(set(ids)):
            raise NotFound("A picture of this message was not uploaded, or is too old by now.")
        return sizes

    async def of_messages(self, session_id: str, principal: str) -> list[MessagePicture]:
        """Return the pictures that the messages of a session have, oldest first, without their bytes."""
        own = (blobs.c.session_id == session_id, blobs.c.principal == principal)
        sent = (blobs.c.width.is_not(None), blobs.c.expires_at.is_(None))
        query = select(*_PICTURE).where(*own, *sent).order_by(blobs.c.created_at, blobs.c.id)
        return [MessagePicture(**row._mapping) for row in await self._database.fetch(query)]

    async def get(self, blob_id: str, principal: str, *, sealed: bool = False) -> Blob:
        """Return the principal's own file; NotFound for another's, and for one that has expired.

        What is encrypted at rest is given where `sealed` asks for it too: opened, for a run.
        """
        query = select(*_COLUMNS).where(blobs.c.id == blob_id, blobs.c.principal == principal, _lasting())
        found = await self._database.fetch(query)
        if not found:
            raise NotFound
        blob = _blob_of(found[0])
        if not is_sealed(blob.media_type):
            return blob
        if not sealed:
            raise NotFound
        try:
            session = str(blob.session_id)
            data = self._seal.open(blob.data, _about(session, blob.id), _about_session(session))
        except Unreadable as error:
            raise NotFound from error
        return replace(blob, data=data, media_type=plain_type(blob.media_type))

    async def sweep(self) -> int:
        """Remove what has expired; returns how many."""
        async with self._database.write() as connection:
            return await count_changed(connection, blobs.delete().where(blobs.c.expires_at <= now_ms()))
