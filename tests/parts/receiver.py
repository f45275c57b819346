"""A receiver of callbacks that a test controls: it answers, redirects, keeps silent, or sends without an end."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

ENDLESS = b"x" * 65_536


@dataclass
class Receiver:
    """The requests that arrived, and the answers: statuses in order, the last one for ever; None keeps silent."""

    answers: list[int | None] = field(default_factory=lambda: [200])
    location: str = ""
    body_bytes: int = 2
    heard: Callable[[], None] | None = None
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0
    sent: int = 0
    scheme: str = "http"

    @property
    def host(self) -> str:
        """As a setting names it."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Return where it takes callbacks."""
        return f"{self.scheme}://{self.host}/hook?shop=1"

    @property
    def ids(self) -> list[str]:
        """Return the ids of what came."""
        return [headers["webhook-id"] for headers, _ in self.came]

    @property
    def bodies(self) -> list[Any]:
        """Return what came, decoded."""
        return [json.loads(body) for _, body in self.came]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
            body = await reader.readexactly(int(headers["content-length"]))
            self.came.append(({**headers, ":request": head[0]}, body))
            if self.heard is not None:
                self.heard()
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if answer is None:
                await reader.read()  # Until the other side gives up.
            else:
                await self._answer(writer, answer)
        writer.transport.abort()

    async def _answer(self, writer: asyncio.StreamWriter, status: int) -> None:
        lines = [
            f"HTTP/1.1 {status} Told",
            f"content-length: {self.body_bytes}",
            f"location: {self.location}",
        ]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        while self.sent < self.body_bytes:
            writer.write(ENDLESS[: self.body_bytes - self.sent])
            await writer.drain()
            self.sent += len(ENDLESS)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None, **behaviour: Any) -> AsyncIterator[Receiver]:
    """Run a receiver on a port of its own."""
    receiver = Receiver(**behaviour, scheme="https" if tls else "http")
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
