"""The storm comes last: nothing has to run beside it, and it is the longest of all tests."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("storm") is not None)
