"""One harness for a module, with the demo model: opening a store costs more than all requests with it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.store import Store
from tests.parts.postgres import copy_tables
from tests.unit.demo.harness import RunnerHarness


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harness(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunnerHarness]:
    """Yield the shared parts, over a SQLite store of their own."""
    folder: Path = tmp_path_factory.mktemp("requests")
    copy_tables(folder)
    store = await Store.open(None, data_dir=folder)
    yield await RunnerHarness.over(store)
    await store.aclose()
