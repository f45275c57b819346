"""A server that is started again on the same data and the same port whenever it dies."""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from tests.parts import process
from tests.parts.ports import free_port
from tests.parts.server import EndedEarlyError, Served, Servers
from tests.parts.wait import until

# A stall of the machine is shorter: a run loses its holder only where a test kills it.
LEASE_S = 5
ENVIRONMENT = {"LOOPWIRE_DEMO_DELAY_MS": "4", "LOOPWIRE_LEASE_SECONDS": str(LEASE_S)}


class RestartingServer:
    """Every life of it is started by one thread, since Linux ends a child with the thread that made it."""

    def __init__(self, environment: Mapping[str, str], *, command: str = "serve") -> None:
        """Start the first life."""
        self._command = command
        self.lives: list[Served] = []
        self._short_lives = 0
        self._folder = Path(tempfile.mkdtemp(prefix="lw-restarting-"))
        self._end = self._folder / "die-at"
        self._environment = {**ENVIRONMENT, **environment, "DIE_AT": str(self._end)}
        self._port = free_port()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="restarting server")
        self._thread.start()
        until(lambda: self.lives or not self._thread.is_alive(), seconds=120, what="the first life")

    @property
    def served(self) -> Served:
        """Return the life of now; all have one address."""
        return self.lives[-1]

    @property
    def deaths(self) -> int:
        """Return how often it has died; a death counts when the next life is ready."""
        return len(self.lives) - 1 + self._short_lives

    def die_at(self, place: str) -> None:
        """Let it die at the next passing of a place, such as `publish.TOOL_CALL_RESULT:2`."""
        draft = self._end.with_suffix(".draft")
        draft.write_text(place)
        draft.rename(self._end)

    def died(self) -> bool:
        """Return whether it has died where it was told to."""
        return not self._end.exists()

    def live(self) -> None:
        """Forget a death that was asked for."""
        self._end.unlink(missing_ok=True)

    def log_text(self) -> str:
        """Return what the present life has said."""
        return self.served.log_text()

    def close(self) -> None:
        """End it for good."""
        self._stopping.set()
        if self.lives:
            self.served.stop()
        self._thread.join(120)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _keep(self) -> None:
        servers, short_lives = Servers(), 0
        try:
            while not self._stopping.is_set():
                try:
                    life = self._begin(servers)
                except EndedEarlyError as error:
                    # It took up a run and died in it before this thread saw that it was ready.
                    assert error.code == -signal.SIGKILL, error
                    short_lives += 1
                    continue
                self._short_lives = short_lives
                self.lives.append(life)
                ended = life.process.wait()
                assert self._stopping.is_set() or ended == -signal.SIGKILL, process.tail(life.log)
        finally:
            servers.close()

    def _begin(self, servers: Servers) -> Served:
        return servers(
            self._environment,
            command=self._command,
            module="tests.parts.dying",
            data_dir=self._folder / "data",
            port=self._port,
        )
