"""A network of its own for a child process, whose cable a test can pull; only root on Linux can have one."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

_PREFIX = "lwchaos"
_NOBODY = "02:00:00:00:00:01"
_IP, _TC = shutil.which("ip"), shutil.which("tc")
_LITTLE = ("tbf", "rate", "200kbit", "burst", "16kb", "latency", "500ms")


class CannotSeparateError(Exception):
    """There is no namespace for us here; the message says why."""


def _ip(*words: str) -> None:
    assert _IP is not None
    _done(_IP, *words)


def _tc(*words: str) -> None:
    if _TC is None:
        raise CannotSeparateError("there is no `tc` (apt-get install iproute2)")
    _done(_TC, *words)


def _done(program: str, *words: str) -> None:
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotSeparateError(f"{Path(program).name} {' '.join(words)}: {done.stderr.strip()}")


class Namespace:
    """A namespace with one cable to us: `outside` is our end of it, `inside` the child's."""

    def __init__(self, number: int) -> None:
        """Make it; `number` tells apart those of one process. Raises CannotSeparateError."""
        if _IP is None:
            raise CannotSeparateError("there is no `ip` (apt-get install iproute2)")
        if os.geteuid() != 0:
            raise CannotSeparateError("network namespaces need root")
        _forget_dead()
        own = os.getpid() * 2 + number
        network = f"10.{213 + number}.{own // 64 % 256}.{own % 64 * 4}"
        first = int(network.rpartition(".")[2])
        self.outside = network.rpartition(".")[0] + f".{first + 1}"
        self.inside = network.rpartition(".")[0] + f".{first + 2}"
        self.name = f"{_PREFIX}-{os.getpid()}-{number}"
        self._cable = f"lw{os.getpid()}-{number}"
        self._peer = f"{self._cable}i"
        self._within = ("-n", self.name)
        try:
            self._make()
        except CannotSeparateError:
            self.close()
            raise

    def _make(self) -> None:
        _ip("netns", "add", self.name)
        _ip("link", "add", self._cable, "type", "veth", "peer", "name", self._peer)
        _ip("link", "set", self._peer, "netns", self.name)
        _ip("addr", "add", f"{self.outside}/30", "dev", self._cable)
        _ip("link", "set", self._cable, "up")
        _ip(*self._within, "addr", "add", f"{self.inside}/30", "dev", self._peer)
        _ip(*self._within, "link", "set", self._peer, "up")
        _ip(*self._within, "link", "set", "lo", "up")

    def wrap(self, argv: list[str]) -> list[str]:
        """Return the same program inside; it keeps the process id."""
        return [str(_IP), "netns", "exec", self.name, *argv]

    def pull(self) -> None:
        """Pull the cable: packets vanish both ways, nobody is told.

        They go to an address that no card has. A link that is down would take its route with it, and what was meant
        for the child would leave by another door.
        """
        _ip("neigh", "replace", self.inside, "lladdr", _NOBODY, "dev", self._cable, "nud", "permanent")
        _ip(
            *self._within,
            "neigh",
            "replace",
            self.outside,
            "lladdr",
            _NOBODY,
            "dev",
            self._peer,
            "nud",
            "permanent",
        )

    def plug(self) -> None:
        """Put it back."""
        _ip("neigh", "del", self.inside, "dev", self._cable)
        _ip(*self._within, "neigh", "del", self.outside, "dev", self._peer)

    def thin(self) -> None:
        """Let little through, both ways."""
        for within, end in self._ends():
            _tc(*within, "qdisc", "replace", "dev", end, "root", *_LITTLE)

    def thick(self) -> None:
        """Let everything through; nothing when it does already."""
        for within, end in self._ends():
            with suppress(CannotSeparateError):
                _tc(*within, "qdisc", "del", "dev", end, "root")

    def _ends(self) -> list[tuple[tuple[str, ...], str]]:
        return [((), self._cable), (self._within, self._peer)]

    def close(self) -> None:
        """Remove it with its cable."""
        with suppress(CannotSeparateError):
            _ip("link", "del", self._cable)
        with suppress(CannotSeparateError):
            _ip("netns", "del", self.name)


def _forget_dead() -> None:
    """Remove what a killed run left behind; only names of ours whose process is gone."""
    for each in Path("/run/netns").glob(f"{_PREFIX}-*-*"):
        owner = each.name.split("-")[1]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            with suppress(CannotSeparateError):
                _ip("netns", "del", each.name)
