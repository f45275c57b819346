"""Cases that only `make conformance` tries: more of the same that `make test` tries already."""

from typing import Any

import pytest

_share = 3
"""One example of so many is tried by `make test`."""


def try_all_examples() -> None:
    """Let the tests that are collected from now on try all of their examples."""
    global _share  # noqa: PLW0603
    _share = 1


def examples(count: int) -> int:
    """Return how many examples of these Hypothesis tries: a third of them in `make test`."""
    return count // _share


def later(*values: object, id: str | None = None) -> Any:
    """Return a set of parameters that `make test` leaves out."""
    return pytest.param(*values, id=id, marks=pytest.mark.conformance)
