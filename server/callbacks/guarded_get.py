"""The GET of an address that an app or a client names: through the guard, with bounded time and bytes."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import httpcore2
import httpx2

from server import __version__
from server.callbacks.guard import MOST_URL, Guard
from server.callbacks.sparing_network import SparingNetwork, answer_parts

OK = 200
MOVED = frozenset({301, 302, 303, 307, 308})

_UNFIT = frozenset(map(chr, range(33))) | set("\x7f\\<>\"'`{}|^")
"""Characters that no valid address has: parsers of addresses disagree about them."""

Count = Callable[[int], None]


class FetchFailed(Exception):
    """The address gave no body: no connection, a status other than 200, a redirect that is not followed, or more parts
    than their bytes are worth (`sparing_network.py`)."""


class FetchLate(FetchFailed):
    """The address did not give the whole body in time."""


class FetchTooLarge(FetchFailed):
    """The body has more bytes than the caller allows."""


@dataclass(frozen=True)
class _Moved:
    """An answer that names another address."""

    location: str


def _count_nothing(_: int) -> None:
    """Count no bytes: for an address that an operator has configured."""


async def get_guarded(
    address: str,
    guard: Guard,
    *,
    accept: str,
    most_bytes: int,
    seconds: float,
    count: Count = _count_nothing,
    redirects: int = 0,
) -> bytes:
    """Return the body that an address answers with, within `seconds` for all requests together.

    At most `redirects` are followed, each over a connection of its own to an address that the guard has judged; none
    leads from https to http. `count` is called with the number of bytes of each part and may raise.
    Raises UrlNotAllowed, FetchLate, FetchTooLarge (above `most_bytes`), and FetchFailed for all else.
    """
    url = await guard.judge(address)
    headers = {"accept": accept, "user-agent": f"Loopwire/{__version__}", "connection": "close"}
    try:
        async with asyncio.timeout(seconds):
            found = await _read(url, guard, headers, most_bytes, count)
            for _ in range(redirects):
                if not isinstance(found, _Moved):
                    break
                url = await guard.judge(next_address(url, found.location))
                found = await _read(url, guard, headers, most_bytes, count)
    # TimeoutError is a kind of OSError, so it comes first.
    except (TimeoutError, httpcore2.TimeoutException) as error:
        raise FetchLate from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ssl.SSLError) as error:
        raise FetchFailed from error
    if isinstance(found, _Moved):
        raise FetchFailed
    return found


async def _read(
    url: httpcore2.URL, guard: Guard, headers: dict[str, str], most_bytes: int, count: Count
) -> bytes | _Moved:
    """Return the body of an answer, or the address that it names instead. Raises FetchTooLarge, FetchFailed."""
    pool = httpcore2.AsyncConnectionPool(network_backend=SparingNetwork(guard))
    async with pool, pool.stream("GET", url, headers=list(headers.items())) as response:
        if response.status in MOVED:
            return _Moved(_location_of(response))
        if response.status != OK:
            raise FetchFailed
        body = bytearray()
        async for part in answer_parts(response):
            count(len(part))
            body += part
            if len(body) > most_bytes:
                raise FetchTooLarge
        return bytes(body)


def _location_of(response: httpcore2.Response) -> str:
    """Return the one Location of an answer. Raises FetchFailed where it has none, or one that parsers may dispute."""
    found = [value for name, value in response.headers if name.lower() == b"location"]
    text = found[0].decode("latin-1") if len(found) == 1 else ""
    if not text or len(text) > MOST_URL or not text.isascii() or set(text) & _UNFIT:
        raise FetchFailed
    return text


def next_address(url: httpcore2.URL, location: str) -> str:
    """Return the whole address that a Location names. Raises FetchFailed from https to http, and for no address."""
    here = f"{url.scheme.decode()}://{_host_of(url)}{url.target.decode()}"
    try:
        to = httpx2.URL(here).join(location)
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise FetchFailed from error
    if url.scheme == b"https" and to.scheme != "https":
        raise FetchFailed
    return str(to.copy_with(fragment=None))


def _host_of(url: httpcore2.URL) -> str:
    host = url.host.decode()
    named = f"[{host}]" if ":" in host else host
    return named if url.port is None else f"{named}:{url.port}"
