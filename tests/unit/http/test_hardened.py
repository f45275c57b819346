"""The parts that one connection may send: heads, bodies, and bytes between two requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from server.http import hardened
from server.http.hardened import (
    BESIDE_BYTES,
    HEAD_BYTES,
    HEAD_READS,
    PIECE_BYTES,
    PIECES,
    SMALL_PIECES,
    SMALL_SEGMENT,
    SWIFT_SEGMENTS,
    HardenedHttpProtocol,
)
from tests.parts.sampled import is_whole
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
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: HardenedHttpProtocol
    ) -> None:
        self._reader, self._writer = reader, writer
        self.protocol = protocol
        self.received = 0

    async def send(self, data: bytes) -> None:
        """Send it, and wait until the server has parsed it or ended the connection."""
        wanted = self.received + len(data)
        self._writer.write(data)
        await until_async(lambda: self.received >= wanted or self.ended, what="the server to read")

    async def send_unread(self, data: bytes) -> None:
        """Send it, and do not wait for the server."""
        self._writer.write(data)
        await self._writer.drain()

    @property
    def reads(self) -> bool:
        """Return whether the server reads what comes."""
        return self.protocol.transport.is_reading()  # type: ignore[attr-defined]

    @property
    def ended(self) -> bool:
        """Return whether the server has ended the connection."""
        return self.protocol.transport.is_closing()

    async def answer(self) -> tuple[int, bytes]:
        """Return the status and the body of the next answer."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(head[9:12]), await self._reader.readexactly(size)


class Watched:
    """An application that notes what it is given, and answers when it may."""

    def __init__(self, *, reads: bool) -> None:
        """Answer before the body unless it `reads`."""
        self._reads = reads
        self.may_answer = asyncio.Event()
        self.scopes: list[Any] = []
        self.parts: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        self.scopes.append(scope)
        while self._reads:
            message = await receive()
            self.parts.append(len(message.get("body", b"")))
            if not message.get("more_body", False):
                break
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def connected(app: Any = app) -> AsyncIterator[Line]:
    config = Config(app, log_config=None, access_log=False)
    config.load()
    made: list[HardenedHttpProtocol] = []
    lines: list[Line] = []

    class Counted(HardenedHttpProtocol):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            lines[0].received += len(data)

    def make() -> HardenedHttpProtocol:
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


async def test_a_body_in_segments_of_a_byte_is_refused_like_one_in_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hardened, "GATHER_S", 0)
    few = SMALL_PIECES if is_whole() else 4 * SWIFT_SEGMENTS
    monkeypatch.setattr(hardened, "SMALL_PIECES", few)
    async with connected() as line:
        await line.send(POST + b"Content-Length: 60000\r\n\r\n")
        for _ in range(few):
            await line.send(b" ")
        assert not line.ended
        await line.send(b" ")
        assert (await line.answer())[0] == 400
        assert line.ended


@pytest.mark.parametrize(("size", "reads"), [(1, False), (SMALL_SEGMENT - 1, False), (SMALL_SEGMENT, True)])
async def test_after_many_segments_of_a_body_a_small_one_is_followed_by_a_pause(
    size: int, reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardened, "GATHER_S", 3600)
    async with connected() as line:
        for _ in range(2):  # Those of each request are counted anew.
            await line.send(POST + b"Content-Length: %d\r\n\r\n" % SWIFT_SEGMENTS)
            for _ in range(SWIFT_SEGMENTS):
                await line.send(b" ")
            assert await line.answer() == (200, str(SWIFT_SEGMENTS).encode())
        await line.send(POST + b"Content-Length: 60000\r\n\r\n")
        for _ in range(SWIFT_SEGMENTS - 1):
            await line.send(b" ")
        assert line.reads
        await line.send(b" " * size)
        assert line.reads == reads


async def test_small_segments_that_come_in_a_pause_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardened, "GATHER_S", 0.5)
    watched, many = Watched(reads=True), 300
    watched.may_answer.set()
    async with connected(watched) as line:
        await line.send(POST + b"Content-Length: %d\r\n\r\n" % (SWIFT_SEGMENTS + many))
        for _ in range(SWIFT_SEGMENTS):
            await line.send(b" ")
        for _ in range(many):
            await line.send_unread(b" ")
        assert (await line.answer())[0] == 200
    assert sum(watched.parts) == SWIFT_SEGMENTS + many
    assert len(watched.parts) < SWIFT_SEGMENTS + many // 2


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


async def test_a_head_has_32_kib_at_most() -> None:
    async with connected() as line:
        endless = b"GET /" + b"x" * (32 * 1024 - 5)
        await line.send(endless[: 16 * 1024])
        await line.send(endless[16 * 1024 :])
        assert not line.ended
        await line.send(b"x")
        assert (await line.answer())[0] == 400
        assert line.ended


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 400)])
@pytest.mark.parametrize("named", ["address", "header", "trailer"])
async def test_a_head_that_comes_whole_has_32_kib_at_most(named: str, more: int, status: int) -> None:
    """A read takes up to 250 KB; of the head the address and the headers count."""
    size = HEAD_BYTES + more - len(b"/x" + b"Host" + b"x")
    long = b"x" * (size - len(b"Cookie"))
    chunked = b"Transfer-Encoding: chunked\r\n"
    sent = {
        "address": GET.replace(b"/x", b"/x" + b"x" * size),
        "header": GET.replace(b"\r\n\r\n", b"\r\nCookie: " + long + b"\r\n\r\n"),
        "trailer": CHUNKED + b"0\r\nCookie: " + long[len(chunked) - 4 :] + b"\r\n\r\n",
    }[named]
    async with connected() as line:
        for _ in range(2 - more):
            await line.send(sent)
            assert (await line.answer())[0] == status


async def test_the_end_of_a_body_counts_for_no_head_behind_it() -> None:
    size = 2 * HEAD_BYTES
    async with connected() as line:
        await line.send(POST + b"Content-Length: %d\r\n\r\n" % size)
        await line.send(b"x" * size + GET[:-1])
        assert await line.answer() == (200, str(size).encode())
        assert not line.ended
        await line.send(GET[-1:])
        assert await line.answer() == (200, b"0")


@pytest.mark.parametrize("begins", [b"0\r\nX: ", b"5;", b"0" * 100])
async def test_what_is_beside_a_body_has_an_end(begins: bytes) -> None:
    """A trailer is kept until it ends, and copied with each part; a size and what follows it are read for nothing."""
    part = b"0" * (BESIDE_BYTES // 4)
    async with connected() as line:
        await line.send(CHUNKED)
        await line.send(begins + part[len(begins) :])
        for _ in range(3):
            await line.send(part)
        assert not line.ended
        await line.send(b"0")
        assert (await line.answer())[0] == 400


async def test_the_bytes_beside_a_body_are_counted_for_each_request_anew() -> None:
    long = b"1;" + b"x" * (BESIDE_BYTES * 2 // 3) + b"\r\nx\r\n"
    async with connected() as line:
        for _ in range(2):
            await line.send(CHUNKED)
            await line.send(long)
            await line.send(b"0\r\n\r\n")
            assert await line.answer() == (200, b"1")


async def test_a_request_has_128_headers_at_most_each_time() -> None:
    async with connected() as line:
        for _ in range(2):
            await line.send(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 127 + b"\r\n")
            assert await line.answer() == (200, b"0")
        await line.send(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 128 + b"\r\n")
        assert (await line.answer())[0] == 400


@pytest.mark.parametrize(("more", "taken"), [(32, True), (33, False)])
async def test_32_requests_wait_for_the_answer_before_them_at_most(more: int, taken: bool) -> None:
    watched = Watched(reads=True)
    async with connected(watched) as line:
        await line.send(GET * (1 + more))
        watched.may_answer.set()
        await until_async(
            lambda: len(watched.scopes) == 1 + more if taken else line.ended, what="the requests or the end"
        )
        assert line.ended is not taken


async def test_the_rest_of_an_answered_body_is_read_up_to_256_kib_for_each_request() -> None:
    watched = Watched(reads=False)
    watched.may_answer.set()
    size = 256 * 1024
    async with connected(watched) as line:
        for rest in (size, size + 1):
            await line.send(POST + b"Content-Length: %d\r\n\r\n" % rest)
            assert (await line.answer())[0] == 200
            for part in (size // 2, rest - size // 2):
                assert not line.ended
                await line.send(b" " * part)
            assert line.ended is (rest > size)


@pytest.mark.parametrize(
    ("target", "named", "path", "hosts"),
    [
        (b"/a?b=c", b"X:80", "/a", [b"X:80"]),
        (b"http://x/a?b=c", b"X:80", "/a", [b"X:80"]),
        (b"http://X:80/a", b"x", "/a", [b"x"]),
        (b"http://x?b=c", b"x", "/", [b"x"]),
        (b"http://Evil.example/a", b"x", "/a", [b"x", b"evil.example"]),
        (b"/a://b", b"x", "/a://b", [b"x"]),
    ],
)
async def test_the_host_of_an_absolute_address_counts_like_a_host_that_is_named(
    target: bytes, named: bytes, path: str, hosts: list[bytes]
) -> None:
    watched = Watched(reads=True)
    watched.may_answer.set()
    async with connected(watched) as line:
        await line.send(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target, named))
        assert (await line.answer())[0] == 200
    (scope,) = watched.scopes
    assert scope["path"] == path
    assert scope["query_string"] == (b"b=c" if b"?" in target else b"")
    assert [value for name, value in scope["headers"] if name == b"host"] == hosts


async def test_a_leaving_server_lets_an_answer_end_and_waits_for_no_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(reads=True)
    async with connected(watched) as line:
        await line.send(GET)
        line.protocol.shutdown()
        assert not line.ended
        watched.may_answer.set()
        assert (await line.answer())[0] == 200
        await until_async(lambda: line.ended, what="the end of the connection")
    async with connected(watched) as line:
        await line.send(POST + b"Content-Length: 9\r\n\r\n")
        line.protocol.shutdown()
        assert line.ended
    async with connected(Watched(reads=True)) as line:
        line.protocol.shutdown()
        assert line.ended
    monkeypatch.setattr(hardened, "LEAVE_S", 0.01)
    async with connected(Watched(reads=True)) as line:
        await line.send(GET)
        line.protocol.shutdown()
        await until_async(lambda: line.ended, what="the end of an answer that does not come")


async def test_a_client_that_sends_nothing_or_reads_nothing_is_ended_after_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("HEAD_S", "BODY_S", "STALL_S")
    for name in names:
        with monkeypatch.context() as patch:
            for each in names:
                patch.setattr(hardened, each, 0.01 if each == name else 3600)
            async with connected() as line:
                if name == "BODY_S":
                    await line.send(POST + b"Content-Length: 9\r\n\r\n")
                if name == "STALL_S":
                    line.protocol.pause_writing()
                await until_async(lambda: line.ended, what=f"the end by {name}")


async def later(seconds: float) -> None:
    """Return after the timers that were due by then."""
    due = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, due.set)
    await due.wait()


async def test_a_client_in_time_is_not_ended_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(reads=True)
    async with connected(watched) as line:
        monkeypatch.setattr(hardened, "STALL_S", 0.02)
        line.protocol.pause_writing()
        line.protocol.resume_writing()
        monkeypatch.setattr(hardened, "HEAD_S", 0.02)
        monkeypatch.setattr(hardened, "BODY_S", 0.02)
        await line.send(GET)
        await later(0.04)
        assert not line.ended, "the answer may take as long as it does"
        watched.may_answer.set()
        assert (await line.answer())[0] == 200
        await later(0.04)
        assert not line.ended, "the next request may come when it does"


@pytest.mark.parametrize(
    ("version", "headers"),
    [
        (b"1.1", b"Upgrade: websocket\r\n"),
        (b"1.1", b"Connection: keep-alive\r\nUpgrade: websocket\r\n"),
        (b"1.1", b"Connection: Upgrade\r\n"),
        (b"1.1", b"Connection: Upgrade\r\nUpgrade: h2c\r\n"),
        (b"1.0", b"Connection: Upgrade\r\nUpgrade: websocket\r\n"),
    ],
)
async def test_an_incomplete_upgrade_is_an_ordinary_request(version: bytes, headers: bytes) -> None:
    async with connected() as line:
        await line.send(b"GET / HTTP/%s\r\nHost: x\r\n%s\r\n" % (version, headers))
        assert await line.answer() == (200, b"0")
