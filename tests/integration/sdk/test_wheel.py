"""The wheel of the client: built, installed where nothing else is, and used there."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.integration.sdk.test_readme import LOCAL, example
from tests.parts.server import ROOT, clean_environment, served

pytestmark = [pytest.mark.once, pytest.mark.conformance]

UV = ROOT / ".tools/bin/uv"


def run(*argv: str | Path, cwd: Path) -> str:
    """Run a program that has to end well, and return what it printed."""
    done = subprocess.run(
        argv, cwd=cwd, capture_output=True, text=True, env=clean_environment(), timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_wheel_is_built_and_talks_in_an_empty_environment(tmp_path: Path) -> None:
    run(UV, "build", "--wheel", "--out-dir", tmp_path, ROOT / "sdk/python", cwd=tmp_path)
    (wheel,) = tmp_path.glob("loopwire-*.whl")
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        (licence,) = [each for each in names if each.endswith("/LICENSE")]
        assert files.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert {"loopwire/__init__.py", "loopwire/py.typed", "loopwire/conformance/schema.json"} <= set(names)
    assert "loopwire/conformance/transcripts/submission.json" in names
    assert all(each.startswith(("loopwire/", "loopwire-")) for each in names)
    run(UV, "venv", tmp_path / "venv", "--python", ROOT / ".venv/bin/python", cwd=tmp_path)
    python = tmp_path / "venv/bin/python"
    locked = ("--constraint", ROOT / "requirements.lock")
    run(UV, "pip", "install", "--python", python, *locked, wheel, cwd=tmp_path)
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        shown = run(python, "-c", example("asyncio.run(main())").replace(LOCAL, running.url), cwd=tmp_path)
    assert shown.endswith("success\n")
    assert "chat" in run(tmp_path / "venv/bin/loopwire", "--help", cwd=tmp_path)
