"""Multipart forms: their fields, and the bytes of their files, read in memory alone."""

from dataclasses import dataclass, field

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from server.errors import BadFrame, UnsupportedMediaType
from server.protocol.commands import MAX_IMAGES

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
