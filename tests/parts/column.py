"""The parts that a test holds in its own process, of each column in turn: Valkey and SQLite, Redis and PostgreSQL."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["embedded", "configured"])
def column(request: pytest.FixtureRequest) -> str:
    """Return which of the two columns of real parts; `backend` is the same for servers of their own process."""
    return str(request.param)


@pytest.fixture
def live_url(column: str, request: pytest.FixtureRequest) -> str:
    """Return the address of the column's Redis."""
    url: str = request.getfixturevalue("valkey_url" if column == "embedded" else "redis_url")
    return url


@pytest.fixture
def durable_url(column: str, request: pytest.FixtureRequest) -> str | None:
    """Return the address of an empty database of the column; None is a file in the data folder."""
    return None if column == "embedded" else request.getfixturevalue("postgres_url")


@pytest.fixture
def parts(column: str, request: pytest.FixtureRequest) -> dict[str, str]:
    """Return what a server in the test's own loop is given; what is embedded it brings itself."""
    if column == "embedded":
        return {}
    return {
        "redis_url": request.getfixturevalue("redis_url"),
        "database_url": request.getfixturevalue("postgres_url"),
    }
