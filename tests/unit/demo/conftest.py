"""One harness for a module: opening a store costs more than all conversations with it."""

from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.store import Store
from tests.parts.postgres import SQLITE_FILE, copy_tables
from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.prefixes import Prefixes

_HERE = Path(__file__).parent
_LONG = 4
"""Rows from which a table is a long one."""


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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave each second row of a long table of talks to `make conformance`: a row is a whole talk with the model.

    A table has its rows in the order in which they were found, so that both halves have all kinds of them.
    """
    rows: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if (
            isinstance(item, pytest.Function)
            and item.path.is_relative_to(_HERE)
            and "harness" in item.fixturenames
        ):
            rows[item.nodeid.partition("[")[0]].append(item)
    for table in rows.values():
        for item in table[1::2] if len(table) >= _LONG else ():
            item.add_marker(pytest.mark.conformance)


@pytest.fixture
def harness(shared_harness: RunnerHarness, request: pytest.FixtureRequest) -> RunnerHarness:
    """Return the shared parts, without the visitors of other tests; in one that patches, all is said in full."""
    prefixes = shared_harness.prefixes
    assert prefixes is not None
    prefixes.begin_test()
    if "monkeypatch" in request.fixturenames:
        prefixes.leave()
    return shared_harness
