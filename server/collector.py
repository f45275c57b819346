"""When Python looks for garbage: among young objects as always, among the old ones while nothing streams."""

import asyncio
import gc
import logging
import time
from typing import Protocol

from server.tasks import Tasks

YOUNG, MIDDLE, NEVER = 2_000, 10, 1_000_000
"""New objects until the youngest are looked at (a fraction of a millisecond); such looks until the next older ones are;
and of those until all are, which this module decides instead."""

LOOK_S = 0.5
BETWEEN_S = 5.0
"""Between two full collections there is at least this long, or one would follow every answer."""

AT_LATEST_S = 120.0
"""A server that never rests collects all the same: memory is finite."""

LONG_S = 0.05

log = logging.getLogger(__name__)


class Stream(Protocol):
    """What the collector must not stop."""

    @property
    def writing(self) -> bool:
        """Is a run writing here?"""
        ...

    @property
    def delivered(self) -> int:
        """How many batches of events came in here so far."""
        ...


class Collector:
    """One per process: a full collection takes the longer the more sessions are alive, and holds up all of them.

    Acquired by `start`, released by `aclose`, which gives Python its own schedule back.
    """

    def __init__(self, stream: Stream) -> None:
        """Watch what streams."""
        self._stream = stream
        self._tasks = Tasks()
        self._seen = 0
        self._last = time.monotonic()
        self._before = gc.get_threshold()

    def start(self) -> None:
        """Take over."""
        self._before = gc.get_threshold()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)
        self._tasks.spawn(self._run(), name="collector")

    async def aclose(self) -> None:
        """Give back."""
        gc.set_threshold(*self._before)
        await self._tasks.aclose()

    def look(self, now: float) -> bool:
        """Collect everything if it is time; says whether it was."""
        delivered = self._stream.delivered
        streams = self._stream.writing or delivered != self._seen
        self._seen = delivered
        grown = gc.get_count()[2] > 0
        if not grown or now - self._last < (AT_LATEST_S if streams else BETWEEN_S):
            return False
        began = time.monotonic()
        found = gc.collect()
        took = time.monotonic() - began
        self._last = now
        log.log(
            logging.INFO if took > LONG_S else logging.DEBUG, "collected %d in %.0f ms", found, took * 1e3
        )
        return True

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.look(time.monotonic())
