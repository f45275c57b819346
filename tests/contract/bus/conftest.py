"""Buses over every kind of server: Valkey, redis-server, and the stand-in that needs none."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from server.bus import Bus
from server.bus.redis import client
from tests.contract.bus.viewer import Stored
from tests.parts.sampled import later
from tests.parts.wait import PATIENCE_S

_WINDOW = re.search(
    r"^\| G2 \| A client that comes back within (\d+) minutes and ([\d,]+) events",
    (Path(__file__).parents[3] / "docs/promises.md").read_text(),
    re.MULTILINE,
)
assert _WINDOW is not None
PROMISED_S = 60 * int(_WINDOW[1])
PROMISED_EVENTS = int(_WINDOW[2].replace(",", ""))
"""How far back nobody needs a snapshot, as docs/promises.md promises it."""


@pytest.fixture(autouse=True)
def patient_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients wait: an answer that a busy machine delays is no outage. What an outage does is tested elsewhere."""
    monkeypatch.setattr(client, "TIMEOUT_S", PATIENCE_S)


@pytest.fixture(params=["valkey", later("redis"), "fake"])
def any_url(request: pytest.FixtureRequest) -> str:
    """Return each kind of server in turn."""
    if request.param in ("fake", "away"):
        return f"fake://{secrets.token_hex(8)}"
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
async def new_bus(any_url: str) -> AsyncIterator[Callable[..., object]]:
    """Start as many instances as a test wants; they are closed after it."""
    made: list[Bus] = []

    async def start(**options: object) -> Bus:
        bus = Bus(any_url, **options)
        made.append(bus)
        await bus.start()
        return bus

    yield start
    for bus in made:
        await bus.aclose()


@pytest.fixture
async def bus(new_bus) -> Bus:
    """Return one instance."""
    return await new_bus()


@pytest.fixture
async def other(new_bus) -> Bus:
    """Return another instance."""
    return await new_bus()


@pytest.fixture
def stored() -> Stored:
    """Return a session that nobody used before."""
    return Stored(f"ses_{secrets.token_hex(8)}")
