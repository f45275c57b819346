"""The pictures that a request names: data URLs are decoded, addresses fetched, all of them at once."""

import base64
import re
from collections.abc import Sequence

from server.callbacks import Guard
from server.errors import ImageUnreadable, LoopwireError
from server.images.fetch import fetch_image
from server.images.picture import Picture, read_image
from server.tasks import Tasks

_DATA = re.compile(r"data:[\w.+-]{0,60}(?:/[\w.+-]{1,60})?(?:;[\w.+=-]{1,60})*;base64,", re.IGNORECASE)


async def images_of(sources: Sequence[str], guard: Guard) -> list[Picture]:
    """Return the pictures in their order. Raises what is wrong with the first that cannot be had or read."""
    tasks = Tasks()
    try:
        reading = [tasks.spawn(_image_of(each, guard), name="image") for each in sources]
        return [_picture_in(await each) for each in reading]
    finally:
        await tasks.aclose()


def _picture_in(read: Picture | LoopwireError) -> Picture:
    if isinstance(read, LoopwireError):
        raise read
    return read


async def _image_of(source: str, guard: Guard) -> Picture | LoopwireError:
    """Return a picture, or what is wrong with it: that is answered to the caller, and is no fault of this task."""
    inline = _DATA.match(source)
    try:
        if inline is None:
            return await read_image(await fetch_image(source, guard))
        return await read_image(_decode(source[inline.end() :]))
    except LoopwireError as error:
        return error


def _decode(text: str) -> bytes:
    """Decode base64. Raises ImageUnreadable, also for characters that are not ASCII."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise ImageUnreadable("This data URL is not base64.") from error
