"""Pictures that are uploaded: read from multipart forms and plain bodies, and stored with their session."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from server.errors import BadFrame, UnsupportedMediaType
from server.images import Picture
from server.protocol.commands import MAX_IMAGES
from server.runs.conversation.pictures import image_part
from server.store import Owned, Store

KEEP_IMAGES_S = 24 * 3600.0
"""A picture that no message names is kept so long: for a client that still writes, and for a take-over."""

MEDIA_TYPE = "image/jpeg"
FORM = "multipart/form-data"
MOST_FIELDS = 1_000
MOST_OF_FIELD = 1024 * 1024
"""Bytes of one field that is no file."""


@dataclass
class UploadedForm:
    """A multipart form: its fields in their order, and the bytes of its files."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)


def media_type_of(request: Request) -> str:
    """Return the media type of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_form(request: Request) -> UploadedForm:
    """Read a multipart form. Raises UnsupportedMediaType for another body, and BadFrame for a broken one."""
    if media_type_of(request) != FORM or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    found = UploadedForm()
    parser = _MemoryParser(
        request.headers,
        request.stream(),
        max_files=MAX_IMAGES,
        max_fields=MOST_FIELDS,
        max_part_size=MOST_OF_FIELD,
    )
    try:
        form = await parser.parse()
    except MultiPartException as wrong:
        raise BadFrame(f"This form cannot be read: {wrong.message}") from wrong
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            found.files.append(await value.read())
        else:
            found.fields.append((name, value))
    await form.close()
    return found


class _MemoryParser(MultiPartParser):
    """Reads a form without a file on the disk: pictures of documents are plain only in memory."""

    spool_max_size = 1024 * 1024 * 1024  # More than a body may have.


async def keep_pictures(store: Store, session: Owned, pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    """Store the pictures of a message as long as its session; returns them as parts of the message's content."""
    ids = [await store_picture(store, session, each, KEEP_IMAGES_S) for each in pictures]
    if ids:
        await store.blobs.keep_images(ids, session_id=session.id, principal=session.principal)
    return [
        image_part(session.id, id, each.width, each.height) for id, each in zip(ids, pictures, strict=True)
    ]


async def store_picture(
    store: Store, session: Owned, picture: Picture, keep_s: float, *, sealed: bool = False
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
