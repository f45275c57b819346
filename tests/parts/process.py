"""A child process that ends with the tests, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.parts.forking import Process

# Runs in the child before the program: gives up root when told to, then asks the kernel for a signal when the
# parent dies (the kernel forgets the wish when the user changes), then becomes the program.
_BECOME = """
import ctypes, os, pwd, sys
user, death, argv = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
if user:
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, death)
os.execvp(argv[0], argv)
"""

KILLED_S = 60
"""Seconds that a busy machine may take to end what was killed."""


def start(
    argv: Sequence[str | Path],
    *,
    log: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    user: str = "",
    death: signal.Signals = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a program with its output in `log`, as `user` when that is not empty."""
    wrapped = [sys.executable, "-I", "-S", "-c", _BECOME, user, str(int(death)), *map(str, argv)]
    with log.open("ab") as output:
        return subprocess.Popen(
            wrapped,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=None if env is None else dict(env),
            cwd=cwd,
            start_new_session=True,
        )


def stop(process: Process, *, how: signal.Signals = signal.SIGTERM, seconds: float = 60) -> int:
    """Ask a process to end, kill it and all its children when it does not; return its code."""
    if process.poll() is None:
        process.send_signal(how)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        kill_group(process)
        return process.wait(seconds)


def kill_group(process: Process) -> None:
    """Kill -9 a process with everything it started, and take its exit code, so that no zombie stays."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
    process.wait(KILLED_S)


def tail(log: Path, lines: int = 40) -> str:
    """Return the last lines of a log, for a failure that explains itself."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
