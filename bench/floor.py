"""The floor: a raw relay of a model's bytes to WebSocket frames. No framework, no SDK, no checks, no promises.

It does the least that can be called relaying: each text frame of a client becomes one request to the model, and
each read of the model's stream becomes one frame with the text in it. A watcher (`/watch`) gets what all get.
"""

import asyncio
import base64
import hashlib
import json
import os
import sys
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

import uvloop

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
DELTA = b'data: {"type": "response.output_text.delta"'
MARK = b'"delta": "'
COMPLETED = b"event: response.completed"
END = b"\x00end"

watchers: set[asyncio.Transport] = set()


def text_frame(payload: bytes) -> bytes:
    """Return an unmasked text frame (RFC 6455 §5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    return bytes((0x81, 126)) + size.to_bytes(2, "big") + payload


def deltas(data: bytes) -> bytes:
    """Return the text of the delta events in whole lines of a stream."""
    found = []
    for line in data.split(b"\n"):
        if line.startswith(DELTA):
            at = line.rfind(MARK) + len(MARK)
            found.append(line[at : line.index(b'"', at)])
    return b"".join(found)


class Upstream(asyncio.Protocol):
    """One request to the model; what it streams goes to its client as it comes."""

    def __init__(self, client: asyncio.Transport, request: bytes) -> None:
        self.client, self.request, self.rest = client, request, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        whole, newline, self.rest = (self.rest + data).rpartition(b"\n")
        text = deltas(whole + newline)
        if text:
            self.send(text)
        if COMPLETED in whole:
            self.send(END)
            self.transport.close()

    def send(self, text: bytes) -> None:
        frame = text_frame(text)
        self.client.write(frame)
        for each in watchers:
            each.write(frame)


class Downstream(asyncio.Protocol):
    """One WebSocket: the handshake, then masked text frames of less than 126 bytes."""

    model = ("127.0.0.1", 0)

    def __init__(self) -> None:
        self.open, self.buffer = False, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, _error: Exception | None) -> None:
        watchers.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.open:
            self.handshake()
        while self.open and len(self.buffer) >= 6:
            size = self.buffer[1] & 0x7F
            if len(self.buffer) < 6 + size:
                return
            mask, body = self.buffer[2:6], self.buffer[6 : 6 + size]
            opcode, self.buffer = self.buffer[0] & 0x0F, self.buffer[6 + size :]
            if opcode == 8:
                self.transport.close()
            elif opcode == 1:
                self.ask(bytes(byte ^ mask[index % 4] for index, byte in enumerate(body)).decode())

    def handshake(self) -> None:
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        key = next(x[18:].strip() for x in head.split(b"\r\n") if x.lower().startswith(b"sec-websocket-key:"))
        accept = base64.b64encode(hashlib.sha1(key + GUID, usedforsecurity=False).digest())
        self.transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        self.open, self.buffer = True, rest
        self.opened(head.split(b" ", 2)[1].decode())

    def opened(self, path: str) -> None:
        if path == "/watch":
            watchers.add(self.transport)

    def ask(self, prompt: str) -> None:
        body = json.dumps({"model": "m", "input": prompt, "stream": True}).encode()
        host, port = self.model
        request = (
            f"POST /v1/responses HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer k\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body
        upstream = self.upstream(request)
        self.asking = asyncio.create_task(connect(upstream, host, port))

    def upstream(self, request: bytes) -> Upstream:
        return Upstream(self.transport, request)


async def connect(protocol: asyncio.Protocol, host: str, port: int) -> None:
    await asyncio.get_running_loop().create_connection(lambda: protocol, host, port)


async def serve(port: int, downstream: Callable[[], Downstream] = Downstream) -> None:
    """Relay until killed."""
    address = urlsplit(os.environ["OPENAI_BASE_URL"])
    Downstream.model = (address.hostname or "", address.port or 80)
    server = await asyncio.get_running_loop().create_server(downstream, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
