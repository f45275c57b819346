"""A search server that speaks SearXNG's JSON, well or badly: a test gives it the body, the status and the pace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

_CHUNK = b"x" * 65_536


@dataclass
class SearchStandIn:
    """The answer to every search, and the queries so far."""

    body: Any = field(default_factory=lambda: {"results": []})
    status: int = 200
    silent: bool = False
    """Takes the request and says nothing."""
    endless_bytes: int = 0
    """So many bytes are said in place of the body."""
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    heads: list[list[str]] = field(default_factory=list)
    """The lines of each request's headers."""
    sent: int = 0
    port: int = 0

    @property
    def url(self) -> str:
        """Return its address, as an operator sets it."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and hang up."""
        with suppress(OSError, asyncio.IncompleteReadError):
            line, *heads = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            self.heads.append([each.lower() for each in heads])
            target = urlsplit(line.split()[1])
            asked = {name: each[0] for name, each in parse_qs(target.query).items()}
            self.asked.append({"path": target.path, **asked})
            if self.silent:
                await reader.read()
            else:
                await self._answer(writer)
        writer.transport.abort()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        length = self.endless_bytes or len(body)
        lines = [f"HTTP/1.1 {self.status} Told", f"content-length: {length}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        if not self.endless_bytes:
            writer.write(body)
        while self.sent < self.endless_bytes:
            writer.write(_CHUNK)
            await writer.drain()
            self.sent += len(_CHUNK)
        await writer.drain()
        writer.write_eof()
        await reader_gone(writer)


async def reader_gone(writer: asyncio.StreamWriter) -> None:
    """Wait until all that was written has left."""
    writer.close()
    await writer.wait_closed()


@asynccontextmanager
async def searching() -> AsyncIterator[SearchStandIn]:
    """Yield a search server on a port of its own."""
    stand_in = SearchStandIn()
    server = await asyncio.start_server(stand_in.serve, "127.0.0.1", 0)
    stand_in.port = server.sockets[0].getsockname()[1]
    try:
        yield stand_in
    finally:
        server.close()
