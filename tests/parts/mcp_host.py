"""A host of MCP Apps in a browser: its page, the proxy on another origin, and the published side of a host."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing

FOLDER = Path(__file__).parent / "mcp_apps"
ESBUILD = FOLDER.parent / "sdk/node_modules/esbuild/bin/esbuild"
PATIENCE_S = 60


@pytest.fixture(scope="session")
def host_script(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the script of the host with the package that it imports, as one file."""
    for part in (FOLDER / "node_modules/@modelcontextprotocol/ext-apps", ESBUILD):
        if not part.exists():
            skip_missing("the reference package of MCP Apps", "make parts")
    made = tmp_path_factory.mktemp("host") / "host.js"
    given = [FOLDER / "host.js", "--bundle", "--format=esm", "--log-level=error", f"--outfile={made}"]
    subprocess.run([NODE, ESBUILD, *given], check=True, timeout=PATIENCE_S, cwd=FOLDER)
    yield made


class HostPages(BaseHTTPRequestHandler):
    """Answers with the page of the host, its script, or the proxy under the policy that its address names."""

    script: Path

    def do_GET(self) -> None:
        """Answer."""
        address = urlsplit(self.path)
        file = {"/host.js": self.script, "/proxy": FOLDER / "proxy.html"}.get(
            address.path, FOLDER / "host.html"
        )
        self.send_response(200)
        kind = "text/javascript" if file.suffix == ".js" else "text/html; charset=utf-8"
        self.send_header("content-type", kind)
        for policy in parse_qs(address.query).get("policy", []):
            self.send_header("content-security-policy", policy)
        self.end_headers()
        self.wfile.write(file.read_bytes())

    def log_message(self, *_: object) -> None:
        """Say nothing."""
