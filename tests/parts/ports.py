"""TCP ports for servers that cannot choose one themselves."""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

# Below what kernels give to outgoing connections (Linux from 32768, others from 49152): between two servers of a test
# nobody's connection may take the port.
_RANGE = range(12_000, 32_000)
_FOLDER = Path(tempfile.gettempdir()) / f"lw-ports-{os.getuid()}"


def free_port() -> int:
    """Return a port that nobody listens on, and that is ours until this process ends."""
    for port in random.sample(_RANGE, 1000):
        if _is_ours(port):
            return port
    raise AssertionError("a thousand ports are taken")


def _is_ours(port: int) -> bool:
    """Lock a port's file, so that no other process of any test run is given it, and try the port itself.

    The lock is given back as the process ends, whose last moments do not ask for a file that nobody closed.
    """
    _FOLDER.mkdir(exist_ok=True)
    file = os.open(_FOLDER / str(port), os.O_CREAT | os.O_WRONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        os.close(file)
        return False
    return True
