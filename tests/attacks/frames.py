"""Attacks with small frames: as many as a megabyte a second has room for, before any hello."""

from __future__ import annotations

import re
import select
import time
from contextlib import ExitStack
from typing import ClassVar

from tests.attacks.attack import Attack, Target
from tests.integration.ws.raw import PING, PONG, TEXT, Raw, frame, raw

RATE = 1_000_000
"""Bytes a second, of all connections together."""

TURN_S = 0.01
MANY = 20
"""Connections without a hello that one address may have."""

OPENING = (101, 429, 503)
"""What a handshake is answered; all else is how a connection ended."""

CONTINUATION = 0
_CLOSE = re.compile(rb"\x88[\x02-\x7d](..)", re.DOTALL)


class Flooding:
    """One connection that is open, and what its server said last."""

    def __init__(self, line: Raw, stack: ExitStack, begins: bytes) -> None:
        """Flood from now on, with these bytes first."""
        line.socket.setblocking(False)
        self.socket = line.socket
        self._stack = stack
        self._unsent = begins
        self._heard = b""

    def pour(self, data: bytes) -> bool:
        """Send what the server takes of this; False when the connection is over."""
        if len(self._unsent) < RATE:
            self._unsent += data
        try:
            self._unsent = self._unsent[self.socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def hear(self) -> bool:
        """Read what came; False when the connection is over."""
        try:
            data = self.socket.recv(1 << 20)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._heard = (self._heard + data)[-400:]
        return bool(data)

    def close(self) -> int:
        """End it, and return the code with which the server had closed it; 0 when it just ended."""
        self.hear()  # Its last word may be there though nothing can be sent any more.
        self._stack.close()
        found = _CLOSE.findall(self._heard)
        return int.from_bytes(found[-1], "big") if found else 0


class Flood(Attack):
    """The same frame again and again, from one address; a closed client reconnects at once."""

    path: ClassVar[str] = "/ws"
    connections: ClassVar[int] = 1
    begins: ClassVar[bytes] = b""
    frame: ClassVar[bytes]
    codes: ClassVar[frozenset[int]] = frozenset({1008})

    def strike(self, target: Target) -> None:
        """Keep all connections open and busy, at least until one has ended."""
        open_ones: list[Flooding] = []
        began, sent = time.monotonic(), 0
        turn = self.frame * max(1, int(RATE * TURN_S) // self.connections // len(self.frame))
        while not target.over or not target.statuses.keys() - set(OPENING):
            while len(open_ones) < self.connections and (new := self._opened(target)) is not None:
                open_ones.append(new)
            if sent > (time.monotonic() - began) * RATE:
                select.select([each.socket for each in open_ones], [], [], TURN_S)
            else:
                sent += len(turn) * len(open_ones)
                open_ones = [each for each in open_ones if each.pour(turn) or self._left(each, target)]
            open_ones = [each for each in open_ones if each.hear() or self._left(each, target)]
        for each in open_ones:
            each.close()

    def check(self, target: Target) -> None:
        """A flood is ended, with its code."""
        if not any(target.statuses[each] for each in self.codes):
            target.faults.append(f"nobody was closed with {sorted(self.codes)}: {dict(target.statuses)}")

    def _opened(self, target: Target) -> Flooding | None:
        """Open a connection, unless the server has enough of them."""
        stack = ExitStack()
        line = stack.enter_context(raw(target.url))
        line.send(line.head(path=self.path, X_Forwarded_For="10.69.0.1"))
        status = line.status()
        target.statuses[status] += 1
        if status == 101:
            return Flooding(line, stack, self.begins)
        stack.close()
        return None

    def _left(self, one: Flooding, target: Target) -> bool:
        target.statuses[one.close()] += 1
        return False


class EmptyPings(Flood):
    """Pings that carry nothing."""

    name = "frames empty pings"
    in_suite = True
    frame = frame(PING)


class EmptyPingsOfMany(EmptyPings):
    """The same on many connections."""

    name = "frames empty pings of many"
    connections = MANY


class LongPings(EmptyPings):
    """Pings that carry all they can: each is sent back."""

    name = "frames long pings"
    in_suite = False
    frame = frame(PING, b"x" * 125)


class EmptyPongs(Flood):
    """Pongs that nobody asked for."""

    name = "frames empty pongs"
    frame = frame(PONG)


class EmptyPongsOfMany(EmptyPongs):
    """The same on many connections."""

    name = "frames empty pongs of many"
    in_suite = True
    connections = MANY


class EmptyContinuations(Flood):
    """A text that goes on and never becomes longer."""

    name = "frames empty continuations"
    in_suite = True
    begins = frame(TEXT, fin=False)
    frame = frame(CONTINUATION, fin=False)
    codes = frozenset({1008, 1009})


class EmptyContinuationsOfMany(EmptyContinuations):
    """The same on many connections."""

    name = "frames empty continuations of many"
    in_suite = False
    connections = MANY


class TinyFragments(Flood):
    """Texts of which each byte is a fragment; the whole is `{}`, which is refused."""

    name = "frames tiny fragments"
    frame = frame(TEXT, b"{", fin=False) + frame(CONTINUATION, fin=False) * 100 + frame(CONTINUATION, b"}")


class TinyFragmentsOfMany(TinyFragments):
    """The same on many connections."""

    name = "frames tiny fragments of many"
    in_suite = True
    connections = MANY


class TinyTexts(Flood):
    """Whole texts of a byte, which are refused one by one."""

    name = "frames tiny texts"
    frame = frame(TEXT, b"{")
    codes = frozenset({4400})


class TinyTextsOfMany(TinyTexts):
    """The same on many connections."""

    name = "frames tiny texts of many"
    connections = MANY
