"""A process on uvloop in which strangers give names below a zone that never answers; it tells what others can do.

`python -m tests.parts.silent_names FOLDER` has a name server that keeps silent and is the only one: it runs in a
network and with mounts of its own (`unshare`). Without FOLDER `socket.getaddrinfo` waits for an event instead, for
machines that allow no namespace.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import subprocess
import sys
from pathlib import Path
from threading import Event

import uvloop

from server.callbacks import Guard, name_lookups
from server.callbacks.name_lookups import AT_ONCE

_SIOCSIFFLAGS, _UP = 0x8914, 0x1 | 0x40
_LONGEST = "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n"
"""The system looks for a name for 150 s."""


class SilentServer:
    """The name server of this process; it reads questions and answers none."""

    def __init__(self, folder: Path) -> None:
        """`folder` gets the settings of the system's resolver."""
        self.heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        fcntl.ioctl(self.heard, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _UP))
        self.heard.bind(("127.0.0.1", 53))
        self.heard.setblocking(False)
        settings = folder / "resolv.conf"
        settings.write_text(_LONGEST)
        subprocess.run(["mount", "--bind", str(settings), "/etc/resolv.conf"], check=True)

    async def asked(self) -> None:
        """Wait for a question."""
        await asyncio.get_running_loop().sock_recv(self.heard, 512)


class SilentFunction:
    """The stand-in of the system's function."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._known = socket.getaddrinfo
        socket.getaddrinfo = self._look_up  # type: ignore[assignment]

    def _look_up(self, host: str, *values: object, **options: object) -> object:
        if host.endswith(".example"):
            self._loop.call_soon_threadsafe(self._came.set)
            Event().wait()
        return self._known(host, *values, **options)  # type: ignore[arg-type]

    async def asked(self) -> None:
        """Wait for a question."""
        await self._came.wait()


def tell(line: str) -> None:
    """Write a line for the test."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(folder: str) -> None:
    """Tell a line for each thing that others can do while the lookups of strangers hang."""
    name_lookups.RESOLVE_S = 3600
    names = SilentServer(Path(folder)) if folder else SilentFunction()
    guard = Guard()
    strangers = [
        asyncio.create_task(guard.for_caller(f"{n}").judge(f"https://{n}.silent.example/"))
        for n in range(AT_ONCE)
    ]
    await names.asked()
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
    tell(f"looked up {found[0][4][1]!r}")
    tell(await asyncio.to_thread(str, "thread"))
    tell(f"hanging {sum(not each.done() for each in strangers)}")
    for each in strangers:
        each.cancel()


if __name__ == "__main__":
    uvloop.run(main("".join(sys.argv[1:])))
