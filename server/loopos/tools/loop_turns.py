"""Turns of the event loop in work on many messages of a seller, so that nobody waits for all of it."""

import asyncio
import time

_TURN_S = 0.01


class LoopTurns:
    """The time since others last had a turn; ordinary work is done before it is up, and gives none."""

    def __init__(self) -> None:
        self._until = time.perf_counter() + _TURN_S

    async def give(self) -> None:
        """Give others a turn where this work has had the loop for 10 ms."""
        if time.perf_counter() > self._until:
            await asyncio.sleep(0)
            self._until = time.perf_counter() + _TURN_S
