"""The SDK stays small: minified and gzipped as a bundler of a page would have it, and as a server serves its files."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.weights import sdk_weights
from server.html.files.bundles import imports_of
from server.html.files.sdk_file import SdkFile
from server.html.files.short_files import minifier_version
from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing

SDK = Path(__file__).parents[3] / "sdk/js"
MOST = {"index.js": 11_760, "client.js": 4_200, "ag-ui.js": 2_000, "react.js": 2_000, "ai-sdk.js": 2_000}
"""Bytes that are loaded at once: of all, of the wire alone, and of what stands between all and a framework."""
MOST_LATER = 2_050
"""Bytes that are loaded when they are needed: the transport without a socket, older messages and uploads."""
MOST_SERVED = 12_500
"""Bytes of the one file in which a server sends all of it."""


def gzipped(data: bytes) -> int:
    """Measure what travels."""
    return len(gzip.compress(data, 9, mtime=0))


@pytest.mark.parametrize("entry", MOST)
def test_the_minified_sdk_stays_within_its_size(entry: str) -> None:
    sizes = sdk_weights(entry)
    if sizes is None:
        skip_missing("esbuild", "make parts")
    size, whole = sizes
    assert 200 < size <= MOST[entry], f"{entry}: {size} bytes"
    assert whole - size <= MOST_LATER, f"{entry}: {whole - size} bytes"


def test_the_served_sdk_stays_within_its_size() -> None:
    file = SdkFile(SDK).short
    assert imports_of(file.decode()) == []
    if not minifier_version():
        skip_missing("tdewolff-minify", "a platform with a wheel of it")
    assert gzipped(file) <= MOST_SERVED, f"{gzipped(file)} bytes"


def test_the_file_of_the_sdk_exports_what_its_modules_do_and_loads_the_rest_from_beside_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "sdk"
    shutil.copytree(SDK, folder, ignore=shutil.ignore_patterns("tests", "node_modules"))
    (folder / "index.js").write_bytes(SdkFile(SDK).short)
    script = """
      const given = await import("./index.js");
      const chat = given.loopwire({ url: "http://host", fetch: async () => Response.json({}) });
      console.log(Object.keys(given).join(), typeof chat.send, chat.connection.state);
    """
    names = [NODE, "--input-type=module", "-e", script]
    told = subprocess.run(names, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert told == "Conversation,LoopwireClient,loopwire function closed\n"
    later = re.findall(r'import\("(\./[^"]+)"\)', (folder / "index.js").read_text())
    assert sorted(later) == ["./session_requests.js", "./stream_transport.js"]
    assert [name for name in later if not (folder / name).exists()] == []
