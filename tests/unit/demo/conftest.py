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
_SHARE = 12
"""Of the talks of a file `make test` has one of so many."""
_ALWAYS = ("test_strangers.py", "test_utterances.py", "test_common_questions.py")
"""Files of whose talks none is left out here: they choose their own share."""


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
    """Leave eleven of twelve talks of a file to `make conformance`: each says many messages to the runner and tools.

    The talks of a file are about one thing, in the order in which they were found, so that each twelfth has all kinds.
    """
    talks: defaultdict[Path, list[pytest.Item]] = defaultdict(list)
    for item in items:
        is_talk = isinstance(item, pytest.Function) and "harness" in item.fixturenames
        if is_talk and item.path.is_relative_to(_HERE) and item.path.name not in _ALWAYS:
            talks[item.path].append(item)
    for file in talks.values():
        for place, item in enumerate(file):
            if place % _SHARE:
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
