"""A store of each column of parts; `live_url` is the Redis beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.store import Store
from tests.integration.runs.instances import open_store


@pytest.fixture
async def store(durable_url: str | None, tmp_path: Path) -> AsyncIterator[Store]:
    """Yield an empty store."""
    async with open_store(durable_url, tmp_path) as opened:
        yield opened
