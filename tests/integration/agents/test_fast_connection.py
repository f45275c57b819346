"""One connection to a model's server: what its waits bear, which error each end has, and what it lets go of."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from server.agents.model.fast.connection import ModelConnection
from tests.parts.wait import PATIENCE_S, paced, until_async

REQUEST = b"POST / HTTP/1.1\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
OLA = HEAD + b"Content-Length: 3\r\n\r\nola"


@dataclass
class Both:
    """Both ends of a connection."""

    here: ModelConnection
    line: asyncio.Transport
    reader: asyncio.StreamReader
    there: asyncio.StreamWriter
    troubles: list[str]

    async def ask(self, *, patience: float | None = PATIENCE_S) -> None:
        """Send a request."""
        await self.here.send(REQUEST, b"", patience)
        await self.reader.readuntil(b"\r\n\r\n")

    async def answer(self, data: bytes, *, patience: float | None = PATIENCE_S) -> None:
        """Send the beginning of an answer, and wait for its head."""
        self.there.write(data)
        await self.here.wait_for_head(patience)


@asynccontextmanager
async def connected(first: bytes = b"") -> AsyncIterator[Both]:
    """Connect; the server says `first` before any request. No callback may fail."""
    loop = asyncio.get_running_loop()
    troubles: list[str] = []
    loop.set_exception_handler(lambda _, context: troubles.append(context["message"]))
    arrived: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = loop.create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        arrived.set_result((reader, writer))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        async with asyncio.timeout(PATIENCE_S):
            line, here = await loop.create_connection(ModelConnection, host, port)
            reader, there = await arrived
            yield Both(here, line, reader, there, troubles)
        line.abort()
        there.transport.abort()
        await asyncio.sleep(0)
    assert troubles == []


async def test_the_next_answer_comes_over_the_same_connection_with_a_patience_of_its_own() -> None:
    async with connected() as both:
        await both.ask()
        await both.answer(OLA, patience=600.0)
        assert (both.here.status, await both.here.read(), await both.here.read()) == (200, b"ola", b"")
        assert both.here.usable
        await both.ask()
        with pytest.raises(httpx2.ReadTimeout):
            await both.here.wait_for_head(0.2)
        assert both.line.is_closing() and not both.here.usable
        await paced(0.05)
        with pytest.raises(httpx2.ReadTimeout):
            await both.here.read()


async def test_a_reader_that_takes_its_time_is_no_silence_of_the_server_and_what_follows_is() -> None:
    async with connected() as both:
        await both.ask()
        await both.answer(CHUNKED + b"1\r\na\r\n", patience=0.4)
        assert await both.here.read() == b"a"
        await paced(0.8)
        both.there.write(b"1\r\nb\r\n")
        assert await both.here.read() == b"b"
        await paced(0.8)
        with pytest.raises(httpx2.ReadTimeout):
            await both.here.read()


async def test_an_answer_may_take_longer_than_the_patience_as_long_as_something_comes() -> None:
    async with connected() as both:
        await both.ask()
        await both.answer(CHUNKED, patience=2.0)
        for _ in range(9):
            await paced(0.3)
            both.there.write(b"1\r\na\r\n")
            assert await both.here.read() == b"a"


async def test_a_server_that_hangs_up_while_nobody_reads_is_told_to_who_reads_next() -> None:
    async with connected() as both:
        await both.ask()
        await both.answer(CHUNKED + b"1\r\na\r\n")
        assert await both.here.read() == b"a"
        both.there.close()
        await until_async(both.line.is_closing)
        with pytest.raises(httpx2.RemoteProtocolError):
            await both.here.read()


async def test_a_read_from_a_closed_connection_raises_read_error() -> None:
    async with connected() as both:
        await both.ask()
        await both.answer(CHUNKED)
        both.here.close()
        assert both.line.is_closing()
        with pytest.raises(httpx2.ReadError):
            await both.here.read()


@pytest.mark.parametrize(
    "lose", [lambda both: both.line.abort(), lambda both: both.here.eof_received()], ids=["lost", "hung up"]
)
async def test_a_connection_is_not_used_again_from_the_moment_in_which_it_is_lost(
    lose: Callable[[Both], Any],
) -> None:
    assert not ModelConnection().usable, "it has to be connected first"
    async with connected() as both:
        await both.ask()
        await both.answer(OLA)
        assert await both.here.read() == b"ola"
        assert both.here.usable
        lose(both)
        assert not both.here.usable


async def test_bytes_of_a_server_before_any_request_end_the_connection() -> None:
    async with connected(b"SSH-2.0-OpenSSH\r\n\r\n") as both:
        await until_async(both.line.is_closing)
        with pytest.raises(httpx2.WriteError):
            await both.here.send(REQUEST, b"", None)


async def test_headers_of_an_announcement_and_of_a_trailer_are_none_of_the_answer() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    async with connected() as both:
        await both.ask()
        await both.answer(early + CHUNKED + b"1\r\na\r\n0\r\nTrailer: x\r\n\r\n")
        assert (await both.here.read(), await both.here.read()) == (b"a", b"")
        assert [name for name, _ in both.here.headers] == [b"Transfer-Encoding"]


async def test_a_connection_pauses_reading_only_while_much_is_unread() -> None:
    small = b"x" * 200_000
    async with connected() as both:
        await both.ask()
        await both.answer(HEAD + b"Content-Length: 1000000\r\n\r\n" + small)
        await until_async(lambda: both.here.unread_bytes == len(small))
        assert not both.here.paused
        both.there.write(b"x" * 800_000)
        await until_async(lambda: both.here.paused)
        read = 0
        while piece := await both.here.read():
            read += len(piece)
        assert (read, both.here.paused, both.here.unread_bytes) == (1_000_000, False, 0)


LARGE = b"x" * 20_000_000


async def test_a_request_that_the_server_does_not_take_has_its_time_and_no_more() -> None:
    async with connected() as both:
        both.reader._transport.pause_reading()  # type: ignore[attr-defined]
        with pytest.raises(httpx2.WriteTimeout):
            await both.here.send(REQUEST, LARGE, 0.3)
        both.line.abort()
        await paced(0.05)


async def test_a_request_that_the_server_takes_late_is_sent() -> None:
    async with connected() as both:
        sending = asyncio.create_task(both.here.send(REQUEST, LARGE, PATIENCE_S))
        await both.reader.readexactly(len(REQUEST) + len(LARGE) - 1)
        await sending
        assert await both.reader.readexactly(1) == b"x"


async def test_a_request_whose_server_goes_away_meanwhile_ends_at_once() -> None:
    async with connected() as both:
        sending = asyncio.create_task(both.here.send(REQUEST, LARGE, None))
        await both.reader.readexactly(len(REQUEST))
        both.there.transport.abort()
        await sending
        with pytest.raises((httpx2.ReadError, httpx2.RemoteProtocolError)):
            await both.here.wait_for_head(None)


class Secret:
    """What a run knows."""


_secret: ContextVar[Secret | None] = ContextVar("secret", default=None)


async def test_a_connection_keeps_no_context_of_its_last_user() -> None:
    async with connected() as both:
        secret = Secret()

        async def use(secret: Secret) -> None:
            _secret.set(secret)
            await both.ask()
            await both.answer(CHUNKED + b"1\r\na\r\n", patience=600.0)
            assert await both.here.read() == b"a"
            reading = asyncio.create_task(both.here.read())
            await asyncio.sleep(0)
            both.there.write(b"1\r\nb\r\n")
            assert await reading == b"b"

        await asyncio.create_task(use(secret))
        left = weakref.ref(secret)
        del secret
        await asyncio.sleep(0)
        gc.collect()
        assert left() is None
