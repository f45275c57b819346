"""A WebSocket client that may break every rule: bytes on a socket, frames by hand."""

from __future__ import annotations

import base64
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
PATIENCE_S = 60
NO_MASK = b"\0\0\0\0"
"""A mask that changes nothing."""


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    mask: bytes | None = NO_MASK,
    rsv: int = 0,
    length: int | None = None,
) -> bytes:
    """Make a frame; `length` 126 or 127 writes its size in two or in eight bytes, however small it is."""
    if length is None:
        length = len(payload) if len(payload) < 126 else 126 if len(payload) < 65536 else 127
    head = bytes([(0x80 if fin else 0) | rsv | opcode, (0 if mask is None else 0x80) | length])
    if length >= 126:
        head += len(payload).to_bytes(2 if length == 126 else 8, "big")
    if mask is None:
        return head + payload
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")
    return head + mask + masked.to_bytes(len(payload), "big")


def closing(code: int, reason: bytes = b"") -> bytes:
    """Make the payload of a close frame."""
    return struct.pack("!H", code) + reason


class Raw:
    """One TCP connection to a server."""

    def __init__(self, url: str, *, receive_buffer: int | None = None) -> None:
        """Connect; a small receive buffer makes a slow reader."""
        parts = urlsplit(url)
        self.host = parts.netloc
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect((parts.hostname or "", parts.port or 80))
        self._buffer = b""
        self._headers: dict[str, str] = {}

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def head(self, *, protocol: str = "loopwire.v1", path: str = "/ws", **changes: str | None) -> bytes:
        """Make the head of a handshake; a header named in `changes` is replaced, or left out when None."""
        headers: dict[str, str | None] = {
            "Host": self.host,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Protocol": protocol,
            "Origin": f"http://{self.host}",
        }
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
        return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()

    def status(self) -> int:
        """Read the head of an answer and return its status; 0 when there is none."""
        while b"\r\n\r\n" not in self._buffer:
            if not self._more():
                return 0
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        pairs = (line.partition(b":") for line in head.split(b"\r\n")[1:])
        self._headers = {name.decode().lower(): value.strip().decode() for name, _, value in pairs}
        return int(head.split(b" ", 2)[1])

    def open(self, **changes: str | None) -> Raw:
        """Shake hands."""
        self.send(self.head(**changes))
        assert self.status() == 101
        return self

    def frame(
        self, opcode: int, payload: bytes, *, fin: bool = True, masked: bool = True, rsv: int = 0
    ) -> bytes:
        """Make a frame."""
        return frame(opcode, payload, fin=fin, mask=NO_MASK if masked else None, rsv=rsv)

    def answer(self) -> tuple[int, dict[str, str]]:
        """Read the head of an answer: its status and its headers; 0 when there is none."""
        status = self.status()
        return status, self._headers

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Read frames until the connection ends."""
        while True:
            while (found := self._cut()) is None:
                if not self._more():
                    return
            yield found

    def close_code(self) -> int:
        """Read until the close and return its code; 0 when the connection just ended."""
        for opcode, payload in self.frames():
            if opcode == CLOSE and len(payload) >= 2:
                return int(struct.unpack("!H", payload[:2])[0])
        return 0

    def ended(self) -> bool:
        """Wait until the server has ended the connection."""
        while self._more():
            self._buffer = b""
        return True

    def _cut(self) -> tuple[int, bytes] | None:
        data = self._buffer
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        if size == 126:
            size, start = (struct.unpack("!H", data[2:4])[0], 4) if len(data) >= 4 else (1 << 62, 4)
        elif size == 127:
            size, start = (struct.unpack("!Q", data[2:10])[0], 10) if len(data) >= 10 else (1 << 62, 10)
        if len(data) < start + size:
            return None
        self._buffer = data[start + size :]
        return data[0] & 0x0F, data[start : start + size]

    def _more(self) -> bool:
        try:
            data = self.socket.recv(65536)
        except ConnectionError:
            return False
        self._buffer += data
        return bool(data)


@contextmanager
def raw(url: str, **options: int) -> Iterator[Raw]:
    """Connect for as long as the context lasts."""
    connection = Raw(url, **options)
    try:
        yield connection
    finally:
        connection.socket.close()
