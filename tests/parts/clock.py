"""An event loop whose clock jumps: instead of waiting it sets the clock to the next timer.

Sockets work in it where both ends are in this loop: what one end wrote is read before the clock jumps.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

GRACE_S = 0.05
"""What a socket of this process wrote can be read at its other end by then."""


class _JumpingSelector(selectors.DefaultSelector):
    """Adds a wait to the clock of its loop in place of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        has_sockets = len(self.get_map()) > 1  # One is the loop's own.
        if ready := super().select(GRACE_S if has_sockets and timeout != 0 else 0):
            return ready
        if timeout is None:
            raise AssertionError("nothing is scheduled any more: this test would wait for ever")
        self.now += max(0.0, timeout)
        return []


class _JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on the clock of its selector."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


async def jump(seconds: float) -> None:
    """Let so many seconds pass on a clock that jumps, and what is due in them happen."""
    assert isinstance(asyncio.get_running_loop(), _JumpingLoop), "this clock does not jump: wait for a state"
    await asyncio.sleep(seconds)


def run_at_once(coro: Coroutine[Any, Any, T]) -> T:
    """Run what only sleeps and waits for timers; `loop.time()` tells what it would have taken, in seconds from 0."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(coro)
