"""Cases that only `make conformance` tries: more of the same that `make test` tries already."""

from typing import Any

import pytest


def later(*values: object, id: str | None = None) -> Any:
    """Return a set of parameters that `make test` leaves out."""
    return pytest.param(*values, id=id, marks=pytest.mark.conformance)
