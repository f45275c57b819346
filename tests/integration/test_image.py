"""A server with only the files that the Dockerfile copies serves its page, as in the image."""

from __future__ import annotations

import shutil
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.parts import process
from tests.parts.ports import free_port
from tests.parts.server import ROOT, clean_environment
from tests.parts.wait import until
from tests.unit.test_deployment import copied, procfile


def answers(url: str) -> bool:
    """Return whether there is an answer at this address."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.mark.conformance
def test_the_files_of_the_image_are_enough_to_serve_the_page(tmp_path: Path) -> None:
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name)
    port, log = free_port(), tmp_path / "log"
    environment = clean_environment() | {
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LOOPWIRE_DATA_DIR": str(tmp_path / "data"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, *procfile()["web"].split()[1:]]
    running = process.start(command, log=log, env=environment, cwd=tmp_path)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: running.poll() is not None or answers(f"{url}/readyz"), seconds=120, what="/readyz")
        assert running.poll() is None, process.tail(log)
        with urllib.request.urlopen(f"{url}/") as answer:
            assert b"/static/" in answer.read()
        with urllib.request.urlopen(f"{url}/static/sdk/client.js") as answer:
            assert answer.status == 200
    finally:
        assert process.stop(running) == 0
