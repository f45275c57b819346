"""Files as rows, each for its own principal."""

from __future__ import annotations

import hashlib

import pytest

from server.errors import NotFound, TooLong
from server.store.conversations.blobs import MAX_BYTES
from tests.contract.store.conftest import Talk

PHOTO = bytes(range(256)) * 16


async def test_a_file_comes_back_byte_by_byte_and_to_its_owner_only(talk: Talk) -> None:
    blobs = talk.store.blobs
    blob = await blobs.put(principal="ana", session_id=talk.session.id, media_type="image/webp", data=PHOTO)

    assert await blobs.get(blob.id, "ana") == blob
    assert (blob.data, blob.media_type, blob.session_id) == (PHOTO, "image/webp", talk.session.id)
    assert blob.sha256 == hashlib.sha256(PHOTO).hexdigest()
    for id, principal in ((blob.id, "eva"), ("blb_none", "ana")):
        with pytest.raises(NotFound):
            await blobs.get(id, principal)


async def test_one_megabyte_is_the_most(talk: Talk) -> None:
    blobs = talk.store.blobs
    whole = await blobs.put(principal="ana", media_type="image/webp", data=bytes(MAX_BYTES))
    assert len((await blobs.get(whole.id, "ana")).data) == MAX_BYTES
    with pytest.raises(TooLong):
        await blobs.put(principal="ana", media_type="image/webp", data=bytes(MAX_BYTES + 1))


async def test_a_file_that_has_expired_is_gone_at_once_and_swept_later(talk: Talk) -> None:
    blobs = talk.store.blobs
    kept = await blobs.put(principal="ana", media_type="image/webp", data=PHOTO, keep_s=600)
    gone = await blobs.put(principal="ana", media_type="image/webp", data=PHOTO, keep_s=-1)
    with pytest.raises(NotFound):
        await blobs.get(gone.id, "ana")
    assert await blobs.sweep() == 1
    assert await blobs.sweep() == 0
    assert await blobs.get(kept.id, "ana") == kept
