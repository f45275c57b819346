"""One harness for a module: opening a store costs more than all conversations with it."""

import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
import pytest_asyncio

from server.store import Store
from tests.parts.postgres import SQLITE_FILE, copy_tables
from tests.parts.sampled import has_later, is_whole, without_later
from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.prefixes import Prefixes

_HERE = Path(__file__).parent
_ALWAYS = ("test_strangers.py", "test_utterances.py", "test_common_questions.py")
"""Files of whose talks none is left out here: they choose their own share."""
_EACH = 2
"""In the folders below this one, one file of so many has a talk in `make test`."""
_begun: pytest.StashKey[bool] = pytest.StashKey()
"""Whether the talk of a file was collected."""


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
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Leave all but the first talk of each second file to `make conformance`: each says much to the runner and tools.

    Strangers and utterances meet what the others are about, and the files of this folder have a talk each.
    """
    if is_whole() or collector.path.name in _ALWAYS or not inspect.isfunction(obj) or not _is_talk(obj):
        return None
    is_spare = collector.stash.get(_begun, not _has_talk(collector.path)) or has_later(
        getattr(obj, "pytestmark", ())
    )
    if not is_spare:
        collector.stash[_begun] = True
    return [] if is_spare else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Keep the first set of parameters of that talk."""
    marks, path = metafunc.definition.own_markers, metafunc.definition.path
    if not is_whole() and path.name not in _ALWAYS and "harness" in metafunc.fixturenames:
        marks[:] = [_once(each) if each.name == "parametrize" else each for each in marks]


@cache
def _has_talk(file: Path) -> bool:
    return file.parent == _HERE or sorted(file.parent.glob("test_*.py")).index(file) % _EACH == 0


def _is_talk(test: Callable[..., object]) -> bool:
    return test.__name__.startswith("test_") and "harness" in inspect.signature(test).parameters


def _once(mark: pytest.Mark) -> pytest.Mark:
    names, values, *rest = without_later(mark).args
    told = {**mark.kwargs}
    if isinstance(told.get("ids"), Sequence):
        told["ids"] = told["ids"][:1]
    return pytest.mark.parametrize(names, [*values][:1], *rest, **told).mark


@pytest.fixture
def harness(shared_harness: RunnerHarness, request: pytest.FixtureRequest) -> RunnerHarness:
    """Return the shared parts, without the visitors of other tests; in one that patches, all is said in full."""
    prefixes = shared_harness.prefixes
    assert prefixes is not None
    prefixes.begin_test()
    if "monkeypatch" in request.fixturenames:
        prefixes.leave()
    return shared_harness
