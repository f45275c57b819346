"""Waiting for a state, never for a time: the only loops in the tests that look at a clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

PATIENCE_S = 60.0
"""How long a state may take on a busy machine: only a wait that fails costs time."""

LONGEST_PAUSE_S = 0.25
"""Between two looks at a state: who has waited long looks less often, since each look takes the machine's time."""

T = TypeVar("T")


def until(probe: Callable[[], T], *, seconds: float = PATIENCE_S, what: str = "") -> T:
    """Return the first truthy answer of `probe`, or fail with what was waited for."""
    began = time.monotonic()
    while not (answer := probe()):
        if (waited := time.monotonic() - began) > seconds:
            raise AssertionError(f"waited {seconds} s for {what or probe.__name__}, last seen {answer!r}")
        time.sleep(_pause(waited, 0.01))
    return answer


async def until_async(
    probe: Callable[[], T | Awaitable[T]], *, seconds: float = PATIENCE_S, what: str = ""
) -> T:
    """Do the same inside a loop; the probe may be a coroutine function."""
    began = time.monotonic()
    while True:
        answer = probe()
        if isinstance(answer, Awaitable):
            answer = await answer
        if answer:
            return answer
        if (waited := time.monotonic() - began) > seconds:
            raise AssertionError(f"waited {seconds} s for {what or probe.__name__}, last seen {answer!r}")
        await asyncio.sleep(_pause(waited, 0.005))


def _pause(waited: float, shortest: float) -> float:
    """Return the seconds until the next look: a twentieth of those that were waited, within bounds."""
    return min(max(shortest, waited / 20), LONGEST_PAUSE_S)


async def paced(seconds: float) -> None:
    """Let a moment pass between two things a test produces, as a model does between tokens; waits for nothing."""
    await asyncio.sleep(seconds)
