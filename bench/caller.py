"""One program that asks over REST: a connection that stays, and as little work of its own as possible."""

import asyncio
import itertools
import time
from dataclasses import dataclass
from typing import Self

from bench.target import Refused
from bench.wire import PATIENCE_S

_addresses = itertools.count(1)
_OK = b"HTTP/1.1 200"


@dataclass
class RestCaller:
    """A connection, from an address of its own as a trusted proxy would tell it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    address: str

    @classmethod
    async def connect(cls, port: int) -> Self:
        """Open a connection."""
        number = next(_addresses)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        return cls(reader, writer, f"10.{128 + (number >> 16 & 127)}.{number >> 8 & 255}.{number & 255}")

    async def post(self, path: str, body: bytes) -> tuple[float, bytes]:
        """Ask, and return how many ms the answer took, and the answer. Raises Refused for anything but 200."""
        head = (
            f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            f"x-forwarded-for: {self.address}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        began = time.monotonic_ns()
        self.writer.write(head.encode() + body)
        async with asyncio.timeout(PATIENCE_S):
            answered = await self.reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in answered.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            )
            answer = await self.reader.readexactly(length)
        took = (time.monotonic_ns() - began) / 1e6
        if not answered.startswith(_OK):
            raise Refused((answered + answer)[:1000].decode(errors="replace"))
        return took, answer

    def close(self) -> None:
        """Hang up."""
        self.writer.transport.abort()
