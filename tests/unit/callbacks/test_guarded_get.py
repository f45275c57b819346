"""A GET through the guard asks once, sends its headers, and takes no more bytes than it may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from server import __version__
from server.callbacks import Guard
from server.callbacks.guarded_get import FetchFailed, FetchLate, FetchTooLarge, get_guarded
from server.errors import UrlNotAllowed

MOST = 100_000
OK = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b"


class Site:
    """A site with one answer to everything; without an answer it keeps silent."""

    def __init__(self) -> None:
        """Answer with an empty page at first."""
        self.answer: bytes | None = OK % (0, b"")
        self.heads: list[list[str]] = []
        self.place = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n"))
            if self.answer is None:
                await reader.read()
            else:
                writer.write(self.answer)
                await writer.drain()
        writer.transport.abort() if self.answer is None else writer.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield site


@pytest.fixture
def get(site: Site) -> Callable[..., Awaitable[bytes]]:
    async def get(seconds: float = 60) -> bytes:
        return await get_guarded(
            f"http://{site.place}/a?b=1",
            Guard([site.place]),
            accept="image/*",
            most_bytes=MOST,
            seconds=seconds,
        )

    return get


async def test_the_request_names_its_target_and_sends_its_headers(site, get):
    assert await get() == b""
    first, *lines = site.heads[0]
    assert first == "GET /a?b=1 HTTP/1.1"
    sent = dict(line.lower().split(": ", 1) for line in lines if line)
    assert sent == {
        "host": site.place,
        "accept": "image/*",
        "user-agent": f"loopwire/{__version__}",
        "connection": "close",
    }


async def test_an_answer_of_the_most_bytes_is_taken_and_one_byte_more_is_not(site, get):
    site.answer = OK % (MOST, bytes(MOST))
    assert await get() == bytes(MOST)
    site.answer = OK % (MOST + 1, bytes(MOST + 1))
    with pytest.raises(FetchTooLarge):
        await get()


@pytest.mark.parametrize("status", ["204 No Content", "302 Found\r\nlocation: /elsewhere", "404 Not Found"])
async def test_a_status_other_than_200_fails_and_no_redirect_is_followed(site, get, status):
    site.answer = f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode()
    with pytest.raises(FetchFailed) as failed:
        await get()
    assert type(failed.value) is FetchFailed
    assert len(site.heads) == 1


async def test_half_an_answer_is_a_failure(site, get):
    site.answer = OK % (2, b"x")
    with pytest.raises(FetchFailed):
        await get()


async def test_a_silent_site_is_late(site, get):
    site.answer = None
    with pytest.raises(FetchLate):
        await get(0.05)


async def test_the_site_is_connected_to_through_the_guard():
    resolved = iter((["8.8.8.8"], ["127.0.0.1"]))

    async def resolve(_host, _caller):
        return next(resolved)

    with pytest.raises(UrlNotAllowed):
        await get_guarded(
            "https://rebound.example/",
            Guard(resolve=resolve),
            accept="*/*",
            most_bytes=MOST,
            seconds=60,
        )


async def test_a_site_that_is_not_trusted_is_not_asked(site):
    with pytest.raises(UrlNotAllowed):
        await get_guarded(f"http://{site.place}/", Guard(), accept="*/*", most_bytes=MOST, seconds=60)
    assert site.heads == []
