"""The allocator gives buffers of megabytes back to the system, whatever was allocated between them."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt(3) is glibc's")

PROGRAM = """
from pathlib import Path
from server.allocator import bound_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20

if {bounded}:
    bound_freed_memory()
bytearray(30 << 20)  # A buffer that glibc maps, and frees.
before = resident()
buffers, kept = [], []
for _ in range(64):
    buffers.append(b"x" * (1 << 20))
    kept.append(b"y" * (100 << 10))
buffers.clear()
print(resident() - before)
"""


def kept_mib(*, bounded: bool) -> int:
    """Return the MiB by which a process is larger after 64 buffers of one MiB were freed around small objects."""
    argv = [sys.executable, "-c", PROGRAM.format(bounded=bounded)]
    return int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


def test_freed_buffers_go_back_though_small_objects_stand_between_them() -> None:
    assert kept_mib(bounded=False) >= 48
    assert kept_mib(bounded=True) <= 16
