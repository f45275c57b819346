"""The parts that one connection may send: heads, bodies, and bytes between two requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from server.http import hardened
from server.http.hardened import HEAD_READS, PIECE_BYTES, PIECES, SMALL_PIECES, HardHTTP
from tests.parts.wait import until_async

POST = b"POST /x HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the size of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message.get("more_body", False)
    said = str(size).encode()
    headers = [(b"content-length", str(len(said)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said})


class Line:
    """A connection to a real server of this protocol, and the server's side of it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: HardHTTP
    ) -> None:
        self._reader, self._writer = reader, writer
        self.protocol = protocol
        self.received = 0

    async def send(self, data: bytes) -> None:
        """Send it, and wait until the server has parsed it or ended the connection."""
        wanted = self.received + len(data)
        self._writer.write(data)
        await until_async(lambda: self.received >= wanted or self.ended, what="the server to read")

    @property
    def ended(self) -> bool:
        """Return whether the server has ended the connection."""
        return self.protocol.transport.is_closing()

    async def answer(self) -> tuple[int, bytes]:
        """Return the status and the body of the next answer."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(head[9:12]), await self._reader.readexactly(size)


@asynccontextmanager
async def connected() -> AsyncIterator[Line]:
    config = Config(app, log_config=None, access_log=False)
    config.load()
    made: list[HardHTTP] = []
    lines: list[Line] = []

    class Counted(HardHTTP):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            lines[0].received += len(data)

    def make() -> HardHTTP:
        made.append(Counted(config=config, server_state=ServerState(), app_state={}))
        return made[-1]

    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        await until_async(lambda: made and made[0].transport is not None, what="the connection")
        lines.append(Line(reader, writer, made[0]))
        yield lines[0]
        writer.close()


def chunks(count: int, size: int) -> bytes:
    return (b"%x\r\n%s\r\n" % (size, b" " * size)) * count


@pytest.mark.parametrize(
    ("count", "size", "status"),
    [
        (SMALL_PIECES, 1, 200),
        (SMALL_PIECES + 1, 1, 400),
        (2 * SMALL_PIECES, PIECE_BYTES + 1, 200),
        (2 * SMALL_PIECES, PIECE_BYTES - 1, 400),
        (PIECES - 100, PIECE_BYTES + 1, 200),  # A read that ends within a chunk makes two parts of it.
        (PIECES + 1, PIECE_BYTES + 9, 400),
    ],
)
async def test_a_body_has_a_thousand_parts_of_any_size_and_more_of_some_size(
    count: int, size: int, status: int
) -> None:
    async with connected() as line:
        await line.send(CHUNKED + chunks(count, size) + b"0\r\n\r\n")
        said = await line.answer()
        assert said[0] == status
        assert status == 400 or said[1] == str(count * size).encode()


async def test_the_parts_of_a_body_are_counted_for_each_request_anew() -> None:
    async with connected() as line:
        for _ in range(3):
            await line.send(CHUNKED + chunks(SMALL_PIECES, 1) + b"0\r\n\r\n")
            assert await line.answer() == (200, str(SMALL_PIECES).encode())


async def test_a_body_in_segments_of_a_byte_is_refused_like_one_in_chunks() -> None:
    async with connected() as line:
        await line.send(POST + b"Content-Length: 60000\r\n\r\n")
        for _ in range(SMALL_PIECES):
            await line.send(b" ")
        assert not line.ended
        await line.send(b" ")
        assert (await line.answer())[0] == 400
        assert line.ended


async def test_a_head_comes_in_so_many_parts_at_most() -> None:
    padded = b"GET /" + b"x" * HEAD_READS + b" HTTP/1.1\r\nHost: x\r\n\r\n"
    async with connected() as line:
        await line.send(padded[:-HEAD_READS])
        for at in range(len(padded) - HEAD_READS, len(padded)):
            await line.send(padded[at : at + 1])
        assert await line.answer() == (200, b"0")
        endless = b"GET /" + b"x" * HEAD_READS  # Each head has its own.
        for at in range(HEAD_READS):
            await line.send(endless[at : at + 1])
        assert not line.ended
        await line.send(b"x")
        assert (await line.answer())[0] == 400


async def test_empty_lines_after_a_request_begin_the_time_of_a_head_and_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hardened, "HEAD_S", 0.2)
    async with connected() as line:
        await line.send(GET)
        assert await line.answer() == (200, b"0")
        await line.send(b"\r\n")
        await until_async(lambda: line.ended, what="the end of a connection that sends no request")
    async with connected() as line:
        await line.send(GET)
        assert await line.answer() == (200, b"0")
        await line.send(b"\r\n" * (hardened.HEAD_BYTES // 2 + 1))
        assert (await line.answer())[0] == 400


async def test_empty_lines_before_a_request_are_nothing() -> None:
    async with connected() as line:
        for _ in range(2):
            await line.send(b"\r\n" + GET)
            assert await line.answer() == (200, b"0")
