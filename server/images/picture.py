"""A picture as it is kept: a JPEG without metadata, made of what a caller sent. Its content decides its type."""

import asyncio
import warnings
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from server.errors import ImageUnreadable
from server.store.conversations.blobs import MAX_BYTES

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MOST_PIXELS = 25_000_000
"""By the header, before anything is decoded."""

LONGEST_SIDE = 1_600
QUALITIES = (85, 75, 60, 45, 30)
MEDIA_TYPE = "image/jpeg"

AT_ONCE = 1
"""Pictures that are decoded at once: each may need 100 MB and a core for a moment."""

_room = asyncio.Semaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG with its size in pixels."""

    data: bytes
    width: int
    height: int


async def read_image(data: bytes) -> Picture:
    """Decode a picture and encode it anew, in a thread. Raises ImageUnreadable."""
    async with _room:
        return await asyncio.to_thread(_read, data)


def _read(data: bytes) -> Picture:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise ImageUnreadable("This picture has more than 25 megapixels.")
                opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
                turned = ImageOps.exif_transpose(opened)
                return _encode(_opaque(turned))
    except ImageUnreadable:
        raise
    except (UnidentifiedImageError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ImageUnreadable from error
    except (
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        MemoryError,
        TypeError,
        IndexError,
        KeyError,
    ) as error:
        raise ImageUnreadable from error  # A broken file raises any of these, depending on its format.


def _opaque(image: Image.Image) -> Image.Image:
    """Return the picture in RGB; what is transparent becomes white."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        with_alpha = image.convert("RGBA")
        ground = Image.new("RGB", with_alpha.size, "white")
        ground.paste(with_alpha, mask=with_alpha.getchannel("A"))
        return ground
    return image.convert("RGB")


def _encode(image: Image.Image) -> Picture:
    """Return the picture within the size of a blob. A new image has no metadata but what it is given: none."""
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    plain = Image.new("RGB", image.size)
    plain.paste(image)
    for quality in QUALITIES:
        written = BytesIO()
        plain.save(written, "JPEG", quality=quality, optimize=True)
        if written.tell() <= MAX_BYTES:
            return Picture(written.getvalue(), plain.width, plain.height)
    raise ImageUnreadable("This picture cannot be made small enough.")
