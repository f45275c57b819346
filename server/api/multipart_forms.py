"""Forms as browsers send them: their fields, and the bytes of their files, read in memory alone."""

from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from python_multipart.multipart import parse_options_header
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

MOST_OF_TYPE = 256
"""Characters of a form's Content-Type: a browser's has about 70, and its parser takes 1 µs for each semicolon."""

MOST_SEMICOLONS = 32
"""Semicolons of a part's Content-Disposition: a browser sends two beside those in the name of a file."""

_CHARSETS = frozenset({b"utf-8", b"utf8", b"us-ascii", b"ascii"})


class TooManyPhotos(TooLong):
    """A message has more photos than one may have."""

    text, sentence = f"A message may have {MAX_IMAGES} pictures.", "too_many_photos"


@dataclass
class UploadedForm:
    """A multipart form: its fields in their order, and the bytes of its files."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)


def media_type_of(request: Request) -> str:
    """Return the media type of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def require_utf8(request: Request) -> None:
    """Raise UnsupportedMediaType for a form in another charset than UTF-8, of which ASCII is a part, or a long type.

    Starlette decodes each field by the codec that the client names: `punycode` takes quadratic time, and some codecs
    raise what Starlette does not catch. The header of a part and a field `_charset_` name no codec for it.
    """
    kind = request.headers.get("content-type", "")
    if len(kind) > MOST_OF_TYPE:
        raise UnsupportedMediaType(f"The Content-Type of a form has at most {MOST_OF_TYPE} characters.")
    _, options = parse_options_header(kind)
    if options.get(b"charset", b"utf-8").lower() not in _CHARSETS:
        raise UnsupportedMediaType("Send the form in UTF-8: no other `charset` is read.")


async def read_form(
    request: Request, *, most_fields: int = MOST_FIELDS, pictures_alone: bool = False
) -> UploadedForm:
    """Read a multipart form. Raises UnsupportedMediaType for another body, and BadFrame for a broken one.

    Raises BadFrame for one of more than `most_fields` too, and TooManyPhotos. With `pictures_alone` files that say
    they are none are left out.
    """
    if media_type_of(request) != FORM or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    require_utf8(request)
    found = UploadedForm()
    parser = _MemoryParser(
        request.headers,
        request.stream(),
        max_files=MAX_IMAGES,
        max_fields=most_fields,
        max_part_size=MOST_OF_FIELD,
    )
    try:
        form = await parser.parse()
    except MultiPartException as wrong:
        if wrong.message.startswith("Too many files"):
            raise TooManyPhotos from wrong
        raise BadFrame(f"This form cannot be read: {wrong.message}") from wrong
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if pictures_alone and not _may_be_picture(value):
                continue
            found.files.append(await value.read())
        else:
            found.fields.append((name, value))
    parser.close()
    return found


def _may_be_picture(file: UploadFile) -> bool:
    kind = (file.content_type or "").strip().lower()
    return not kind or kind.startswith("image/") or kind == "application/octet-stream"


async def read_fields(request: Request, *, most_bytes: int, most_fields: int) -> dict[str, str]:
    """Read an urlencoded form, as a browser sends one without files. Raises BadFrame and TooLong.

    Raises UnsupportedMediaType for another charset than UTF-8.
    """
    if media_type_of(request) != URLENCODED or "content-encoding" in request.headers:
        raise BadFrame("Send the form as a browser does.")
    require_utf8(request)
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

    def on_headers_finished(self) -> None:
        """Refuse a part whose disposition takes long to parse: 4 KiB of semicolons are 8 ms, in each of 1,000 parts."""
        if (self._current_part.content_disposition or b"").count(b";") > MOST_SEMICOLONS:
            raise MultiPartException("A part's Content-Disposition has too many parameters.")
        super().on_headers_finished()

    def close(self) -> None:
        """Close all files, those too that break off before their end, which are in no field."""
        for each in self._files_to_close_on_error:
            each.close()
