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


def one_of(share: int, cases: Iterable[One]) -> list[One]:
    """Return all cases; in `make test` the first of each `share` in a row."""
    return [*cases][:: 1 if is_whole() else share]


def has_later(marks: Iterable[pytest.Mark | pytest.MarkDecorator]) -> bool:
    """Whether one of these marks says that `make test` leaves out what has them."""
    return any(each.name == "conformance" for each in marks)


def without_later(mark: pytest.Mark) -> pytest.Mark:
    """Return a mark without its sets of parameters that are for later, unless no other is left or they have ids."""
    if mark.name != "parametrize" or len(mark.args) < 2 or isinstance(mark.kwargs.get("ids"), Sequence):
        return mark
    names, values, *rest = mark.args
    kept = [each for each in values if not has_later(getattr(each, "marks", ()))]
    return pytest.mark.parametrize(names, kept, *rest, **mark.kwargs).mark if kept else mark
