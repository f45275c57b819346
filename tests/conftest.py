"""The real parts that every test may ask for; each is described where it is made, in tests/parts."""

from __future__ import annotations

import inspect
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.parts.missing import MissingParts

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
_E2E = _TESTS / "e2e"
_LONG = ("integration/growth", "integration/crash", "integration/degradation", "integration", "promises")

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what tells nothing new, and begin with the long files: browsers work while servers wait.

    The storm comes last: nothing has to run beside it.
    """
    if not config.getoption("whole"):
        spare = [item for item in items if any(map(item.get_closest_marker, ONCE)) and _over_servers(item)]
        config.hook.pytest_deselected(items=spare)
        items[:] = [item for item in items if item not in spare]
    files = list(dict.fromkeys(item.path for item in items))
    browsers = [file for file in files if file.is_relative_to(_E2E)]
    long = [file for folder in _LONG for file in files if file.is_relative_to(_TESTS / folder)]
    first = [file for pair in zip_longest(browsers, dict.fromkeys(long)) for file in pair if file is not None]
    turns = {file: turn for turn, file in enumerate(dict.fromkeys([*first, *files]))}
    items.sort(key=lambda item: (item.get_closest_marker("storm") is not None, turns[item.path]))


def _over_servers(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "configured" in item.name


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what lies in tests/e2e; those share the browser's loop, which lasts for the session."""
    if item.path.is_relative_to(_E2E):
        item.add_marker(pytest.mark.e2e)
        if inspect.iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
