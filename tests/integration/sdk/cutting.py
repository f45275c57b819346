"""A way to a server that ends each connection after so many frames of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Cutting:
    """Plain requests pass; of a socket the server's first frames do, and then it is gone."""

    target: tuple[str, int]
    after: list[int]
    """Frames that each connection lets pass, in order; who comes later loses nothing."""
    change: Callable[[bytes], bytes] = bytes
    """What a frame of the server becomes on the way."""
    cuts: int = 0
    port: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """Return the address of the server behind it."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on."""
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        answers, back = await asyncio.open_connection(*self.target)
        self._open |= {writer, back}
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            back.write(head)
            down = self._frames if b"upgrade: websocket" in head.lower() else _pump
            both = [asyncio.ensure_future(each) for each in (_pump(reader, back), down(answers, writer))]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for each in (writer, back):
                each.close()
            self._open -= {writer, back}

    async def _frames(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        sink.write(await source.readuntil(b"\r\n\r\n"))
        left = self.after.pop(0) if self.after else None
        while left is None or left > 0:
            sink.write(self.change(await _frame(source)))
            await sink.drain()
            left = None if left is None else left - 1
        self.cuts += 1

    async def aclose(self) -> None:
        """End all that is open."""
        for each in self._open:
            each.transport.abort()
        await asyncio.gather(*self._serving, return_exceptions=True)


@asynccontextmanager
async def cutting(url: str, *after: int) -> AsyncIterator[Cutting]:
    """Run one before a server for as long as the context lasts."""
    host, _, port = url.removeprefix("http://").partition(":")
    way = Cutting((host, int(port)), list(after))
    server = await asyncio.start_server(way.serve, "127.0.0.1", 0)
    way.port = int(server.sockets[0].getsockname()[1])
    try:
        yield way
    finally:
        server.close()
        await way.aclose()
        await server.wait_closed()


async def _frame(source: asyncio.StreamReader) -> bytes:
    """Read one frame of a server, which is not masked."""
    head = await source.readexactly(2)
    length = head[1] & 0x7F
    if length >= 126:
        more = await source.readexactly(2 if length == 126 else 8)
        head, length = head + more, int.from_bytes(more)
    return head + await source.readexactly(length)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(64 * 1024):
        sink.write(data)
        await sink.drain()
