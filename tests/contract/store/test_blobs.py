"""Files as rows, each for its own principal."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import select

from server.errors import NotFound, TooLong, Unavailable
from server.limits import Limits
from server.store import Store
from server.store.engine.clock import now_ms
from server.store.tables import blobs as table
from tests.contract.store.conftest import Talk, Talks, store_on
from tests.parts.wait import PATIENCE_S

PHOTO = bytes(range(256)) * 16
MEGABYTE = 1 << 20
TOO_LARGE = "This file is too large."


async def test_a_file_comes_back_byte_by_byte_and_to_its_owner_only(talk: Talk) -> None:
    blobs = talk.store.blobs
    blob = await blobs.put(principal="ana", session_id=talk.session.id, media_type="image/webp", data=PHOTO)

    assert await blobs.get(blob.id, "ana") == blob
    assert (blob.data, blob.media_type, blob.session_id) == (PHOTO, "image/webp", talk.session.id)
    assert blob.sha256 == hashlib.sha256(PHOTO).hexdigest()
    for id, principal in ((blob.id, "eva"), ("blb_none", "ana")):
        with pytest.raises(NotFound):
            await blobs.get(id, principal)


async def test_a_file_over_one_megabyte_is_refused(talk: Talk) -> None:
    blobs = talk.store.blobs
    whole = await blobs.put(principal="ana", media_type="image/webp", data=bytes(MEGABYTE))
    assert len((await blobs.get(whole.id, "ana")).data) == MEGABYTE
    picture = await put_image(talk, bytes(MEGABYTE))
    assert len((await blobs.get(picture, "ana")).data) == MEGABYTE
    with pytest.raises(TooLong, match=TOO_LARGE):
        await blobs.put(principal="ana", media_type="image/webp", data=bytes(MEGABYTE + 1))
    with pytest.raises(TooLong, match=TOO_LARGE):
        await put_image(talk, bytes(MEGABYTE + 1))


async def test_a_file_expires_after_the_seconds_that_its_writer_gave(talk: Talk) -> None:
    file = await talk.store.blobs.put(principal="ana", media_type="image/webp", data=PHOTO, keep_s=1_000_000)
    picture = await put_image(talk, keep_s=1_000_000)
    lasting = await talk.store.blobs.put(principal="ana", media_type="image/webp", data=PHOTO)
    assert {each[:4] for each in (file.id, picture, lasting.id)} == {"blb_"}
    kept = select(table.c.id, table.c.expires_at, table.c.created_at, now_ms().label("now"))
    rows = {row.id: row for row in await talk.store.database.fetch(kept)}
    for id in (file.id, picture):
        assert 0 <= rows[id].now + 1_000_000_000 - rows[id].expires_at < PATIENCE_S * 1000
        assert 0 <= rows[id].now - rows[id].created_at < PATIENCE_S * 1000
    assert rows[lasting.id].expires_at is None


async def test_a_file_that_has_expired_is_gone_at_once_and_swept_later(talk: Talk) -> None:
    blobs = talk.store.blobs
    kept = await blobs.put(principal="ana", media_type="image/webp", data=PHOTO, keep_s=600)
    gone = await blobs.put(principal="ana", media_type="image/webp", data=PHOTO, keep_s=-1)
    with pytest.raises(NotFound):
        await blobs.get(gone.id, "ana")
    assert await blobs.sweep() == 1
    assert await blobs.sweep() == 0
    assert await blobs.get(kept.id, "ana") == kept


async def put_image(talk: Talk, data: bytes = PHOTO, keep_s: float = 600) -> str:
    """Upload a picture of 40 by 30 pixels."""
    return await talk.store.blobs.put_image(
        principal="ana",
        session_id=talk.session.id,
        media_type="image/jpeg",
        data=data,
        size=(40, 30),
        keep_s=keep_s,
    )


async def test_a_picture_is_kept_from_when_a_message_has_it(talk: Talk) -> None:
    blobs, session = talk.store.blobs, talk.session.id
    picture, other = await put_image(talk), await put_image(talk, b"other")
    assert await put_image(talk) == picture
    kept = await blobs.keep_images([picture, picture], session_id=session, principal="ana")
    assert kept == {picture: (40, 30)}
    # A second upload of it, for a shorter time, does not take it away from the message.
    assert await put_image(talk, keep_s=-1) == picture
    await put_image(talk, b"other", keep_s=-1)
    assert await blobs.sweep() == 1
    assert (await blobs.get(picture, "ana")).data == PHOTO
    for ids, owner in (([other], "ana"), ([picture, "blb_none"], "ana"), ([picture], "eva")):
        with pytest.raises(NotFound):
            await blobs.keep_images(ids, session_id=session, principal=owner)


async def test_an_expired_picture_is_refused_before_it_is_swept(talk: Talk) -> None:
    late, fresh = await put_image(talk, b"late", keep_s=-1), await put_image(talk)
    keep = talk.store.blobs.keep_images
    with pytest.raises(NotFound, match=r"A picture of this message was not uploaded, or is too old by now\."):
        await keep([late, fresh], session_id=talk.session.id, principal="ana")
    with pytest.raises(NotFound):
        await talk.store.blobs.get(late, "ana")


async def test_a_picture_is_stored_while_another_session_is_locked(postgres_url: str, tmp_path: Path) -> None:
    store = await Store.open(postgres_url, data_dir=tmp_path)
    holder = await asyncpg.connect(postgres_url)
    try:
        mine, other = await Talks(store)(), await Talks(store)()
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE", other.session.id)
            assert await put_image(mine)
            with pytest.raises(Unavailable):
                await put_image(other)
    finally:
        await holder.close()
        await store.aclose()


async def test_the_same_bytes_at_the_same_time_are_one_picture(talk: Talk) -> None:
    stored = await asyncio.gather(*(put_image(talk) for _ in range(8)))
    assert len(set(stored)) == 1


async def test_a_file_that_is_no_picture_is_refused_in_a_message(talk: Talk) -> None:
    file = await talk.store.blobs.put(
        principal="ana", session_id=talk.session.id, media_type="application/json", data=b"{}"
    )
    with pytest.raises(NotFound):
        await talk.store.blobs.keep_images([file.id], session_id=talk.session.id, principal="ana")


async def test_a_session_has_so_many_pictures_at_most(talk: Talk) -> None:
    few = store_on(talk.store.database, limits=Limits(pictures_per_session=2))
    own = Talk(few, talk.session)
    file = {"session_id": talk.session.id, "media_type": "application/json"}
    await few.blobs.put(principal="ana", data=b"{}", **file)
    first = [await put_image(own, each) for each in (b"1", b"2")]
    with pytest.raises(TooLong, match=r"A conversation may have 2 pictures\."):
        await put_image(own, b"3")
    assert await put_image(own, b"1") == first[0]


async def test_the_pictures_of_a_session_are_those_that_its_messages_have(talk: Talk) -> None:
    blobs, session = talk.store.blobs, talk.session.id
    first, unsent, second = [await put_image(talk, each) for each in (b"1", b"2", b"3")]
    await blobs.keep_images([second, first], session_id=session, principal="ana")
    await blobs.put(principal="ana", session_id=session, media_type="application/json", data=b"{}")
    sent = await blobs.of_messages(session, "ana")
    assert [(each.id, each.media_type, each.width, each.height) for each in sent] == [
        (first, "image/jpeg", 40, 30),
        (second, "image/jpeg", 40, 30),
    ]
    assert unsent not in {each.id for each in sent}
    assert await blobs.of_messages(session, "eva") == []
