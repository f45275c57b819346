"""A server of plain bytes, which notes when each connection begins."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from websockets.utils import accept_key

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Plain:
    """The server: a test says how it answers a connection, which is closed after that."""

    def __init__(self, answer: Answer) -> None:
        self.moments: list[float] = []
        self.port = 0
        self._answer = answer
        self._changed = asyncio.Condition()

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        """Return the address of its socket."""
        return f"ws://127.0.0.1:{self.port}/ws"

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Note the moment, and answer."""
        async with self._changed:
            self.moments.append(asyncio.get_running_loop().time())
            self._changed.notify_all()
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        finally:
            writer.close()

    async def reached(self, count: int) -> list[float]:
        """Wait for so many connections, and return the time of each."""
        async with asyncio.timeout(100_000), self._changed:
            await self._changed.wait_for(lambda: len(self.moments) >= count)
        return self.moments


@asynccontextmanager
async def plain(answer: Answer) -> AsyncIterator[Plain]:
    """Run one for as long as the context lasts."""
    running = Plain(answer)
    async with listening(running.take) as port:
        running.port = port
        yield running


@asynccontextmanager
async def listening(take: Answer) -> AsyncIterator[int]:
    """Listen on a port; what still takes a connection at the end is cancelled."""
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        task.add_done_callback(serving.discard)
        await take(reader, writer)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        try:
            yield int(server.sockets[0].getsockname()[1])
        finally:
            for each in tuple(serving):
                each.cancel()
            await asyncio.gather(*serving, return_exceptions=True)


async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer nothing."""
    await reader.read()


async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accept a WebSocket."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    key = re.search(r"(?i)sec-websocket-key: (\S+)", head)
    assert key is not None
    lines = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"]
    lines += [f"sec-websocket-accept: {accept_key(key[1])}", "sec-websocket-protocol: loopwire.v1"]
    writer.write("".join(f"{each}\r\n" for each in [*lines, ""]).encode())
