"""The floor of two instances: RESP written and read by hand, many commands in one write; nothing is kept.

`python -m bench.fleet.raw PORT`: the same program on both sides. A socket at `/<channel>` watches a channel; a text
frame `<channel> <prompt>` asks the model and publishes what it says there.
"""

import asyncio
import os
import sys
from typing import cast
from urllib.parse import urlsplit

import hiredis
import uvloop

from bench.floor import Downstream, Upstream, serve, text_frame


class Line(asyncio.Protocol):
    """One connection to Redis. What is to be sent in one turn of the loop goes as one write."""

    def __init__(self) -> None:
        """Know no watcher."""
        self._reader = hiredis.Reader()
        self._waiting: list[bytes] = []
        self.watchers: dict[bytes, list[asyncio.Transport]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready."""
        self._transport = cast(asyncio.Transport, transport)

    def say(self, *command: bytes) -> None:
        """Send a command with its neighbours."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._write)
        self._waiting.append(hiredis.pack_command(command))  # type: ignore[arg-type]  # Any tuple.

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._transport.write(b"".join(waiting))

    def data_received(self, data: bytes) -> None:
        """Pass on what was published."""
        self._reader.feed(data)
        while (reply := self._reader.gets()) is not False:
            if isinstance(reply, list):
                kind, channel, payload = reply
                frame = text_frame(payload if kind == b"message" else b"\x00ready")
                for each in self.watchers.get(channel, ()):
                    each.write(frame)


publishing, hearing = Line(), Line()


class Publisher(Upstream):
    """One request to the model; what it streams is published as it comes."""

    channel = b""

    def send(self, text: bytes) -> None:
        """Publish a text."""
        publishing.say(b"PUBLISH", self.channel, text)


class Client(Downstream):
    """One WebSocket that asks, or watches the channel of its path."""

    channel = b""

    def ask(self, prompt: str) -> None:
        """Note where to publish, then ask."""
        channel, _, prompt = prompt.partition(" ")
        self.channel = channel.encode()
        super().ask(prompt)

    def upstream(self, request: bytes) -> Upstream:
        """Let the answer be published."""
        made = Publisher(self.transport, request)
        made.channel = self.channel
        return made

    def opened(self, path: str) -> None:
        """Watch."""
        if path != "/ws":
            self.channel = path[1:].encode()
            hearing.watchers.setdefault(self.channel, []).append(self.transport)
            hearing.say(b"SUBSCRIBE", self.channel)

    def connection_lost(self, _error: Exception | None) -> None:
        """Watch no more."""
        watching = hearing.watchers.get(self.channel, [])
        if self.transport in watching:
            watching.remove(self.transport)


async def main(port: int) -> None:
    """Connect twice to Redis, as one connection cannot publish while it hears; then serve."""
    loop = asyncio.get_running_loop()
    socket = urlsplit(os.environ["REDIS_URL"]).path
    await loop.create_unix_connection(lambda: publishing, socket)
    await loop.create_unix_connection(lambda: hearing, socket)
    await serve(port, Client)


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
