"""The pictures that a request names: addresses are fetched all at once, and pictures decoded by turns."""

import asyncio
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
    """Return the pictures in their order. Raises what is wrong with the first that cannot be had or read.

    They are fetched at once and decoded one after the other, so that none is decoded behind one that is wrong.
    """
    tasks = Tasks()
    try:
        coming = [
            each if _DATA.match(each) else tasks.spawn(_fetched(each, guard), name="image")
            for each in sources
        ]
        return [await read_image(await _bytes_in(each)) for each in coming]
    finally:
        await tasks.aclose()


async def _bytes_in(coming: "str | asyncio.Task[bytes | LoopwireError]") -> bytes:
    """Return the bytes of a picture. Raises what is wrong with it."""
    if isinstance(coming, str):
        return _decode(coming[coming.index(",") + 1 :])
    found = await coming
    if isinstance(found, LoopwireError):
        raise found
    return found


async def _fetched(address: str, guard: Guard) -> bytes | LoopwireError:
    """Return what is at an address, or why not: that is answered to the caller, and is no fault of this task."""
    try:
        return await fetch_image(address, guard)
    except LoopwireError as error:
        return error


def _decode(text: str) -> bytes:
    """Decode base64. Raises ImageUnreadable, also for characters that are not ASCII."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise ImageUnreadable("This data URL is not base64.") from error
