"""Pictures at addresses: fetched from the public internet, and from nowhere else."""

from server.callbacks import Guard
from server.callbacks.guarded_get import Count, FetchFailed, FetchLate, FetchTooLarge, get_guarded
from server.errors import ImageUnavailable, TooLong

MOST_BYTES = 10 * 1024 * 1024
TIMEOUT_S = 10.0
"""For all requests to one picture together."""

MOST_REDIRECTS = 3


async def fetch_image(address: str, guard: Guard, count: Count) -> bytes:
    """Return the bytes at an address by http or https; each part is counted as it comes, which may raise.

    Raises UrlNotAllowed, ImageUnavailable without an answer of 200 in ten seconds, and TooLong over 10 MiB.
    """
    try:
        return await get_guarded(
            address,
            guard.with_plain_http(),
            accept="image/*",
            most_bytes=MOST_BYTES,
            seconds=TIMEOUT_S,
            count=count,
            redirects=MOST_REDIRECTS,
        )
    except FetchTooLarge as error:
        raise TooLong("A picture may have 10 MiB.") from error
    except FetchLate as error:
        raise ImageUnavailable("This address gave no picture in time.") from error
    except FetchFailed as error:
        raise ImageUnavailable from error
