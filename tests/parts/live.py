"""A redis-server that a test breaks in each of the ways, and mends."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis

from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.redis import REDIS_SERVER
from tests.parts.wait import until


class Live:
    """A redis-server that a test breaks in each of the ways, and mends."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lw-redis-"))
        self.url = f"unix://{self.folder / 's'}"
        self.start()

    def start(self) -> None:
        """Begin, with nothing remembered."""
        argv = [str(REDIS_SERVER), "--port", "0", "--unixsocket", str(self.folder / "s"), "--save", ""]
        argv += ["--dir", str(self.folder), "--maxmemory-policy", "noeviction"]
        self.process: subprocess.Popen[bytes] = process.start(argv, log=self.folder / "log")
        until(self.answers, what="redis to answer")

    def answers(self) -> bool:
        """Return whether it answers."""
        with suppress(redis.ConnectionError), redis.Redis.from_url(self.url) as client:
            return bool(client.ping())
        return False

    def tell(self, *command: str) -> None:
        """Send a command."""
        with redis.Redis.from_url(self.url) as client:
            client.execute_command(*command)

    def hurt(self, how: str) -> None:
        """Break it."""
        match how:
            case "gone":
                process.stop(self.process, how=signal.SIGKILL)
            case "silent":
                self.process.send_signal(signal.SIGSTOP)
            case "read-only":
                self.tell("REPLICAOF", "127.0.0.1", "1")
            case "full":
                self.tell("CONFIG", "SET", "maxmemory", "1")

    def heal(self, how: str) -> None:
        """Mend it."""
        match how:
            case "gone":
                self.start()
            case "silent":
                self.process.send_signal(signal.SIGCONT)
            case "read-only":
                self.tell("REPLICAOF", "NO", "ONE")
            case "full":
                self.tell("CONFIG", "SET", "maxmemory", "0")

    def close(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGCONT)
        process.stop(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def breakable() -> Iterator[Live]:
    """Run one."""
    if REDIS_SERVER is None:
        skip_missing("redis-server", "apt-get install redis-server")
    running = Live()
    try:
        yield running
    finally:
        running.close()
