"""The base class of attacks, and their means: raw bytes on sockets, from addresses that an attack chooses.

An attack is a subclass of `Attack` in any file of this folder. `tests.attacks.trial` runs it in a process of its own
(`tests.attacks.strike`) against a served Loopwire while people talk, and judges what those people and the server's
log say. To add attacks over the WebSocket, add a file (`frames.py`, say) with subclasses whose `strike` opens
`tests.integration.ws.raw.Raw(target.url)`; nothing has to be registered.

- `make test` runs the attacks that have `in_suite = True`, each for its `suite_seconds` (test_attacks.py);
  `make conformance` runs those with `long = True` for all of their `seconds` too.
- `python -m tests.attacks --minutes 60 --seed 7` runs everything in turn until the time is over; `--only bodies`
  keeps the attacks whose name begins so. `make chaos` runs it too.
"""

from __future__ import annotations

import importlib
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import ClassVar
from urllib.parse import urlsplit

PATIENCE_S = 60.0
HONEST = (503,)
"""The status of the 5xx range that a server may give: it is full, and says when to come back."""

Headers = list[tuple[str, str]]


@dataclass
class Target:
    """One server, and what the attack has seen of it."""

    url: str
    seconds: float
    rng: Random
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    """What no input may cause, each with the input."""
    _began: float = field(default_factory=time.monotonic)

    @property
    def host(self) -> str:
        """The name and port that its requests are for."""
        return urlsplit(self.url).netloc

    @property
    def over(self) -> bool:
        """Return whether the time of the attack is up."""
        return time.monotonic() - self._began > self.seconds

    @contextmanager
    def connection(self) -> Iterator[socket.socket]:
        """Open a connection for as long as the context lasts."""
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=PATIENCE_S) as line:
            yield line

    def head(
        self, method: str, path: str, headers: Headers, *, length: int | None = None, address: str = ""
    ) -> bytes:
        """Make the head of a request; `address` is where a trusted proxy says that it comes from."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines += [f"Content-Length: {length}"] if length is not None else []
        lines += [f"X-Forwarded-For: {address}"] if address else []
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        headers: Headers | None = None,
        address: str = "",
    ) -> int:
        """Send one request and return the status of its answer; 0 when the connection just ended."""
        content = [("Content-Type", "application/json")] if body is not None else []
        length = len(body) if body is not None else None
        head = self.head(method, path, [*content, *(headers or [])], length=length, address=address)
        return self.exchange(head + (body or b""))

    def exchange(self, data: bytes, *, complete: bool = False) -> int:
        """Send bytes on a connection of their own and return the status of the first answer; 0 for none.

        `complete` says that nothing follows: a server that waits for more ends the connection.
        """
        try:
            with self.connection() as line:
                with suppress(
                    ConnectionError
                ):  # Who is refused early is answered before it has sent everything.
                    line.sendall(data)
                    if complete:
                        with suppress(OSError):  # ENOTCONN: the server was faster, and has ended it.
                            line.shutdown(socket.SHUT_WR)
                return self.answer(line, data)
        except TimeoutError:
            self.faults.append(f"no answer within {PATIENCE_S:.0f} s to {_shown(data)}")
        except ConnectionError:
            self.statuses[0] += 1
        return 0

    def answer(self, line: socket.socket, sent: bytes) -> int:
        """Read the status of the next answer on a connection, and judge it."""
        found = b""
        with suppress(ConnectionError):
            while b"\r\n\r\n" not in found and (data := line.recv(65536)):
                found += data
        status = int(found[9:12]) if found.startswith(b"HTTP/1.") else 0
        self.statuses[status] += 1
        if status >= 500 and status not in HONEST:
            self.faults.append(f"{status} for {_shown(sent)}")
        if status in (429, 503) and b"retry-after:" not in found.lower():
            self.faults.append(f"{status} without Retry-After for {_shown(sent)}")
        return status


class Attack(ABC):
    """One way to hurt a server. The docstring of a subclass says which."""

    name: ClassVar[str]
    """Its file and itself, as in `bodies many faults`, which is in bodies.py; `--only` chooses by the beginning."""
    seconds: ClassVar[float] = 6.0
    in_suite: ClassVar[bool] = False
    """Does it run with `make test`?"""
    suite_seconds: ClassVar[float] = 0.8
    """So long it lasts there."""
    long: ClassVar[bool] = False
    """Does `make conformance` run it for all of its `seconds` too? The longer it lasts, the more it tries."""

    @abstractmethod
    def strike(self, target: Target) -> None:
        """Attack until `target.over`; what should not be goes to `target.faults`."""

    def check(self, target: Target) -> None:
        """Add to `target.faults` at the end what was missing (a status that had to come, say)."""
        return


def attacks() -> list[type[Attack]]:
    """Return every attack of every file in this folder, by name."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.stem.startswith(("_", "test_")):
            importlib.import_module(f"tests.attacks.{path.stem}")
    return sorted(_concrete(Attack), key=lambda each: each.name)


def attack_named(name: str) -> type[Attack]:
    """Give one attack and load only its file."""
    importlib.import_module(f"tests.attacks.{name.partition(' ')[0]}")
    return next(each for each in _concrete(Attack) if each.name == name)


def _concrete(kind: type[Attack]) -> Iterator[type[Attack]]:
    for each in kind.__subclasses__():
        if hasattr(each, "name"):
            yield each
        yield from _concrete(each)


def _shown(data: bytes) -> str:
    return repr(data[:300]) + (f"… of {len(data)} bytes" if len(data) > 300 else "")
