"""GET of an address from outside, such as a request's: through the guard, with bounded time and bytes."""

import asyncio
import ssl
from collections.abc import Callable

import httpcore2

from server import __version__
from server.callbacks.answer_parts import SparingNetwork, answer_parts
from server.callbacks.guard import Guard

FOUND = 200

Count = Callable[[int], None]


class FetchFailed(Exception):
    """The address gave no answer of 200, or one in more parts than its bytes are worth."""


class FetchLate(FetchFailed):
    """The address gave no answer in time."""


class FetchTooLarge(FetchFailed):
    """The answer has more bytes than it may."""


def _count_nothing(_: int) -> None:
    """Let an operator's address send what it may."""


async def get_guarded(
    address: str,
    guard: Guard,
    *,
    accept: str,
    most_bytes: int,
    seconds: float,
    count: Count = _count_nothing,
) -> bytes:
    """Return what is at an address. Redirects are not followed: they would lead past the guard's judgement.

    `count` is told the bytes of each part and may raise.
    Raises UrlNotAllowed, FetchLate, FetchTooLarge, and FetchFailed for all else.
    """
    url = await guard.judge(address)
    headers = {"accept": accept, "user-agent": f"Loopwire/{__version__}", "connection": "close"}
    try:
        async with asyncio.timeout(seconds):
            return await _read(url, guard, headers, most_bytes, count)
    # TimeoutError is a kind of OSError, so it comes first.
    except (TimeoutError, httpcore2.TimeoutException) as error:
        raise FetchLate from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ssl.SSLError) as error:
        raise FetchFailed from error


async def _read(
    url: httpcore2.URL, guard: Guard, headers: dict[str, str], most_bytes: int, count: Count
) -> bytes:
    pool = httpcore2.AsyncConnectionPool(network_backend=SparingNetwork(guard))
    async with pool, pool.stream("GET", url, headers=list(headers.items())) as response:
        if response.status != FOUND:
            raise FetchFailed
        body = bytearray()
        async for part in answer_parts(response):
            count(len(part))
            body += part
            if len(body) > most_bytes:
                raise FetchTooLarge
        return bytes(body)
