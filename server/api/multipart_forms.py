"""Forms as browsers send them: their fields, and the bytes of their files, read in memory alone."""

from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from server.errors import BadFrame, TooLong, UnsupportedMediaType
from server.protocol.commands import MAX_IMAGES

FORM = "multipart/form-data"
URLENCODED = "application/x-www-form-urlencoded"
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


async def read_fields(request: Request, *, most_bytes: int, most_fields: int) -> dict[str, str]:
    """Read an urlencoded form, as a browser sends one without files. Raises BadFrame and TooLong."""
    if media_type_of(request) != URLENCODED or "content-encoding" in request.headers:
        raise BadFrame("Send the form as a browser does.")
    raw = b""
    async for part in request.stream():
        raw += part
        if len(raw) > most_bytes:
            raise TooLong(f"A form without files has at most {most_bytes} bytes.")
    try:
        return dict(
            parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=most_fields, errors="strict")
        )
    except ValueError as error:
        raise BadFrame("Send the form as a browser does.") from error


class _MemoryParser(MultiPartParser):
    """Reads a form without a file on the disk: pictures of documents are plain only in memory."""

    spool_max_size = 1024 * 1024 * 1024  # More than a body may have.
