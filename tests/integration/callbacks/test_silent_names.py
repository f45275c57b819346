"""Names of strangers that are never answered: others look theirs up meanwhile, and the process can end.

The name server is a real one where the machine allows namespaces; else the system's function is replaced by one that
waits, in the child: its resolver cannot be told of a server at another port.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from server.callbacks.name_lookups import AT_ONCE
from tests.parts.sampled import later

_UNSHARE = shutil.which("unshare")
_CHILD = [sys.executable, "-m", "tests.parts.silent_names"]


def separating() -> list[str] | None:
    """Return what gives a program a network and mounts of its own; None where nothing does."""
    for options in ("-mn", "-Urmn"):
        if _UNSHARE is None:
            return None
        try_out = [_UNSHARE, options, "mount", "--bind", "/etc/hosts", "/etc/resolv.conf"]
        if subprocess.run(try_out, capture_output=True, check=False).returncode == 0:
            return [_UNSHARE, options]
    return None


@pytest.mark.parametrize("real", [True, later(False)], ids=["server", "function"])
def test_others_names_are_looked_up_while_those_of_strangers_hang(tmp_path: Path, *, real: bool) -> None:
    """The system would look for 150 s, or for ever: a process that waits for its threads does not end in time."""
    separate = separating() if real else None
    child = [*separate, *_CHILD, str(tmp_path)] if separate is not None else _CHILD
    done = subprocess.run(child, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["looked up 80", "thread", f"hanging {AT_ONCE}"]
    assert done.returncode == 0
