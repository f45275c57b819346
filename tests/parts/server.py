"""A whole Loopwire as a subprocess, as an operator starts it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from tests.parts import postgres, process
from tests.parts.forking import NURSERY, Parent, Process, can_fork
from tests.parts.ports import free_port
from tests.parts.wait import until

ROOT = Path(__file__).parents[2]
# What a developer has set must not reach a tested server.
_OURS = ("DATABASE_URL", "REDIS_URL", "HOST", "PORT", "OPENAI_", "LOOPWIRE_", "LANGFUSE_", "OTEL_")

MANY = "10000/1m"
ROOMY = {
    "LOOPWIRE_LIMIT_TICKETS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_CONVERSATIONS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_RUNS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_CHANGES_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_POLLS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_READS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_GUESSES_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_IDENTITIES_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_SIGN_INS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_CONTROL_FRAMES_PER_ADDRESS": "100000/1m",
    "LOOPWIRE_LIMIT_UNIDENTIFIED_PER_ADDRESS": "1000",
}
"""All tests come from one address: what is allowed it must not depend on which of them share a server."""

STRICT = dict.fromkeys(ROOMY, "")
"""The limits of an address as they are by default, for a test that is about them."""


class EndedEarlyError(AssertionError):
    """A server ended before it was ready."""

    def __init__(self, code: int | None, said: str) -> None:
        """Keep `code`, with which it ended, beside the end of its log (`said`)."""
        super().__init__(f"the server ended with {code}\n{said}")
        self.code = code


@dataclass
class Backend:
    """The parts under a server: nothing configured, or a redis-server and a PostgreSQL."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    template: str = "template0"
    """The database that its PostgreSQL copies for others."""


@dataclass
class Served:
    """One running Loopwire process."""

    url: str
    process: Process
    data_dir: Path
    log: Path

    @property
    def ws_url(self) -> str:
        """Return the address of its WebSocket."""
        return self.url.replace("http", "ws", 1) + "/ws"

    def stop(self, *, how: signal.Signals = signal.SIGTERM, seconds: float = 60) -> int:
        """End it (politely unless `how` says otherwise) and return its exit code."""
        return process.stop(self.process, how=how, seconds=seconds)

    def kill(self) -> None:
        """Kill -9 it with its children, as a crash of the machine would."""
        process.kill_group(self.process)
        self.process.wait(60)

    def log_text(self) -> str:
        """Everything it has said so far."""
        return self.log.read_text(errors="replace")

    def logged_at(self, *words: str) -> float | None:
        """Return when it first logged a line with these words, by its own clock in seconds since the epoch."""
        found = (each for each in self.log_text().splitlines() if all(word in each for word in words))
        line = next(found, None)
        return None if line is None else datetime.fromisoformat(json.loads(line)["at"]).timestamp()


class Servers:
    """Starts servers and ends them all; `data_dir` lets a second one stand where the first stood."""

    def __init__(self, standing: Mapping[str, str] | None = None) -> None:
        """Start with nothing running; every server stands on this."""
        self._stack = ExitStack()
        self._standing = dict(standing or {})

    def __call__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        command: str = "serve",
        module: str = "server",
        data_dir: Path | None = None,
        port: int | None = None,
        ready_within: float = 120,
        fresh: bool = False,
    ) -> Served:
        """Start `python -m <module> <command>` and wait until it says that it is ready."""
        return self._stack.enter_context(
            served(
                {**self._standing, **(environment or {})},
                command=command,
                module=module,
                data_dir=data_dir,
                port=port,
                ready_within=ready_within,
                fresh=fresh,
            )
        )

    def close(self) -> None:
        """End everything, the newest first."""
        self._stack.close()


@contextmanager
def apart(backend: Backend) -> Iterator[Backend]:
    """Yield the same kind of parts with a database of its own: servers that share one execute each other's runs."""
    if "DATABASE_URL" not in backend.environment:
        yield backend
        return
    with postgres.fresh_database(backend.environment["DATABASE_URL"], backend.template) as own:
        yield Backend(backend.name, {**backend.environment, "DATABASE_URL": own}, backend.template)


@contextmanager
def served(
    environment: Mapping[str, str] | None = None,
    *,
    command: str = "serve",
    module: str = "server",
    data_dir: Path | None = None,
    port: int | None = None,
    ready_within: float = 120,
    fresh: bool = False,
) -> Iterator[Served]:
    """Run one server for as long as the context lasts. A `worker` has no address: it only has to stay up.

    It is forked from a Python that has loaded it, and its database is a copy of one with tables, unless it is to be
    `fresh`.
    """
    own = Path(tempfile.mkdtemp(prefix="lw-server-"))
    folder, port = data_dir or own / "data", port or free_port()
    if data_dir is None and not fresh:
        folder.mkdir(mode=0o700)
        postgres.copy_tables(folder)
    env = clean_environment()
    env |= {"HOST": "127.0.0.1", "PORT": str(port), "LOOPWIRE_DATA_DIR": str(folder)}
    env["LOOPWIRE_TRUSTED_PROXIES"] = "127.0.0.1"  # Tests come from other addresses by X-Forwarded-For.
    env |= {**ROOMY, **(environment or {})}
    child = started([module, command], log=own / "log", env=env, fresh=fresh)
    running = Served(f"http://127.0.0.1:{port}", child, folder, own / "log")
    try:
        if command != "worker":
            until(lambda: child.poll() is not None or is_ready(running), seconds=ready_within, what="/readyz")
        if child.poll() is not None:
            raise EndedEarlyError(child.returncode, process.tail(running.log))
        yield running
    finally:
        if not can_fork():
            running.stop()  # A tracer of what it executes is told at its end.
        running.kill()
        shutil.rmtree(own, ignore_errors=True)


def started(argv: list[str], *, log: Path, env: Mapping[str, str], fresh: bool) -> Process:
    """Start `python -m <argv>` and wait for nothing; it is forked unless it is to be `fresh`."""
    if fresh or not can_fork():
        return process.start([sys.executable, "-m", *argv], log=log, env=env, cwd=ROOT)
    log.touch()
    return parent().start(argv, log=log, env=env, cwd=ROOT)


@cache
def parent() -> Parent:
    """Return the Python that forks servers for this process of the tests."""
    return Parent(clean_environment(), os.environ.get(NURSERY))


def clean_environment() -> dict[str, str]:
    """Return our environment without what a developer has set for Loopwire."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}


def is_ready(running: Served) -> bool:
    """Return whether the server answers 200 at /readyz."""
    asking = HTTPConnection(running.url.removeprefix("http://"), timeout=10)
    try:
        asking.request("GET", "/readyz")
        return asking.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        asking.close()


@pytest.fixture
def serve() -> Iterator[Servers]:
    """Yield a factory of servers that end with the test."""
    servers = Servers()
    yield servers
    servers.close()


@pytest.fixture(scope="session", params=["embedded", "configured"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Yield each of the two columns of real parts in turn; `environment` is what a server is started with."""
    if request.param == "embedded":
        yield Backend("embedded")
        return
    live = request.getfixturevalue("redis_url")
    template = request.getfixturevalue("migrated_postgres")
    with postgres.fresh_database(request.getfixturevalue("postgres_server"), template) as durable:
        yield Backend("configured", {"REDIS_URL": live, "DATABASE_URL": durable}, template)


@pytest.fixture(scope="module")
def loopwire(backend: Backend) -> Iterator[Served]:
    """Yield one server with the demo model on each backend, shared by the tests of a file that leave it as they found
    it.

    A fork is cheap; a dozen servers that stand idle till the end of the run are not.
    """
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0", **backend.environment}) as running:
        yield running


@pytest.fixture
def serve_each(backend: Backend) -> Iterator[Servers]:
    """Yield a factory of servers on each backend, with a database of their own, which end with the test."""
    with apart(backend) as own:
        servers = Servers(own.environment)
        yield servers
        servers.close()


@pytest.fixture(scope="module")
def serve_all(backend: Backend) -> Iterator[Servers]:
    """Yield a factory of servers on each backend, with a database of their own, which end with the file."""
    with apart(backend) as own:
        servers = Servers(own.environment)
        yield servers
        servers.close()
