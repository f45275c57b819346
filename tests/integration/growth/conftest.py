"""What the collector would freeze at rest could not be counted: here nothing is."""

import gc

import pytest


@pytest.fixture(autouse=True)
def _nothing_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)
