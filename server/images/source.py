"""The pictures that a request names: addresses are fetched all at once, and pictures decoded by turns."""

import asyncio
from collections.abc import Sequence

from server import patterns
from server.callbacks import Guard
from server.errors import ImageUnreadable, LoopwireError
from server.images.fetch import fetch_image
from server.images.picture import Picture, read_image
from server.limit_counters import HeldShare
from server.tasks import Tasks

_BARE = patterns.compile(r"[A-Za-z0-9+/=\s_-]{64,}")
"""Base64 without the head of a data URL. It is no address: an address has a colon."""

_LOOKED_AT = 64

_DATA = patterns.compile(
    r"data:[\w.+-]{0,60}(?:/[\w.+-]{1,60})?(?:;[\w.+=-]{1,60}){0,8};base64,", patterns.IGNORECASE
)
"""The head of a data URL. Its repetition is bounded: each one that is tried keeps some 120 bytes."""


async def images_of(sources: Sequence[str], guard: Guard, held: HeldShare) -> list[Picture]:
    """Return the pictures in their order. Raises what is wrong with the first that cannot be had or read.

    All are fetched at once and decoded one after the other, so that no picture is decoded after one that is wrong.
    The fetched bytes are counted in `held`, as the caller has counted the sources. Raises RateLimited and Unavailable.
    """
    tasks = Tasks()
    try:
        for each in sources:
            _require_head(each)
        coming = [
            each if _DATA.match(each) else tasks.spawn(_fetch(each, guard, held), name="image")
            for each in sources
        ]
        return [await read_image(await _source_of(each)) for each in coming]
    finally:
        await tasks.aclose()


def _require_head(source: str) -> None:
    """Require that base64 begins as a data URL. Raises ImageUnreadable, which says so.

    Only the beginning is looked at: no address begins with so many of these characters.
    """
    if _BARE.match(source[:_LOOKED_AT]):
        raise ImageUnreadable(
            "A picture in base64 has to begin with data:image/…;base64, and this one does not."
        )


async def _source_of(coming: "str | asyncio.Task[bytes | LoopwireError]") -> bytes | str:
    """Return a data URL, or the fetched bytes. Raises the error of the fetch."""
    if isinstance(coming, str):
        return coming
    found = await coming
    if isinstance(found, LoopwireError):
        raise found
    return found


async def _fetch(address: str, guard: Guard, held: HeldShare) -> bytes | LoopwireError:
    """Return the bytes at an address, or the error, which is an answer to the caller and no fault of this task."""
    try:
        return await fetch_image(address, guard, held.add)
    except LoopwireError as error:
        return error
