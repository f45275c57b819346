"""The suite of Durable Streams on a session's log: its tests of the read half, over streams that an adapter writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.clients.node import FOLDER
from tests.parts.agui_client import NODE
from tests.parts.app_keys import new_key
from tests.parts.missing import skip_missing
from tests.parts.ports import free_port
from tests.parts.server import ROOT, clean_environment, served
from tests.parts.wait import until

pytestmark = [pytest.mark.once, pytest.mark.conformance]

GROUPS = (
    "Read Operations",
    "Long-Poll Operations",
    "Long-Poll Edge Cases",
    "HTTP Protocol",
    "Browser Security Headers",
    "HEAD Metadata",
    "Offset Validation and Resumability",
    "Protocol Edge Cases",
    "Caching and ETag",
    "Read-Your-Writes Consistency",
    "SSE Mode",
    "JSON Mode",
)
"""The groups of the suite that read. Others create, append, close, expire and fork streams."""

OF_OTHER_STREAMS = {
    "HTTP Protocol should return 409 on PUT with different config",
    "HTTP Protocol should return 409 on content-type mismatch",
    "HTTP Protocol should enforce sequence ordering",
    'HTTP Protocol should enforce lexicographic seq ordering ("2" then "10" rejects)',
    "HTTP Protocol should reject duplicate seq values",
    "Browser Security Headers should include X-Content-Type-Options: nosniff on PUT responses",
    "Browser Security Headers should include X-Content-Type-Options: nosniff on POST responses",
    "Protocol Edge Cases should reject empty POST body with 400",
    "Protocol Edge Cases should enforce case-sensitive seq ordering",
    "Protocol Edge Cases should reject missing Content-Type on POST",
    "SSE Mode base64 SSE catch-up pairs every data event with a control event",
    "SSE Mode should auto-detect binary streams and return base64 encoded data in SSE mode",
    "SSE Mode should include Stream-SSE-Data-Encoding header for binary streams",
    "SSE Mode should base64 encode data events only, control events remain JSON",
    "SSE Mode should handle large binary payload with auto-detected base64 encoding",
    "SSE Mode should handle binary data with special bytes using auto-detected base64 encoding",
    "SSE Mode should auto-detect base64 encoding for application/x-protobuf streams",
    "SSE Mode should auto-detect base64 encoding for image/png streams",
    "JSON Mode should reject POST with empty array body",
    "JSON Mode should reject invalid JSON with 400",
    "JSON Mode should reject empty JSON arrays with 400",
}
"""Tests of these groups that refuse writes, or stream bytes that are no text; a log has neither."""


@contextmanager
def adapter(url: str, key: str) -> Iterator[str]:
    """Run the write half before a server."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.parts.stream_adapter", str(port), url, key],
        cwd=ROOT,
        env=clean_environment(),
    )
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: _answers(address), what="the adapter")
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(f"{url}/unknown", timeout=5).close()
    except urllib.error.HTTPError as error:
        error.close()
        return True
    except OSError:
        return False
    return True


@pytest.mark.timeout(600)
def test_the_suite_of_durable_streams_passes_but_for_writes_and_binary_streams(tmp_path: Path) -> None:
    vitest = FOLDER / "node_modules/vitest/vitest.mjs"
    if not vitest.exists():
        skip_missing("the suite of Durable Streams", "make conformance")
    environment = {"LOOPWIRE_ALLOWED_ORIGINS": "https://example.com"}
    report = tmp_path / "report.json"
    with served(environment) as running:
        key = new_key(running, environment, "demo", "operator", "rest")
        with adapter(running.url, key) as address:
            subprocess.run(
                [
                    *(NODE, vitest, "run", "durable-streams.spec.mjs", "--testTimeout=60000"),
                    *(
                        "-t",
                        f"^({'|'.join(GROUPS)}) should|^SSE Mode",
                        "--reporter=json",
                        f"--outputFile={report}",
                    ),
                ],
                cwd=FOLDER,
                env={**os.environ, "CONFORMANCE_TEST_URL": address},
                check=False,
                stdout=subprocess.DEVNULL,
                timeout=500,
            )
    results = {
        each["fullName"]: each["status"]
        for file in json.loads(report.read_text())["testResults"]
        for each in file["assertionResults"]
    }
    failed = {name for name, status in results.items() if status == "failed"}
    assert failed == OF_OTHER_STREAMS
    assert list(results.values()).count("passed") >= 100
