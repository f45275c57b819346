"""The real parts that every test may ask for; each is described where it is made, in tests/parts."""

from __future__ import annotations

import gc
import inspect
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.parts.missing import MissingParts
from tests.parts.turns import in_turn

pytest_plugins = [
    "pytester",
    "tests.parts.redis",
    "tests.parts.postgres",
    "tests.parts.server",
    "tests.parts.column",
    "tests.parts.agui_client",
    "tests.parts.chromium",
]

_TESTS = Path(__file__).parent

# What `make test` runs embedded only; markers.
ONCE = ("page", "once")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know what `make conformance` adds."""
    parser.addoption(
        "--whole", action="store_true", help="what needs no second run too over Redis and PostgreSQL"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell the skips."""
    config.pluginmanager.register(MissingParts())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Load five thousand tests: a million objects of which none goes, so that no collector looks at them, ever."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what tells nothing new, and put the files in the order that keeps a machine of two cores busy."""
    if not config.getoption("whole"):
        spare = [item for item in items if any(map(item.get_closest_marker, ONCE)) and _over_servers(item)]
        config.hook.pytest_deselected(items=spare)
        items[:] = [item for item in items if item not in spare]
    turns = {file: turn for turn, file in enumerate(in_turn(list(dict.fromkeys(map(_file, items)))))}
    items.sort(key=lambda item: turns[_file(item)])


def _file(item: pytest.Item) -> str:
    return os.path.relpath(item.path, _TESTS)


def _over_servers(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "configured" in item.name


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what lies in tests/e2e; those share the browser's loop, which lasts for the session."""
    if item.path.is_relative_to(_TESTS / "e2e"):
        item.add_marker(pytest.mark.e2e)
        if inspect.iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
