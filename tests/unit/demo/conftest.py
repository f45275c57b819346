"""One harness for a module: opening a store costs more than all conversations with it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.store import Store
from tests.parts.postgres import SQLITE_FILE, copy_tables
from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.prefixes import Prefixes


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_harness(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunnerHarness]:
    """Yield the parts that a module shares, over a SQLite store of their own."""
    folder: Path = tmp_path_factory.mktemp("harness")
    copy_tables(folder)
    store = await Store.open(None, data_dir=folder)
    harness = await RunnerHarness.over(store)
    harness.prefixes = Prefixes(folder / SQLITE_FILE)
    yield harness
    harness.prefixes.close()
    await store.aclose()


@pytest.fixture
def harness(shared_harness: RunnerHarness, request: pytest.FixtureRequest) -> RunnerHarness:
    """Return the shared parts, without the visitors of other tests; in one that patches, all is said in full."""
    prefixes = shared_harness.prefixes
    assert prefixes is not None
    prefixes.begin_test()
    if "monkeypatch" in request.fixturenames:
        prefixes.leave()
    return shared_harness
