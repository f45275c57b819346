"""A server loads no package that its settings do not ask for: each costs memory that stays."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    # Redis and MCP look for OpenTelemetry's metrics and interfaces by themselves.
    "tracing without a collector": (
        "langfuse",
        "opentelemetry.sdk.trace",
        "opentelemetry.exporter",
        "google.protobuf",
    ),
    # Its runtime is 14 MB; a process of its own makes the short files.
    "shortening of scripts and sheets": ("minify",),
}
SCRIPT = """
import sys, server.app
from server.settings import Settings
from server.tracing import tracer
tracer(Settings())
print(*sys.modules)
"""


def test_a_server_holds_neither_the_parts_of_a_collector_nor_what_shortens_its_files() -> None:
    told = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    loaded = told.stdout.split()
    assert "server.app" in loaded
    for what, names in HEAVY.items():
        assert [name for name in loaded if name.startswith(names)] == [], what
