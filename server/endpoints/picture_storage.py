"""The storage of pictures that requests brought: each with its session, under an id that its message names."""

from collections.abc import Sequence
from typing import Any

from server.images import Picture
from server.runs.conversation.pictures import image_part
from server.store import SessionOwner, Store

KEEP_IMAGES_S = 24 * 3600.0
"""A picture that no message names is kept so long: for a client that still writes, and for a take-over."""

MEDIA_TYPE = "image/jpeg"


async def keep_pictures(
    store: Store, session: SessionOwner, pictures: Sequence[Picture]
) -> list[dict[str, Any]]:
    """Store the pictures of a message as long as its session; returns them as parts of the message's content."""
    ids = [await store_picture(store, session, each, KEEP_IMAGES_S) for each in pictures]
    if ids:
        await store.blobs.keep_images(ids, session_id=session.id, principal=session.principal)
    return [
        image_part(session.id, id, each.width, each.height) for id, each in zip(ids, pictures, strict=True)
    ]


async def store_picture(
    store: Store, session: SessionOwner, picture: Picture, keep_s: float, *, sealed: bool = False
) -> str:
    """Store a picture of a session, on demand `sealed`; returns its id, which is the same for the same bytes."""
    return await store.blobs.put_image(
        principal=session.principal,
        session_id=session.id,
        media_type=MEDIA_TYPE,
        data=picture.data,
        size=(picture.width, picture.height),
        keep_s=keep_s,
        sealed=sealed,
    )
