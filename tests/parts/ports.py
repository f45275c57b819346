"""Free TCP ports for servers that cannot choose one themselves."""

from __future__ import annotations

import socket

_given: set[int] = set()


def free_port() -> int:
    """Return a port that nobody listens on and that this run has not given out before."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port not in _given:
            _given.add(port)
            return port
