"""The operator's command for the keys of apps, beside a running server."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.parts.process import kill_group
from tests.parts.server import Served, clean_environment, started
from tests.parts.wait import until


def keys(served: Served, environment: Mapping[str, str], *arguments: str) -> tuple[int, list[str]]:
    """Run `python -m server keys …` with the settings of a server; return its code and the lines that it said."""
    own = {**clean_environment(), **environment, "LOOPWIRE_DATA_DIR": str(served.data_dir)}
    with tempfile.TemporaryDirectory(prefix="lw-keys-") as folder:
        said = Path(folder) / "said"
        child = started(["server", "keys", *arguments], log=said, env=own, fresh=False)
        try:
            until(lambda: child.poll() is not None, what="the end of the command")
        finally:
            kill_group(child)
        return child.wait(60), said.read_text().splitlines()


def new_key(served: Served, environment: Mapping[str, str], app: str, *scopes: str) -> str:
    """Make a key of an app; without scopes it has those that keys usually have."""
    asked = [part for each in scopes for part in ("--scope", each)]
    code, lines = keys(served, environment, "add", app, *asked)
    assert code == 0, lines
    return next(each for each in lines if each.startswith("lwk_"))
