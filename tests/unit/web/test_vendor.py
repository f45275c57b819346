"""The vendored files: each is the one that its authors published, and brings its licence along."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "web/static/vendor", ROOT / "tests/e2e/vendor")
LOCKED = [
    (folder, each) for folder in FOLDERS for each in json.loads((folder / "vendor.lock.json").read_text())
]


@pytest.mark.parametrize(
    ("folder", "locked"), LOCKED, ids=lambda value: value["name"] if isinstance(value, dict) else ""
)
def test_a_vendored_file_is_the_published_one(folder, locked):
    digest = hashlib.sha384((folder / locked["file"]).read_bytes()).digest()
    assert "sha384-" + base64.b64encode(digest).decode() == locked["sha384"]
    assert set(locked) == {"name", "version", "licence", "file", "sha384", "source"}
    assert list(folder.glob(f"{Path(locked['file']).name.partition('.')[0]}.LICENSE*"))


def test_every_vendored_script_is_locked():
    present = {(folder, path.name) for folder in FOLDERS for path in folder.glob("*.js")}
    assert present == {(folder, each["file"]) for folder, each in LOCKED}


def test_the_font_brings_its_licence():
    assert "SIL OPEN FONT LICENSE" in (ROOT / "web/static/fonts/LICENSE").read_text().upper()
