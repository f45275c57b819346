"""Conversations over a socket made by chance: honest frames, and among them some that break the protocol.

The same seed gives the same bytes. A frame's opcode, bits, mask and size may lie; a text may be cut into fragments at
any byte with control frames between them; it may be no UTF-8, no JSON, or a command with odd values. All of it is cut
once more into the pieces that are sent.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.attacks.generate import Known, Requests
from tests.integration.ws.raw import BINARY, CLOSE, PING, PONG, TEXT, closing, frame

CONTINUATION = 0
SIZES = [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
MOST_SENT = 70_000
"""Bytes that come of a frame, whatever its head says."""

CODES = [
    0,
    999,
    1000,
    1001,
    1002,
    1003,
    1004,
    1005,
    1006,
    1007,
    1010,
    1015,
    1016,
    2999,
    3000,
    4400,
    4999,
    5000,
    65_535,
]
NO_TEXTS = [
    b"\xff", b"\xfe\xfe", b"\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b"x\xc3", b"x\xe2\x82", b"\xf0\x9f\x99", b"\xf8\x88\x80\x80\x80", "olá ".encode() + b"\xce" + b" sim",
]  # fmt: skip
REASONS = [b"", b"tchau", "até já".encode(), b"\xff", b"\xe2\x82", b"x" * 123, b"x" * 124]
HELLOS = [
    {"type": "hello"}, {"type": "hello", "ticket": "x"}, {"type": "hello", "resume_token": "a.b.c"},
    {"type": "hello", "v": 99}, {"type": "hello", "last_seq": -1}, {"type": "typing"},
]  # fmt: skip


@dataclass(frozen=True)
class Script:
    """The bytes that are sent on one connection after its handshake."""

    pieces: list[bytes]
    whole: bool
    """Is each frame complete and a goodbye the last of them? Else the server waits for more, and is left."""


class Scripts:
    """Generates what connections send."""

    def __init__(self, rng: Random, known: Known, token: str) -> None:
        """Generate from this chance, for a visitor with a resume token."""
        self._rng = rng
        self._token = token
        self._requests = Requests(rng, "", known)
        self._whole = True

    def next(self) -> Script:
        """Make the bytes of one connection."""
        self._whole = True
        frames = [*self._beginning()]
        for _ in range(self._rng.choice([1, 2, 5, 20])):
            frames += self._honest() if self._rng.random() < 0.75 else self._odd()
        if self._rng.random() < 0.9:
            frames.append(frame(CLOSE, closing(4000, b"bye")))
        else:
            self._whole = False
        return Script(list(self._cut(b"".join(frames))), self._whole)

    def _beginning(self) -> Iterator[bytes]:
        """Say hello, mostly so that it is let in."""
        rng = self._rng
        hello = {"type": "hello", "resume_token": self._token}
        if rng.random() < 0.3:
            hello |= {"last_seq": rng.choice([0, 1, 5, 2**53, 2**63]), "epoch": rng.choice(["", "x", "1-1"])}  # type: ignore[dict-item]
        if rng.random() < 0.15:
            yield from self._text(self._requests.written(rng.choice([hello, *HELLOS])))
        elif rng.random() < 0.95:
            yield from self._text(json.dumps(hello).encode())

    def _honest(self) -> Iterator[bytes]:
        """Send a command, perhaps with odd values, or a control frame that may come at any time."""
        if self._rng.random() < 0.3:
            yield self._control()
        else:
            yield from self._text(self._requests.written(self._requests.command())[:MOST_SENT])

    def _text(self, data: bytes) -> Iterator[bytes]:
        """Send a text whole, or in fragments with control frames between them."""
        rng = self._rng
        if rng.random() < 0.6:
            yield frame(TEXT, data, mask=self._mask(), length=rng.choice([None, None, None, 126, 127])
                        if len(data) < 65_536 else None)  # fmt: skip
            return
        cuts = sorted(rng.choices(range(len(data) + 1), k=rng.choice([1, 1, 2, 8])))
        starts, ends = [0, *cuts], [*cuts, len(data)]
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            opcode = CONTINUATION if number else TEXT
            yield frame(opcode, data[start:end], fin=number == len(cuts), mask=self._mask())
            if rng.random() < 0.3:
                yield self._control()

    def _control(self) -> bytes:
        rng = self._rng
        return frame(rng.choice([PING, PONG]), rng.randbytes(rng.choice([0, 1, 4, 125])), mask=self._mask())

    def _odd(self) -> Iterator[bytes]:
        """Break the protocol in one way."""
        rng = self._rng
        match rng.randrange(6):
            case 0:
                yield self._lying()
            case 1:
                yield from self._text(rng.choice(NO_TEXTS))
            case 2:
                yield frame(CLOSE, rng.choice([b"", b"\3", closing(rng.choice(CODES), rng.choice(REASONS))]))
            case 3:  # A message that begins within another one, or goes on without one.
                kinds = [TEXT, BINARY, CONTINUATION]
                for _ in range(rng.choice([1, 2, 3, 300])):
                    yield frame(rng.choice(kinds), b"x", fin=rng.random() < 0.3)
            case 4:
                yield rng.randbytes(rng.choice([1, 2, 14, 200]))
                self._whole = False
            case _:
                yield frame(rng.choice([PING, PONG, BINARY, TEXT]), b"", fin=False) * rng.choice([1, 40])

    def _lying(self) -> bytes:
        """Return a frame of any opcode and bits, whose head says any size."""
        rng = self._rng
        size = rng.choice(SIZES)
        first = (
            (0x80 if rng.random() < 0.7 else 0) | (rng.choice([0, 0, 0x10, 0x20, 0x40])) | rng.randrange(16)
        )
        masked = 0x80 if rng.random() < 0.8 else 0
        bits = rng.choice([each for each in (7, 16, 64) if size < 126 or (each > 7 and size < 1 << each)])
        length = {7: b"", 16: struct.pack("!H", size % 65_536), 64: struct.pack("!Q", size)}[bits]
        head = bytes([first, masked | {7: size % 126, 16: 126, 64: 127}[bits]]) + length
        sent = min(size, rng.choice([size, size // 2, 10]), MOST_SENT)
        self._whole = self._whole and sent == size
        return head + (rng.randbytes(4) if masked else b"") + b"{" * sent

    def _mask(self) -> bytes:
        return self._rng.choice([b"\0\0\0\0", b"\xff\0\xff\0", self._rng.randbytes(4)])

    def _cut(self, data: bytes) -> Iterator[bytes]:
        """Cut everything where nobody expects it."""
        rng = self._rng
        if rng.random() < 0.1:
            yield from (data[at : at + 1] for at in range(min(len(data), 60)))
            data = data[60:]
        cuts = sorted(rng.choices(range(len(data) + 1), k=rng.choice([0, 1, 3, 20])))
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            yield data[start:end]
