"""The SDK stays small: minified and gzipped as a bundler of a page would have it, and as a server serves its files."""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

import pytest

from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing

SDK = Path(__file__).parents[3] / "sdk/js"
ESBUILD = Path(__file__).parents[2] / "parts/sdk/node_modules/esbuild/bin/esbuild"
MOST = {"index.js": 12_700, "client.js": 4_800, "ag-ui.js": 2_000, "react.js": 2_000, "ai-sdk.js": 2_000}
"""Bytes of a bundle: of the whole, of the wire alone, and of what stands between the whole and a framework."""
MOST_SERVED = 33_600
"""Bytes of all files that `index.js` loads, each compressed by itself."""


def gzipped(data: bytes) -> int:
    """Measure what travels."""
    return len(gzip.compress(data, 9, mtime=0))


def loaded_by(path: Path, known: set[Path]) -> set[Path]:
    """Find the files that a module loads, itself among them."""
    if path not in known:
        known.add(path)
        for name in re.findall(r'from "(\./[^"]+)"', path.read_text()):
            loaded_by(path.parent / name, known)
    return known


@pytest.mark.parametrize("entry", MOST)
def test_minified_the_sdk_is_small(entry: str) -> None:
    if not ESBUILD.exists():
        skip_missing("esbuild", "make parts")
    argv = [NODE, ESBUILD, SDK / entry, "--bundle", "--minify", "--format=esm", "--target=es2023"]
    externals = [f"--external:{name}" for name in ("@ag-ui/client", "react")]
    made = subprocess.run([*argv, *externals], capture_output=True, check=True)
    size = gzipped(made.stdout)
    assert size <= MOST[entry], f"{entry}: {size} bytes"


def test_as_it_is_served_the_sdk_is_small() -> None:
    size = sum(gzipped(path.read_bytes()) for path in loaded_by(SDK / "index.js", set()))
    assert size <= MOST_SERVED, f"{size} bytes"
