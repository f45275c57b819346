"""The collector freezes no objects in these tests, since frozen ones cannot be counted."""

import gc

import pytest


@pytest.fixture(autouse=True)
def _nothing_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)
