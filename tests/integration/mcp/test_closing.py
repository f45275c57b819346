"""The end of a program's connection: it leaves no pipe open, also when it is cancelled itself."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

from server.mcp.flood_budget import FloodBudget
from server.mcp.stdio import open_program
from tests.parts.wait import until_async


def children() -> set[str]:
    """Return the processes that this thread has started and that have not been waited for."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def pipes() -> set[str]:
    """Return the pipes and socket pairs that this process has open."""
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return {each for each in found if each.startswith(("pipe:", "socket:"))}


async def test_a_closing_that_is_cancelled_leaves_no_pipe_open() -> None:
    opened, before, files = asyncio.Event(), children(), pipes()

    async def hold() -> None:
        command = [sys.executable, "-c", "import time; time.sleep(60)"]
        async with open_program(command, {}, FloodBudget(), lambda: None):
            opened.set()
            await asyncio.Event().wait()

    held = asyncio.create_task(hold())
    await opened.wait()
    while not held.done():
        held.cancel()
        await asyncio.sleep(0)
    del held
    for _ in range(3):
        await asyncio.sleep(0)
    assert pipes() <= files
    await until_async(lambda: children() <= before, what="the end of the program")
    gc.collect()  # An open pipe is a ResourceWarning here, which fails the test.
