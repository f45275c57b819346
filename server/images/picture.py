"""A picture as it is kept: a JPEG without metadata, made of what a caller sent. Its content decides its type."""

import asyncio
import base64
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from server.errors import ImageUnreadable, Unavailable
from server.images.picture_files import plain_file
from server.store.conversations.blobs import MAX_BYTES

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MOST_PIXELS = 25_000_000
"""By the header, before anything is decoded."""

MOST_PIXELS_OF_WEBP = 15_000_000
"""Pixels of a WebP, whose decoder has four copies of the picture at once, each with four bytes a pixel."""

MOST_SIDE = 65_535
"""Each row costs 8 bytes more in each copy; a PNG could have 25 million."""

PIXELS_AT_ONCE = 1_000_000
"""Pixels of the rows that are laid on white and made narrow at once."""

LONGEST_SIDE = 1_600
QUALITIES = (85, 75, 60, 45, 30)
MEDIA_TYPE = "image/jpeg"

AT_ONCE = 1
"""Pictures that are decoded at once: each may need 100 MB and a core for a moment."""

ROOM = asyncio.Semaphore(AT_ONCE)

AGAIN_S = 5
"""After these seconds a caller may come again that found no thread."""

_TURNS: Mapping[int, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What puts a picture upright, by its orientation in EXIF."""


class ImageTooLarge(ImageUnreadable):
    """A picture has more pixels than a server would decode."""

    sentence = "image_too_large"


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG with its size in pixels."""

    data: bytes
    width: int
    height: int


async def read_image(source: bytes | str) -> Picture:
    """Decode a picture and encode it anew, in a thread. Raises ImageUnreadable, and Unavailable where there is none.

    `source` are its bytes, or a data URL of them in base64.

    A thread cannot be stopped: that of a caller who is cancelled keeps its room until it has ended.
    """
    await ROOM.acquire()
    try:
        reading = asyncio.get_running_loop().run_in_executor(None, _read, source)
    except RuntimeError as error:
        ROOM.release()
        raise Unavailable(retry_after=AGAIN_S) from error  # The system has no thread now.
    reading.add_done_callback(_leave_room)
    await asyncio.wait({reading})
    return reading.result()


def _leave_room(reading: "asyncio.Future[Picture]") -> None:
    ROOM.release()
    if not reading.cancelled():
        reading.exception()  # Retrieved for a caller that is gone: asyncio would log it.


def _read(source: bytes | str) -> Picture:
    data = source if isinstance(source, bytes) else _decode(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of what is broken, once for each picture.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            file = plain_file(data)
            with Image.open(BytesIO(file.data), formats=FORMATS) as opened:
                _require_size(opened)
                opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
                opened.load()
                reduced = _reduce(opened)
            del opened
            return _encode(_upright(reduced, file.orientation))
    except ImageUnreadable:
        raise
    except Exception as error:
        # A broken file raises anything, depending on its format and on what is broken.
        raise ImageUnreadable from error


def _require_size(image: Image.Image) -> None:
    """Judge a picture by its header. Raises ImageUnreadable."""
    most = MOST_PIXELS_OF_WEBP if image.format == "WEBP" else MOST_PIXELS
    if image.width * image.height > most:
        other = "" if most == MOST_PIXELS else f" As a JPEG or PNG it may have {MOST_PIXELS // 1_000_000}."
        raise ImageTooLarge(f"This picture has more than {most // 1_000_000} megapixels.{other}")
    if max(image.size) > MOST_SIDE:
        raise ImageTooLarge(f"This picture has a side of more than {MOST_SIDE} pixels.")


def _decode(url: str) -> bytes:
    """Decode the base64 of a data URL. Raises ImageUnreadable, also for characters that are not ASCII."""
    try:
        return base64.b64decode(url[url.index(",") + 1 :], validate=True)
    except ValueError as error:
        raise ImageUnreadable("This data URL is not base64.") from error


def _reduce(image: Image.Image) -> Image.Image:
    """Return the picture in RGB and within `LONGEST_SIDE`, some rows after the other: a copy of it may have 100 MB."""
    scale = min(1.0, LONGEST_SIDE / max(image.size))
    width, height = (max(1, round(side * scale)) for side in image.size)
    rows = max(1, PIXELS_AT_ONCE // image.width)
    narrow = Image.new("RGB", (width, image.height))
    for top in range(0, image.height, rows):
        part = _opaque(image.crop((0, top, image.width, min(top + rows, image.height))))
        narrow.paste(part.resize((width, part.height)), (0, top))
    return narrow.resize((width, height))


def _upright(image: Image.Image, orientation: int) -> Image.Image:
    """Return the picture as it was taken, or as it is where its EXIF data do not say how."""
    turn = _TURNS.get(orientation)
    return image if turn is None else image.transpose(turn)


def _opaque(image: Image.Image) -> Image.Image:
    """Return the picture in RGB; what is transparent becomes white."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        with_alpha = image.convert("RGBA")
        ground = Image.new("RGB", with_alpha.size, "white")
        ground.paste(with_alpha, mask=with_alpha.getchannel("A"))
        return ground
    return image.convert("RGB")


def _encode(image: Image.Image) -> Picture:
    """Return the picture within the size of a blob."""
    for quality in QUALITIES:
        written = BytesIO()
        image.save(written, "JPEG", quality=quality, optimize=True)
        if written.tell() <= MAX_BYTES:
            return Picture(written.getvalue(), image.width, image.height)
    raise ImageUnreadable("This picture cannot be made small enough.")
