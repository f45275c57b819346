"""When Python looks for garbage: among young objects as always, among the old ones while nothing streams."""

import asyncio
import gc
import logging
import resource
import time
from pathlib import Path
from typing import Protocol

from server.tasks import Tasks

YOUNG, MIDDLE, NEVER = 1_000, 3, 1_000_000
"""New objects until the youngest are looked at (a fraction of a millisecond); such looks until the next older ones are;
and of those until all are, which this module decides instead."""

LOOK_S = 0.5
BETWEEN_S = 5.0
"""Between two full collections there is at least this long, or one would follow every answer."""

MOST_GROWN = 256 << 20
"""Bytes by which a server that never rests may grow before it collects all the same: memory is finite. A run leaves
nothing that refers to itself, so what grows like this is mostly use, and happens once and not again."""

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

    It notes the longest that Python stood still for garbage of any age while something streamed, and logs it
    in the end.

    Acquired by `start`, released by `aclose`, which gives Python its own schedule back.
    """

    def __init__(self, stream: Stream) -> None:
        """Watch what streams."""
        self._stream = stream
        self._tasks = Tasks()
        self._seen = 0
        self._last = time.monotonic()
        self._before = gc.get_threshold()
        self._resident = resident_bytes()
        self._began = 0.0
        self.longest_s = 0.0
        """The longest pause so far while something streamed, by the clock of its thread: what else the machine did at
        that time is not the collector's."""

    def start(self) -> None:
        """Take over."""
        self._before = gc.get_threshold()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)
        gc.callbacks.append(self._paused)
        self._tasks.spawn(self._run(), name="collector")

    async def aclose(self) -> None:
        """Give back."""
        gc.set_threshold(*self._before)
        gc.callbacks.remove(self._paused)
        await self._tasks.aclose()
        log.info("the longest pause for garbage while something streamed: %.1f ms", self.longest_s * 1e3)

    def look(self, now: float) -> bool:
        """Collect everything if it is time; says whether it was."""
        delivered = self._stream.delivered
        streams = self._stream.writing or delivered != self._seen
        self._seen = delivered
        if gc.get_count()[2] == 0 or not self._due(streams, now):
            return False
        began = time.monotonic()
        found = gc.collect()
        took = time.monotonic() - began
        self._last, self._resident = now, resident_bytes()
        log.log(
            logging.INFO if took > LONG_S else logging.DEBUG, "collected %d in %.0f ms", found, took * 1e3
        )
        return True

    def _due(self, streams: bool, now: float) -> bool:
        if streams:
            return resident_bytes() - self._resident > MOST_GROWN
        return now - self._last >= BETWEEN_S

    def _paused(self, phase: str, _info: dict[str, int]) -> None:
        """Python begins or ends to look for garbage."""
        if phase == "start":
            self._began = time.thread_time()
        elif self._stream.writing:
            self.longest_s = max(self.longest_s, time.thread_time() - self._began)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.look(time.monotonic())


def resident_bytes() -> int:
    """Memory of this process, or the most it ever had where the system tells no more."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS tells bytes.
