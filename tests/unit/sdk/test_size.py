"""The SDK stays small: minified and gzipped as a bundler of a page would have it, and as a server serves its files."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from bench.weights import sdk_weights
from tests.parts.missing import skip_missing

SDK = Path(__file__).parents[3] / "sdk/js"
MOST = {"index.js": 11_750, "client.js": 4_200, "ag-ui.js": 2_000, "react.js": 2_000, "ai-sdk.js": 2_000}
"""Bytes that are loaded at once: of all, of the wire alone, and of what stands between all and a framework."""
MOST_LATER = 2_050
"""Bytes that are loaded when they are needed: the transport without a socket, older messages and uploads."""
MOST_SERVED = 30_800
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
    sizes = sdk_weights(entry)
    if sizes is None:
        skip_missing("esbuild", "make parts")
    size, whole = sizes
    assert 200 < size <= MOST[entry], f"{entry}: {size} bytes"
    assert whole - size <= MOST_LATER, f"{entry}: {whole - size} bytes"


def test_as_it_is_served_the_sdk_is_small() -> None:
    size = sum(gzipped(path.read_bytes()) for path in loaded_by(SDK / "index.js", set()))
    assert size <= MOST_SERVED, f"{size} bytes"
