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


def failure(error: Exception) -> logging.LogRecord:
    """Return the record of an error that was raised here."""
    try:
        raise error
    except Exception as raised:
        exc_info = (type(raised), raised, raised.__traceback__)
        return logging.LogRecord(
            "uvicorn.error", logging.ERROR, "", 0, "Exception in ASGI application\n", (), exc_info
        )


def test_an_error_is_written_some_times_and_then_counted(caplog: pytest.LogCaptureFixture) -> None:
    later = Later()
    limit = RepeatLimit(later, most=5, seconds=60)
    assert sum(limit.filter(failure(ValueError("x"))) for _ in range(1000)) == 5
    assert limit.filter(failure(KeyError("x"))), "another error is not hidden by it"
    later.calls[0][1]()
    assert [each.levelname for each in caplog.records] == ["ERROR"]
    assert "995 more times in 60 s: Exception in ASGI application (ValueError, " in caplog.text
    assert f"{__file__}:" in caplog.text


def test_an_error_of_a_new_text_is_written_beside_many_warnings() -> None:
    limit = RepeatLimit(Later(), most=1)
    for number in range(1000):
        limit.filter(record(f"odd {number}"))
    assert limit.filter(record("failed", logging.ERROR))


def test_warnings_with_ever_new_texts_are_limited_as_one_text() -> None:
    limit = RepeatLimit(Later(), most=5)
    assert sum(limit.filter(record(f"odd {number}")) for number in range(10_000)) <= 110
    assert len(limit) <= 101
