"""The keys of apps, made by the operator's command beside a running server."""

from __future__ import annotations

from collections.abc import Mapping

from tests.parts.command import command
from tests.parts.server import Served


def keys(served: Served, environment: Mapping[str, str], *arguments: str) -> tuple[int, list[str]]:
    """Run `python -m server keys …` with the settings of a server; return its code and the lines that it said."""
    return command(served.data_dir, environment, "keys", *arguments)


def new_key(served: Served, environment: Mapping[str, str], app: str, *scopes: str) -> str:
    """Make a key of an app; without scopes it has those that keys usually have."""
    asked = [part for each in scopes for part in ("--scope", each)]
    code, lines = keys(served, environment, "add", app, *asked)
    assert code == 0, lines
    return next(each for each in lines if each.startswith("lwk_"))
