"""The real parts that every test may ask for; each is described where it is made, in tests/parts."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.parts.missing import MissingParts

pytest_plugins = [
    "pytester",
    "tests.parts.redis",
    "tests.parts.postgres",
    "tests.parts.server",
    "tests.parts.agui_client",
    "tests.parts.chromium",
]

_TESTS = Path(__file__).parent
_E2E = _TESTS / "e2e"
_LONGEST_FIRST = (
    "integration/growth",
    "integration/crash",
    "integration/degradation",
    "e2e",
    "integration",
    "promises",
)
"""So that no worker begins a long file when the others are done."""


def pytest_configure(config: pytest.Config) -> None:
    """Tell the skips."""
    config.pluginmanager.register(MissingParts())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long folders first."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    folder = item.path.relative_to(_TESTS).as_posix() if item.path.is_relative_to(_TESTS) else ""
    turns = (place for place, first in enumerate(_LONGEST_FIRST) if folder.startswith(first))
    return next(turns, len(_LONGEST_FIRST))


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what lies in tests/e2e; those share the browser's loop, which lasts for the session."""
    if item.path.is_relative_to(_E2E):
        item.add_marker(pytest.mark.e2e)
        if inspect.iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
