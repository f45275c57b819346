"""A gateway as companies have them: plain requests pass one by one, and what becomes of upgrades is up to a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum, auto

Address = tuple[str, int]


class Upgrades(Enum):
    """The treatment of requests for a WebSocket."""

    PASS = auto()
    STRIPPED = auto()
    """They arrive as plain requests."""
    SWALLOWED = auto()
    """They are never answered."""
    CUT = auto()
    """They are answered, and the connection ends at the first frame of the server."""


@dataclass
class Gateway:
    """One gateway before one server."""

    target: Address
    upgrades: Upgrades = Upgrades.STRIPPED
    asked: int = 0
    """How many upgrades were asked for."""
    port: int = 0
    _open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Return the address of the server as its visitors know it."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """End every connection."""
        for each in tuple(self._open.values()):
            each.transport.abort()

    async def aclose(self) -> None:
        """Let go of every connection."""
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one request on, and its answer back for as long as it lasts."""
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            await self._passed(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            del self._open[task]
            writer.close()

    async def _passed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        upgrade = b"upgrade: websocket" in head.lower()
        self.asked += upgrade
        if upgrade and self.upgrades is Upgrades.SWALLOWED:
            await reader.read()
            return
        answers, back = await asyncio.open_connection(*self.target)
        try:
            whole = upgrade and self.upgrades is not Upgrades.STRIPPED
            back.write(head if whole else _single(head))
            down = (
                _head(answers, writer) if whole and self.upgrades is Upgrades.CUT else _pump(answers, writer)
            )
            both = {asyncio.ensure_future(_pump(reader, back)), asyncio.ensure_future(down)}
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in both:
                    each.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        finally:
            back.close()


@asynccontextmanager
async def gateway(target: Address, upgrades: Upgrades = Upgrades.STRIPPED) -> AsyncIterator[Gateway]:
    """Run one for as long as the context lasts."""
    running = Gateway(target, upgrades)
    server = await asyncio.start_server(running.serve, "127.0.0.1", 0)
    running.port = int(server.sockets[0].getsockname()[1])
    try:
        yield running
    finally:
        server.close()
        await running.aclose()
        await server.wait_closed()


def _single(head: bytes) -> bytes:
    """Make a request that is nothing but a request, and the only one of its connection."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    kept = [
        each for each in lines if not each.lower().startswith((b"connection:", b"upgrade:", b"sec-websocket"))
    ]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


async def _head(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    sink.write(await source.readuntil(b"\r\n\r\n"))
    await sink.drain()
    await source.read(1)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(64 * 1024):
        sink.write(data)
        await sink.drain()
