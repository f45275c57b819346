"""The receiver of callbacks: it keeps each callback, verifies it as docs/callbacks.md says, and refuses some once."""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random


@dataclass(frozen=True, slots=True)
class Post:
    """A callback as it came."""

    id: str
    body: bytes
    genuine: bool


@dataclass
class Hooks:
    """One receiver for all programs; each request has a path of its own."""

    key: bytes
    rng: Random
    refused: float = 0.2
    """The share of callbacks whose first post is not taken: refused, or cut off without an answer."""
    posts: defaultdict[str, list[Post]] = field(default_factory=lambda: defaultdict(list))
    address: str = ""
    _server: asyncio.Server | None = None
    _seen: set[str] = field(default_factory=set)

    async def start(self, host: str) -> None:
        """Listen where the processes that post can reach it."""
        self._server = await asyncio.start_server(self._serve, host, 0)
        self.address = f"{host}:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
            body = await reader.readexactly(int(headers["content-length"]))
            id = headers["webhook-id"]
            self.posts[head[0].split(" ")[1]].append(Post(id, body, self._genuine(headers, body)))
            if id in self._seen or self.rng.random() >= self.refused:
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            elif self.rng.random() < 0.5:
                writer.write(b"HTTP/1.1 500 Not now\r\ncontent-length: 0\r\n\r\n")
            self._seen.add(id)
            await writer.drain()
            writer.write_eof()
        writer.close()

    def _genuine(self, headers: dict[str, str], body: bytes) -> bool:
        stamp = headers["webhook-timestamp"]
        made = hmac.digest(self.key, f"{headers['webhook-id']}.{stamp}.".encode() + body, "sha256")
        wanted = "v1," + base64.b64encode(made).decode()
        # A process of the fleet may live in another time of day.
        return wanted in headers["webhook-signature"].split(" ") and stamp.isdigit() and int(stamp) > 0


def callback_key(secret: str, app: str) -> bytes:
    """Return the key that an installation with this secret signs an app's callbacks with, where the app names none."""
    return hmac.digest(secret.encode(), f"callback\0{app}".encode(), "sha256")
