"""The answers of servers that strangers name: read in small steps, with a turn of the event loop between them.

httpcore gives what has arrived without a pause: an answer in chunks of one byte, or thousands of interim answers before
one, would be parsed in a single step of the loop, for as long as the server sends.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpcore2

MOST_READ = 8 * 1024
"""Bytes that are taken from a connection in one turn of the loop."""

MOST_WITHOUT_PART = 32 * 1024
"""Bytes that are read before the first part of a body comes, or the next one: heads, interim answers, trailers."""

MOST_LINES_WITHOUT_PART = 256
"""Ends of lines among them: each field of a head and each interim answer is work."""

PARTS_IN_TURN = 64
MOST_SMALL_PARTS = 1024
SMALL = 32
"""More parts than `MOST_SMALL_PARTS`, or as many as the caller says, must have so many bytes on the average."""


class WastefulAnswer(httpcore2.RemoteProtocolError):
    """An answer needs more work than its bytes are worth."""


class SparingStream(httpcore2.AsyncNetworkStream):
    """A connection that is read in small steps, and that ends where many bytes bring nothing of a body."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        """Read from `stream`."""
        self._stream = stream
        self.note_part()

    def note_part(self) -> None:
        """Note that what was read has brought a part of a body."""
        self._bytes = self._lines = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the interface's
        """Return what has arrived, `MOST_READ` bytes at most. Raises WastefulAnswer."""
        if self._bytes >= MOST_WITHOUT_PART or self._lines > MOST_LINES_WITHOUT_PART:
            raise WastefulAnswer
        await asyncio.sleep(0)  # A read that finds bytes in a buffer does not suspend.
        found = await self._stream.read(min(max_bytes, MOST_READ), timeout)
        self._bytes += len(found)
        self._lines += found.count(b"\n")
        return found

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - the interface's
        """Send a part of a request, after which an answer begins."""
        self.note_part()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface's
    ) -> httpcore2.AsyncNetworkStream:
        """Return the encrypted connection, read as sparingly."""
        return SparingStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection tells of itself."""
        return self._stream.get_extra_info(info)


class SparingNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections that are read sparingly; the answers over them are read by `answer_parts`."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend) -> None:
        """Open them over `network`."""
        self._network = network

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Open a connection."""
        return SparingStream(
            await self._network.connect_tcp(host, port, timeout, local_address, socket_options)
        )


async def answer_parts(
    response: httpcore2.Response, most_small: float = MOST_SMALL_PARTS
) -> AsyncIterator[bytes]:
    """Yield the parts of a body as they come, with a turn of the loop after each `PARTS_IN_TURN`.

    Raises WastefulAnswer where they are small and more than `most_small`.
    """
    stream, parts, read = response.extensions.get("network_stream"), 0, 0
    async for part in response.aiter_stream():
        parts += 1
        read += len(part)
        if parts > most_small and read < parts * SMALL:
            raise WastefulAnswer
        if isinstance(stream, SparingStream):
            stream.note_part()
        if parts % PARTS_IN_TURN == 0:
            await asyncio.sleep(0)
        yield part
