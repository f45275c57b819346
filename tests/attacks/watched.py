"""`python -m tests.attacks.watched serve`: Loopwire as it is, and a file beside its data with the stalls of its loop.

Each line of the file is one stall: when it ended, how late the loop was, how much of that its thread computed, how much
of it the machine gave its core to others (a busy machine makes every loop late), and where it was meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

import uvloop

from server.__main__ import main

FILE = "stalls"
BEAT_S = 0.01
LEAST_S = 0.03
"""A loop that is this late has not stalled."""

ASKED_S = 0.1
"""What has taken so long is asked where it is."""


@dataclass(frozen=True)
class Stall:
    """A time in which the loop of a server did nothing else."""

    at: float
    """When it ended, by the machine's monotonic clock."""
    late: float
    cpu: float
    waited: float
    """Seconds in which the thread could have gone on and had no core."""
    where: str = ""

    @property
    def own(self) -> float:
        """Return the seconds for which the loop itself is to blame: it computed, or it waited for something."""
        return self.late - self.waited


def stalls_of(data_dir: Path, since: float) -> list[Stall]:
    """Read the stalls of a watched server from a time on."""
    lines = (data_dir.parent / FILE).read_text().splitlines()
    return [each for each in (Stall(**json.loads(line)) for line in lines) if each.at >= since]


class Watch:
    """Beats in a loop and writes down when a beat came late."""

    def __init__(self, loop: asyncio.AbstractEventLoop, file: TextIO) -> None:
        """Watch this loop from its first turn on."""
        self._loop = loop
        self._file = file
        self._due = time.monotonic()
        self._cpu, self._waited = time.thread_time(), _waited()
        self._where = ""
        self._thread = threading.get_ident()
        self._over = threading.Event()
        loop.call_soon(self._beat)
        threading.Thread(target=self._ask, daemon=True).start()

    def close(self) -> None:
        """Watch no longer."""
        self._over.set()

    def _beat(self) -> None:
        if self._over.is_set():
            return
        now, cpu, waited = time.monotonic(), time.thread_time(), _waited()
        if now - self._due > LEAST_S:
            self._write(now, cpu, waited)
        self._due, self._where = now + BEAT_S, ""
        self._cpu, self._waited = cpu, waited
        self._loop.call_later(BEAT_S, self._beat)

    def _write(self, now: float, cpu: float, waited: float) -> None:
        stall = Stall(now, now - self._due, cpu - self._cpu, waited - self._waited, self._where)
        self._file.write(json.dumps(asdict(stall)) + "\n")
        self._file.flush()

    def _ask(self) -> None:
        """Look where the loop's thread is whenever a beat is missing for long; runs in a thread of its own."""
        while not self._over.wait(ASKED_S / 4):
            if time.monotonic() - self._due > ASKED_S and not self._where:
                frame = sys._current_frames().get(self._thread)
                calls = traceback.extract_stack(frame)[-6:] if frame is not None else []
                self._where = " < ".join(
                    f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in reversed(calls)
                )


def _waited() -> float:
    """Return the seconds that this thread has waited for a core so far, as Linux counts them (proc(5), `schedstat`)."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def watched_loop() -> asyncio.AbstractEventLoop:
    """Return the loop that a server asks for, with a watchdog."""
    loop = _new_event_loop()
    file = Path(os.environ["LOOPWIRE_DATA_DIR"]).parent / FILE
    Watch(loop, file.open("a"))
    return loop


_new_event_loop = uvloop.new_event_loop

if __name__ == "__main__":
    uvloop.new_event_loop = watched_loop
    sys.exit(main())
