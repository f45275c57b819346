"""Warnings that any client can cause are few lines in the log, however many there are."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from server.log import RepeatLimit


def record(text: str, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("uvicorn.error", level, "", 0, text, ("x",), None)


class Later:
    """The call that is to be made later."""

    def __init__(self) -> None:
        """Nothing is."""
        self.calls: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, call: Callable[[], None]) -> None:
        """Remember it."""
        self.calls.append((seconds, call))


def test_a_warning_is_written_some_times_and_then_counted(caplog: pytest.LogCaptureFixture) -> None:
    later = Later()
    limit = RepeatLimit(later, most=5, seconds=60)
    assert sum(limit.filter(record("Invalid %s")) for _ in range(1000)) == 5
    assert limit.filter(record("another"))
    assert [seconds for seconds, _ in later.calls] == [60]
    later.calls[0][1]()
    assert [each.getMessage() for each in caplog.records] == [
        "uvicorn.error: 995 more times in 60 s: Invalid %s"
    ]
    assert limit.filter(record("Invalid %s"))
    assert len(later.calls) == 2


def test_an_error_is_always_written() -> None:
    limit = RepeatLimit(Later(), most=1)
    assert all(limit.filter(record("failed", logging.ERROR)) for _ in range(100))


def test_warnings_with_ever_new_texts_are_limited_as_one_text() -> None:
    limit = RepeatLimit(Later(), most=5)
    assert sum(limit.filter(record(f"odd {number}")) for number in range(10_000)) <= 110
    assert len(limit) <= 101
