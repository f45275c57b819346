"""The folder for temporary files: one in memory where there is room, since tests make and remove thousands of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 << 30


def use_memory() -> None:
    """Let `tempfile`, here and in all that is started from here, use a file system in memory.

    A PostgreSQL database is 300 files: on a disk a third of the suite's time went into making and removing them.
    TMPDIR says otherwise.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    if shutil.disk_usage(MEMORY).free >= ROOM_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
