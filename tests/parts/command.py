"""A command of the operator, beside a running server or without one."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.parts.process import kill_group
from tests.parts.server import clean_environment, started
from tests.parts.wait import until


def command(data_dir: Path, environment: Mapping[str, str], *arguments: str) -> tuple[int, list[str]]:
    """Run `python -m server …` with a server's settings; return its code and the lines that it said."""
    own = {**clean_environment(), **environment, "LOOPWIRE_DATA_DIR": str(data_dir)}
    with tempfile.TemporaryDirectory(prefix="lw-command-") as folder:
        said = Path(folder) / "said"
        child = started(["server", *arguments], log=said, env=own, fresh=False)
        try:
            until(lambda: child.poll() is not None, what="the end of the command")
        finally:
            kill_group(child)
        return child.wait(60), said.read_text().splitlines()
