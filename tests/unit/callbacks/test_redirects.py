"""Redirects of a fetch: three at most, each judged anew, whatever a site does to lead the server inside or hold it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import httpcore2
import pytest

from server.callbacks import Guard
from server.callbacks.guarded_get import FetchFailed, FetchLate, get_guarded, next_address
from server.errors import LoopwireError, UrlNotAllowed
from server.images.fetch import MOST_REDIRECTS

FOUND = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def moved(*locations: str, status: str = "302 Found", more: bytes = b"") -> bytes:
    """Return an answer that names other addresses."""
    heads = "".join(f"location: {each}\r\n" for each in locations)
    return f"HTTP/1.1 {status}\r\n{heads}".encode() + more + b"content-length: 0\r\n\r\n"


class Site:
    """A site with an answer for each path; without one it keeps silent."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {"/end": FOUND}
        self.asked: list[str] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            self.asked.append(path)
            if path in self.answers:
                writer.write(self.answers[path])
                await writer.drain()
                writer.write_eof()
            await reader.read()
        writer.transport.abort()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made


class Internet(httpcore2.AsyncNetworkBackend):
    """A network on which every public address is the site, and that notes where connections were to go."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.asked: list[tuple[str, int]] = []
        self.real = httpcore2.AnyIOBackend()

    async def connect_tcp(self, host: str, port: int, *rest: Any) -> httpcore2.AsyncNetworkStream:
        """Connect to the site."""
        self.asked.append((host, port))
        return await self.real.connect_tcp("127.0.0.1", self.site.port, *rest)


NAMES: dict[str, list[str]] = {
    "shop.example": ["8.8.8.8"],
    "other.example": ["8.8.4.4"],
    "inside.example": ["10.0.0.1"],
    "mixed.example": ["8.8.8.8", "127.0.0.1"],
    "azure.example": ["168.63.129.16"],
    "localhost": ["127.0.0.1", "::1"],
    "0x7f000001": ["127.0.0.1"],
}

Get = Callable[..., Any]


@pytest.fixture
def internet(site: Site) -> Internet:
    return Internet(site)


@pytest.fixture
def get(internet: Internet) -> Get:
    turns = iter((["8.8.8.8"], ["127.0.0.1"]))

    async def resolve(host: str, _caller: str) -> list[str]:
        if host == "rebound.example":
            return next(turns)
        return NAMES.get(host, [host])

    guard = Guard(resolve=resolve)
    guard.network = internet

    async def get(address: str = "http://shop.example/a", seconds: float = 60) -> bytes:
        return await get_guarded(
            address,
            guard.with_plain_http(),
            accept="image/*",
            most_bytes=1000,
            seconds=seconds,
            redirects=MOST_REDIRECTS,
        )

    return get


async def test_plain_http_is_taken_from_a_public_address_at_its_port_alone(
    get: Get, internet: Internet
) -> None:
    assert await get("http://shop.example/end") == b"ok"
    assert await get("http://shop.example:80/end") == b"ok"
    assert internet.asked == [("8.8.8.8", 80)] * 2
    for url in (
        *("http://shop.example:8080/end", "http://shop.example:443/end", "https://shop.example:80/end"),
        *("http://inside.example/end", "http://mixed.example/end", "http://azure.example/end"),
        *("http://169.254.169.254/latest", "http://[fd00:ec2::254]/latest", "http://127.0.0.1/end"),
        *("http://100.100.100.200/latest", "http://u:p@shop.example/end", "ftp://shop.example/end"),
    ):
        with pytest.raises(UrlNotAllowed):
            await get(url)
    assert len(internet.asked) == 2


async def test_callbacks_and_all_others_have_https_alone_and_follow_nothing(
    site: Site, internet: Internet
) -> None:
    async def resolve(_host: str, _caller: str) -> list[str]:
        return ["8.8.8.8"]

    guard = Guard(resolve=resolve)
    guard.network = internet
    guard.with_plain_http()
    with pytest.raises(UrlNotAllowed):
        await guard.judge("http://shop.example/hook")
    with pytest.raises(UrlNotAllowed):
        await guard.connect_tcp("shop.example", 80)
    assert internet.asked == []
    site.answers["/a"] = moved("/end")
    with pytest.raises(FetchFailed):
        await get_guarded(
            "http://shop.example/a", guard.with_plain_http(), accept="*/*", most_bytes=9, seconds=60
        )
    assert site.asked == ["/a"]


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Again", "308 For Good"])
async def test_three_redirects_are_followed(site: Site, get: Get, internet: Internet, status: str) -> None:
    site.answers["/a"] = moved("/b", status=status)
    site.answers["/b"] = moved("http://other.example/c?x=1#f", status=status)
    site.answers["/c?x=1"] = moved("//shop.example/end", status=status)
    assert await get() == b"ok"
    assert site.asked == ["/a", "/b", "/c?x=1", "/end"]
    assert [host for host, _ in internet.asked] == ["8.8.8.8", "8.8.8.8", "8.8.4.4", "8.8.8.8"]


async def test_a_loop_of_redirects_ends_after_three(site: Site, get: Get) -> None:
    site.answers["/a"] = moved("/a")
    with pytest.raises(FetchFailed):
        await get()
    assert site.asked == ["/a"] * (MOST_REDIRECTS + 1)


@pytest.mark.parametrize(
    "location",
    [
        *(
            "http://127.0.0.1/",
            "http://127.0.0.1:8080/",
            "http://localhost/",
            "http://0x7f000001/",
            "http://[::1]/",
        ),
        *(
            "http://169.254.169.254/latest/meta-data",
            "http://[fd00:ec2::254]/latest",
            "http://azure.example/",
        ),
        *("http://inside.example/", "http://mixed.example/", "http://[::ffff:127.0.0.1]/", "//127.0.0.1/"),
        *("http://shop.example:22/", "https://shop.example:8443/", "http://u:p@shop.example/end"),
        *("file:///etc/passwd", "gopher://shop.example/", "data:image/png;base64,AAAA"),
        *(
            "http://shop.example\\@127.0.0.1/",
            "http://127.0.0.1\t/",
            "http://shop.example/\x7f",
            "",
            "x" * 3000,
        ),
        *("http://sh\xf6p.example/", "http://xn--..b/"),
    ],
)
async def test_a_redirect_to_anything_but_a_public_address_is_not_followed(
    site: Site, get: Get, internet: Internet, location: str
) -> None:
    site.answers["/a"] = moved(location)
    with pytest.raises((LoopwireError, FetchFailed)):
        await get()
    assert site.asked == ["/a"]
    assert internet.asked == [("8.8.8.8", 80)]


async def test_a_name_that_leads_inside_when_it_is_connected_to_is_refused(
    site: Site, get: Get, internet: Internet
) -> None:
    site.answers["/a"] = moved("http://rebound.example/end")
    with pytest.raises(UrlNotAllowed):
        await get()
    assert internet.asked == [("8.8.8.8", 80)]


async def test_an_answer_with_two_places_or_a_head_without_end_is_not_followed(site: Site, get: Get) -> None:
    site.answers["/a"] = moved("/end", "/other")
    with pytest.raises(FetchFailed):
        await get()
    site.answers["/a"] = moved("/end", more=b"x: y\r\n" * 5_000)
    with pytest.raises(FetchFailed):
        await get()
    site.answers["/a"] = moved("/end", more=b"x: " + b"y" * 200_000 + b"\r\n")
    with pytest.raises(FetchFailed):
        await get()
    assert site.asked == ["/a"] * 3


async def test_the_body_of_a_redirect_is_not_read(site: Site, get: Get) -> None:
    site.answers["/a"] = b"HTTP/1.1 302 Found\r\nlocation: /end\r\ncontent-length: 1000000000\r\n\r\nslow"
    assert await get() == b"ok"


async def test_all_requests_together_have_one_time(site: Site, get: Get) -> None:
    site.answers["/a"] = moved("/silent")
    with pytest.raises(FetchLate):
        await get(seconds=0.3)
    assert site.asked == ["/a", "/silent"]


def test_no_redirect_leads_from_https_to_http() -> None:
    here = httpcore2.URL("https://shop.example:443/a?b=1")
    assert next_address(here, "c#f") == "https://shop.example/c"
    assert next_address(here, "https://[2001:db8::1]/x") == "https://[2001:db8::1]/x"
    for location in ("http://shop.example/", "HTTP://shop.example/", "file:///etc/passwd"):
        with pytest.raises(FetchFailed):
            next_address(here, location)
    inside = httpcore2.URL("http://[2001:db8::1]:80/a")
    assert next_address(inside, "/b") == "http://[2001:db8::1]/b"
