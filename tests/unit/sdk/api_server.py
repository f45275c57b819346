"""A Loopwire whose answers over HTTP a test gives, before a `SocketServer` for its sockets."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.unit.sdk.plain import listening
from tests.unit.sdk.socket_server import Caller, Life, SocketServer, socket_server

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request."""

    what: str
    """Its method and its path."""
    headers: dict[str, str]
    body: Any
    at: float
    """The time of the loop."""


Respond = Callable[[Asked], bytes]


@dataclass
class ApiServer:
    """The server: requests are answered as a test says, and sockets go to `sockets`."""

    respond: Respond
    sockets: SocketServer
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[str]:
        """Return what was asked for, in order."""
        return [each.what for each in self.asked]

    async def reached(self, count: int) -> list[Asked]:
        """Wait for so many requests, and return them."""
        async with asyncio.timeout(100_000), self._changed:
            await self._changed.wait_for(lambda: len(self.asked) >= count)
        return self.asked

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a request, or pass a socket on."""
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                if b"upgrade: websocket" in head.lower():
                    await self._pass_on(head, reader, writer)
                else:
                    await self._answer(head.decode(), reader, writer)
        finally:
            writer.close()

    async def _answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in rest)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        is_json = headers.get("content-type") == "application/json"
        asked = Asked(
            line.removesuffix(" HTTP/1.1"),
            headers,
            json.loads(body) if is_json else body,
            asyncio.get_running_loop().time(),
        )
        async with self._changed:
            self.asked.append(asked)
            self._changed.notify_all()
        writer.write(self.respond(asked))

    async def _pass_on(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found = re.search(r":(\d+)$", self.sockets.url)
        assert found is not None
        answers, back = await asyncio.open_connection("127.0.0.1", int(found[1]))
        back.write(head)
        both = [asyncio.ensure_future(_pump(reader, back)), asyncio.ensure_future(_pump(answers, writer))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            back.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(64 * 1024):
        sink.write(data)
        await sink.drain()


async def greet_and_stay(caller: Caller) -> None:
    """Welcome a client, and say nothing more."""
    await caller.greet()
    await caller.stay()


@asynccontextmanager
async def api_server(respond: Respond, *lives: Life) -> AsyncIterator[ApiServer]:
    """Run one; its sockets live as those of a socket server."""
    async with socket_server(*(lives or (greet_and_stay,))) as behind:
        running = ApiServer(respond, behind)
        async with listening(running.take) as port:
            running.port = port
            yield running


def respond_with(status: int, body: Any = None, **headers: str) -> bytes:
    """Return one response."""
    text = b"" if body is None else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} So", f"content-length: {len(text)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "".join(f"{each}\r\n" for each in [*lines, ""]).encode() + text


TICKET: Json = {"ticket": "t", "session_id": "ses_1"}
