"""Tries the mutants that the tests in one process let live on tests whose server is a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.mutants.areas import area_of

MOST_S = 900.0
"""The longest of them takes four minutes on an idle machine. What does not end by then is no success."""
OPTIONS = ("-q", "-x", "-p", "no:cacheprovider", "-k", "not configured")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+\.py(?:::[^\[\s]+(?:\[.*?\])?)?)(?= - |$)", re.MULTILINE)


def try_far(tree: Path, folder: Path, results: list[dict[str, object]], jobs: int) -> None:
    """Mark those of `results` as dead that a test of their area notices twice in a row; `tree` stays as it is."""
    alive = [each for each in results if each["alive"]]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(partial(_try, tree, folder), range(len(alive)), alive))


def _try(tree: Path, folder: Path, number: int, result: dict[str, object]) -> None:
    own = folder / f"far-{number}"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(tree, own, symlinks=True)
    (own / str(result["file"])).write_text(str(result["text"]))
    tests = [f"tests/{each}" for each in area_of(str(result["file"])).far]
    try:
        failed = _first_failure(own, tests)
        # A test that fails now and then would say that a fault is noticed which is not.
        if failed is not None and _first_failure(own, [failed] if failed else tests) is not None:
            result["alive"] = False
    finally:
        shutil.rmtree(own, ignore_errors=True)
    word = "ALIVE" if result["alive"] else "dead"
    sys.stdout.write(
        f"{word:5} {result['file']}:{result['line']} {result['kind']}, far tests {failed or ''}\n"
    )
    sys.stdout.flush()


def _first_failure(tree: Path, tests: list[str]) -> str | None:
    """Name the test that fails first; empty when none of them even begins or they do not end, None when all pass."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
    running = subprocess.Popen(
        command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        said, _ = running.communicate(timeout=MOST_S)
    except subprocess.TimeoutExpired:
        return ""
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    if running.returncode == 0:
        return None
    found = FAILED.search(said)
    return found[1] if found else ""
