"""Pictures at addresses: fetched from the public internet, and from nowhere else."""

import asyncio
import ssl

import httpcore2

from server import __version__
from server.callbacks import Guard
from server.errors import ImageUnavailable, TooLong

MOST_BYTES = 10 * 1024 * 1024
TIMEOUT_S = 10.0
FOUND = 200


async def fetch_image(text: str, guard: Guard) -> bytes:
    """Return the bytes at an address. Redirects are not followed: they would lead past the guard's judgement.

    Raises UrlNotAllowed, ImageUnavailable without an answer of 200 in ten seconds, and TooLong over 10 MiB.
    """
    url = await guard.judge(text)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _get(url, guard)
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ssl.SSLError) as error:
        raise ImageUnavailable from error
    except (TimeoutError, httpcore2.TimeoutException) as error:
        raise ImageUnavailable("This address gave no picture in time.") from error


async def _get(url: httpcore2.URL, guard: Guard) -> bytes:
    headers = {"accept": "image/*", "user-agent": f"Loopwire/{__version__}", "connection": "close"}
    pool = httpcore2.AsyncConnectionPool(network_backend=guard, max_connections=1, retries=0)
    async with pool, pool.stream("GET", url, headers=list(headers.items())) as response:
        if response.status != FOUND:
            raise ImageUnavailable
        body = bytearray()
        async for part in response.aiter_stream():
            body += part
            if len(body) > MOST_BYTES:
                raise TooLong("A picture may have 10 MiB.")
        return bytes(body)
