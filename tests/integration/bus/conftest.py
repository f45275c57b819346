"""A server of one's own for each test, so that it may be killed, emptied and cut off."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from server.bus import Bus, EmbeddedValkey
from tests.contract.bus.viewer import Stored
from tests.parts.missing import skip_missing
from tests.parts.redis import REDIS_SERVER, valkey_binary
from tests.parts.sampled import later


@pytest.fixture(params=["valkey", later("redis")])
def binary(request: pytest.FixtureRequest) -> Path:
    """Return each kind of server in turn."""
    found = valkey_binary() if request.param == "valkey" else REDIS_SERVER
    if found is None:
        skip_missing(request.param, "no such server here")
    return Path(found)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a data folder with a short path."""
    path = Path(tempfile.mkdtemp(prefix="lw-bus-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def valkey(folder: Path, binary: Path) -> Iterator[EmbeddedValkey]:
    """Yield a running server under the watchdog."""
    server = EmbeddedValkey(folder, binary=binary)
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def new_bus(valkey: EmbeddedValkey) -> AsyncIterator[Callable[..., object]]:
    """Start as many instances as a test wants."""
    made: list[Bus] = []

    async def start(url: str | None = None, **options: object) -> Bus:
        bus = Bus(url or valkey.url, **options)
        made.append(bus)
        await bus.start()
        return bus

    yield start
    for bus in made:
        await bus.aclose()


@pytest.fixture
def stored() -> Stored:
    """Return a session that nobody used before."""
    return Stored(f"ses_{secrets.token_hex(8)}")
