"""The hard deadline of a draining process: it exits in time even if a part does not answer."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable

CLOSING_S = 4.5
"""For what comes after the drain; with its default of 25 s the process is gone within 30, when a platform kills."""

log = logging.getLogger(__name__)


def leave_within(drain_s: float) -> None:
    """End this process so long after now, and what closing takes at most, whatever it then still waits for.

    What is left undone is what a crash leaves: leases run out, the database takes its transactions back.
    """
    asyncio.get_running_loop().call_later(drain_s + CLOSING_S, _leave)


def in_time(drain: Callable[[], Awaitable[None]], drain_s: float) -> Callable[[], Awaitable[None]]:
    """Return the same drain, with which the time of the process begins to run out."""

    async def drain_within() -> None:
        leave_within(drain_s)
        await drain()

    return drain_within


def _leave() -> None:
    log.warning("exit before everything was closed: a part does not answer")
    logging.shutdown()
    os._exit(0)
