"""A small disk of its own, which a test fills."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts.missing import skip_missing


@pytest.fixture
def disk() -> Iterator[Path]:
    """Yield a disk of 40 MB."""
    folder = Path(tempfile.mkdtemp(prefix="lw-disk-"))
    size = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    mounted = hasattr(os, "geteuid") and os.geteuid() == 0
    mounted = mounted and subprocess.run(size, capture_output=True, check=False).returncode == 0
    if not mounted:
        folder.rmdir()
        skip_missing("disk of its own", "only root may mount a tmpfs")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    folder.rmdir()
