"""Cases that only `make conformance` tries: more of the same that `make test` tries already."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

One = TypeVar("One")
Other = TypeVar("Other")

_share = 3
"""One example of so many is tried by `make test`."""


def try_all_examples() -> None:
    """Let the tests that are collected from now on try all of their examples."""
    global _share  # noqa: PLW0603
    _share = 1


def examples(count: int) -> int:
    """Return how many examples of these Hypothesis tries: a third of them in `make test`."""
    return count // _share


def is_whole() -> bool:
    """Whether all cases are tried, as in `make conformance`."""
    return _share == 1


def pairs(one: Sequence[One], other: Sequence[Other]) -> list[tuple[One, Other]]:
    """Return each of one with each of the other; in `make test` each of both once, where they fail independently."""
    if is_whole():
        return list(product(one, other))
    most = max(len(one), len(other))
    return [(one[place % len(one)], other[place % len(other)]) for place in range(most)]


def later(*values: object, id: str | None = None) -> Any:
    """Return a set of parameters that `make test` leaves out."""
    return pytest.param(*values, id=id, marks=pytest.mark.conformance)


def one_of(share: int, cases: Iterable[One]) -> list[Any]:
    """Return all cases, of which `make test` tries the first of each `share` in a row."""
    return [each if place % share == 0 else later(each) for place, each in enumerate(cases)]
