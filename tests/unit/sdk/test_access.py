"""Requests over HTTP to a server that is no Loopwire or cannot answer: each raises its error, and none a traceback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from loopwire import Closed, Garbled, LoopwireError, Refused, Unreachable, connect
from loopwire.access import Access

HEAD = "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"


@dataclass
class Odd:
    """A server that gives each request the next of its answers, the last one for ever."""

    answers: list[bytes]
    asked: list[str] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
        writer.close()


@asynccontextmanager
async def odd(*answers: bytes) -> AsyncIterator[Odd]:
    """Run one for as long as the context lasts."""
    running = Odd(list(answers))
    server = await asyncio.start_server(running.serve, "127.0.0.1", 0)
    running.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield running


def response(status: str, body: str = "", **headers: str) -> bytes:
    """Return one response."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return (HEAD.format(status=status, length=len(body.encode()), headers=lines) + body).encode()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (response("200 OK", "<html>Welcome to the hotel</html>"), Garbled),
        (response("200 OK", "[]"), Garbled),
        (response("200 OK", "{}"), Garbled),
        (response("200 OK", "null"), Garbled),
        (response("200 OK", "this is no gzip at all", content_encoding="gzip"), Unreachable),
        (response("302 Found", location="/login"), Refused),
        (response("404 Not Found", "<html>"), Refused),
        (response("500 Oh", '{"error": "Internal Server Error"}'), Refused),
        (response("503 Later", '{"type": "error", "code": "unavailable", "retry": true}'), Refused),
        (b"", Unreachable),
        (b"SSH-2.0-OpenSSH\r\n", Unreachable),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{", Unreachable),
    ],
    ids=lambda value: value[:60].decode() if isinstance(value, bytes) else value.__name__,
)
async def test_a_malformed_answer_raises_an_error_of_the_client(
    answer: bytes, error: type[LoopwireError]
) -> None:
    async with odd(answer) as server:
        access = Access(server.url)
        with pytest.raises(error):
            await access.ticket(None)
        await access.aclose()


async def test_a_server_that_refuses_for_good_ends_the_opening_at_once() -> None:
    body = '{"error": {"code": "two_visitors", "message": "Two.", "retry": false}}'
    async with odd(response("409 Conflict", body)) as server:
        with pytest.raises(Closed, match="Two") as closed:
            async with connect(server.url):
                raise AssertionError
        assert (closed.value.code, len(server.asked)) == ("two_visitors", 1)


async def test_a_server_that_is_not_ready_is_asked_again_until_the_time_is_over() -> None:
    async with odd(response("503 Later", retry_after="0"), response("200 OK", "<html>")) as server:
        with pytest.raises(Unreachable, match="no JSON"):
            async with connect(server.url, open_timeout=1):
                raise AssertionError
        assert len(server.asked) > 1


async def test_a_visitor_is_kept_and_no_other_cookie_is() -> None:
    ticket = '{"ticket": "t", "session_id": "ses_1"}'
    first = response("200 OK", ticket, set_cookie="__Host-loopwire_visitor=vis_1.x; Path=/; Secure; HttpOnly")
    async with odd(first, response("200 OK", ticket, set_cookie="theme=dark")) as server:
        access = Access(server.url)
        for _ in range(3):
            assert await access.ticket(None) == ("t", "ses_1")
        assert access.visitor == "__Host-loopwire_visitor=vis_1.x"
        cookie = "cookie: __host-loopwire_visitor=vis_1.x\r\n"
        assert [cookie in each.lower() for each in server.asked] == [False, True, True]
        assert not [each for each in server.asked if "theme" in each]
        await access.aclose()


async def test_a_key_goes_with_the_name_of_its_user_as_it_may_stand_in_a_header() -> None:
    async with odd(response("200 OK", "{}")) as server:
        access = Access(server.url + "/", key="lwk_1", user="José\n")
        await access.json("GET", "/v1/sessions")
        (asked,) = server.asked
        assert asked.startswith("GET /v1/sessions ")
        assert "authorization: bearer lwk_1\r\n" in asked.lower()
        assert "loopwire-user: jos%c3%a9%0a\r\n" in asked.lower()
        await access.aclose()
