"""The schedule of Python's garbage collector: young objects often, old ones only while nothing streams."""

import asyncio
import gc
import logging
import os
import resource
import time
from pathlib import Path
from typing import Protocol

from server.tasks import Tasks

YOUNG, MIDDLE, NEVER = 1_000, 1, 2**31 - 1
"""New objects until the youngest are looked at (a fraction of a millisecond); such looks until the next older ones are;
and of those until all are, which this module decides instead."""

EVERY = 256
"""The young are also looked at after so many batches of events: Python counts what is new less what is freed, and with
hundreds of streams, which free as much as they make, there are tens of thousands before it begins."""

YOUNG_S = 0.01
"""Seconds between two counts of the batches while something streams: 256 in this time are 25,600 a second."""

LOOK_S = 0.5
BETWEEN_S = 5.0
"""Between two collections of the old there is at least this long, or one would follow every answer."""

GROWN = 64 << 20
"""Bytes by which a server has grown when, at rest, even what was kept before is looked at once more."""

FROZEN = 50_000
"""Objects by which what is kept has to have grown as well: the bytes of requests are memory, but hold nothing that
refers to itself, and a client that sends many must not buy a look at everything with them."""

BUSY, QUIET_S = 0.05, 2.0
"""A process that uses more than this share of a core answers requests, and that of two hundred thousand objects stops
it for 0.1 s and more. Everything is looked at after so many seconds below it."""

MOST_GROWN = 1 << 30
"""Bytes by which a server that never rests may grow, or a quarter of its machine, before everything is looked at all
the same: memory is finite. A run leaves nothing that refers to itself, so what grows like this is use."""

LONG_S = 0.05

log = logging.getLogger(__name__)


class WriterActivity(Protocol):
    """The activity that the collector must not interrupt."""

    @property
    def writing(self) -> bool:
        """Return whether a run writes in this process."""
        ...

    @property
    def delivered(self) -> int:
        """Return the number of batches of events that this process has received."""
        ...


class Collector:
    """One per process: a full collection takes the longer the more sessions are alive, and holds up all of them.

    So none is begun while something streams, and what was alive at one rest is not looked at in the next one: when it
    dies it is freed as always, and only what refers to itself waits until the process has grown.

    It notes the longest that Python stood still for garbage of any age while something streamed, and logs it
    in the end.

    Acquired by `start`, released by `aclose`, which gives Python its own schedule back.
    """

    def __init__(self, stream: WriterActivity) -> None:
        self._stream = stream
        self._tasks = Tasks()
        self._seen = 0
        self._collected = 0
        """Batches that had come when the young were looked at."""
        self._last = time.monotonic()
        self._looked = self._busy_at = self._last
        """The time of the last look, and the time at which the process was busy last."""
        self._used_s = cpu_seconds()
        self._before = gc.get_threshold()
        self._resident = resident_bytes()
        self._most = min(MOST_GROWN, machine_bytes() // 4)
        self._next = GROWN
        """Growth at which the objects are counted the next time."""
        self._frozen: int | None = None
        """The number of objects after the last full collection; unknown before the first one."""
        self._began = 0.0
        self._streams = False
        self.longest_s = 0.0
        """The longest pause so far while something streamed, by the clock of its thread: what else the machine did at
        that time is not the collector's."""

    def start(self) -> None:
        """Take over."""
        self._before = gc.get_threshold()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)
        gc.callbacks.append(self._on_pause)
        self._tasks.spawn(self._run(), name="collector")

    async def aclose(self) -> None:
        """Give back."""
        gc.set_threshold(*self._before)
        gc.callbacks.remove(self._on_pause)
        await self._tasks.aclose()
        log.info("the longest pause for garbage while something streamed: %.1f ms", self.longest_s * 1e3)

    def look(self, now: float) -> bool:
        """Collect the oldest generation if it is time; return whether it was."""
        delivered = self._stream.delivered
        streams = self._streams = self._stream.writing or delivered != self._seen
        self._seen = delivered
        quiet = self._has_been_quiet(now) and not streams
        if gc.get_count()[2] == 0 or (not streams and now - self._last < BETWEEN_S):
            return False
        grown = resident_bytes() - self._resident
        thorough = grown > self._most or (quiet and self._keeps_more(grown))
        if streams and not thorough:
            return False
        began = time.monotonic()
        if thorough:
            gc.unfreeze()
        found = gc.collect()
        gc.freeze()
        took = time.monotonic() - began
        self._last = now
        if thorough:
            self._resident, self._next = resident_bytes(), GROWN
        if thorough or self._frozen is None:
            self._frozen = frozen_objects()
        log.log(
            logging.INFO if took > LONG_S else logging.DEBUG, "collected %d in %.0f ms", found, took * 1e3
        )
        return True

    def look_at_young(self) -> None:
        """Collect what is young after so many batches."""
        if self._stream.delivered - self._collected >= EVERY:
            self._collected = self._stream.delivered
            gc.collect(1)

    def _has_been_quiet(self, now: float) -> bool:
        """Note whether the process was busy since the last look; return whether it was not for long enough."""
        used = cpu_seconds()
        if used - self._used_s > BUSY * (now - self._looked):
            self._busy_at = now
        self._looked, self._used_s = now, used
        return now - self._busy_at >= QUIET_S

    def _keeps_more(self, grown: int) -> bool:
        """Return whether the kept objects have grown with the process.

        It takes a tenth of a look at everything to count it.
        """
        if grown <= self._next:
            return False
        if self._frozen is None or frozen_objects() - self._frozen > FROZEN:
            return True
        self._next = grown + GROWN
        return False

    def _on_pause(self, phase: str, _info: dict[str, int]) -> None:
        """Measure a collection: Python calls this at its begin and at its end."""
        if phase == "start":
            self._began = time.thread_time()
        elif self._streams or self._stream.writing:
            self.longest_s = max(self.longest_s, time.thread_time() - self._began)

    async def _run(self) -> None:
        looked = time.monotonic()
        while True:
            await asyncio.sleep(YOUNG_S if self._streams else LOOK_S)
            self.look_at_young()
            now = time.monotonic()
            if now - looked >= LOOK_S:
                looked = now
                self.look(now)


def frozen_objects() -> int:
    """Count what is kept."""
    return gc.get_freeze_count()


def cpu_seconds() -> float:
    """Read how long this process has computed."""
    return time.process_time()


def resident_bytes() -> int:
    """Return the memory of this process in bytes, or the most it ever had where the system tells no more."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS reports bytes.


def machine_bytes() -> int:
    """Return the memory of the machine in bytes, or of the container that is smaller."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(machine, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):  # No control groups, or "max".
        return machine
