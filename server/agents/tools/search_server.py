"""The client of a search server that speaks SearXNG's JSON API: one request a search, limits on all that comes back.

The operator chose the address, so it may be private. What the server finds is shown and never fetched.
"""

import asyncio
import html
import json
import ssl
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from server import __version__, patterns
from server.errors import Unavailable
from server.protocol.codec import mend_text
from server.protocol.plain_text import has_control, plain_text
from server.tracing.trace_context import outgoing_headers

TIMEOUT_S = 10.0
"""From the request to the last byte of its answer."""

MOST_BYTES = 2 * 1024 * 1024
MOST_RESULTS = 8
MOST_QUERY = 300
MOST_TITLE, MOST_TEXT = 200, 500
MOST_ADDRESS = 2_048
_SEARCHED = 200
_TAG = patterns.compile(r"<[^<>]*>")
_UNSAFE = patterns.compile(r"[\s<>\"'`\\{}|^]")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page that a search found."""

    url: str
    title: str
    text: str

    def to_json(self) -> dict[str, str]:
        """Return it as the agents read it."""
        return asdict(self)


class SearchServer:
    """Asks one search server. One for the process."""

    def __init__(self, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        """`url` is the address of the server, with or without `/search`."""
        self._url = url.rstrip("/").removesuffix("/search") + "/search"
        self._timeout_s = timeout_s
        self._client = httpx2.AsyncClient(
            timeout=timeout_s,
            follow_redirects=False,
            trust_env=False,
            # The size of a compressed answer would be known only after it was expanded.
            headers={"accept-encoding": "identity", "user-agent": f"Loopwire/{__version__}"},
        )

    async def search(self, query: str, language: str) -> list[SearchResult]:
        """Return at most 8 pages, the best first.

        Raises Unavailable where the server does not answer in time, refuses, or says what is no result of a search.
        """
        asked = {"q": plain_text(query)[:MOST_QUERY], "format": "json", "language": language}
        try:
            async with asyncio.timeout(self._timeout_s):
                body = await self._get(asked)
            return read_results(json.loads(body))
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ssl.SSLError, TimeoutError) as error:
            raise Unavailable("The search server does not answer.") from error
        except (ValueError, RecursionError) as error:
            raise Unavailable("The search server says what cannot be read.") from error

    async def _get(self, asked: dict[str, str]) -> bytes:
        async with self._client.stream(
            "GET", self._url, params=asked, headers=outgoing_headers()
        ) as response:
            if (
                response.status_code != _SEARCHED
                or response.headers.get("content-encoding", "identity") != "identity"
            ):
                raise Unavailable("The search server refuses.")
            body = bytearray()
            async for part in response.aiter_raw():
                body += part
                if len(body) > MOST_BYTES:
                    raise Unavailable("The search server says too much.")
            return bytes(body)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def read_results(found: Any) -> list[SearchResult]:
    """Return the results that have a web address, each address once. Raises ValueError for what is no answer."""
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        raise ValueError("no results")
    read: dict[str, SearchResult] = {}
    for each in found["results"]:
        url = each.get("url") if isinstance(each, dict) else None
        if isinstance(url, str) and is_web_address(url) and url not in read:
            title, text = _words(each.get("title"), MOST_TITLE), _words(each.get("content"), MOST_TEXT)
            read[url] = SearchResult(url, title, text)
        if len(read) >= MOST_RESULTS:
            break
    return list(read.values())


def is_web_address(text: str) -> bool:
    """Return whether this is an http(s) address that can be shown: no script, no password, no mark that ends a link."""
    if not 0 < len(text) <= MOST_ADDRESS or has_control(text) or _UNSAFE.search(text):
        return False
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc


def _words(value: Any, most: int) -> str:
    """Return a text of a result without markup, on one line."""
    if not isinstance(value, str):
        return ""
    bare = _TAG.sub("", html.unescape(_TAG.sub("", value[: 8 * most])))
    return mend_text(" ".join(plain_text(bare.replace("<", "").replace(">", "")).split()))[:most]
