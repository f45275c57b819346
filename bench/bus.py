"""`python -m bench.bus`: what the log costs a token beside local delivery, at the paced load, in interleaved rounds.

Forty writers append a delta every 20 ms, each at a moment of its own; a watcher of each is told at once. That is done
without appending (the load itself), with the flusher left out (local delivery), and as it is, in the window of a lone
process and in that of several.
"""

import asyncio
import os
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import uvloop

from bench.programs import LOAD_CORE, SERVER_CORE, cpu_ns, pin
from server.bus import Bus, EmbeddedValkey, Entry, LogWriter
from server.protocol import events

SESSIONS, RATE, SECONDS = 40, 50, 1.5
REPEATS = 3
"""Short and often: what else the machine does is the same for neighbours."""
ALONE_MS, SEVERAL_MS = 50, 20
"""The windows over the embedded Redis and over `REDIS_URL`."""
GOAL_US, VALKEY_GOAL_US = 15, 25
TEXT = "1763780000000000000 "


class Watcher:
    """Somebody who follows a session and does nothing about it."""

    def __init__(self) -> None:
        """Have seen nothing."""
        self.seen = 0

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Count."""
        self.seen += len(entries)

    def control(self, frame: bytes) -> None:
        """Ignore."""

    def resync(self) -> None:
        """A lost position would be a fault of the bench."""
        raise AssertionError("resync")

    def drop(self) -> None:
        """So would a failure."""
        raise AssertionError("dropped")


class Nowhere:
    """Stands where the flusher stands, and writes nothing."""

    def mark(self, writer: LogWriter, *, urgent: bool = False) -> None:
        """Forget what was appended: it is shown already."""
        writer.cursor.tail.clear()


async def main() -> int:
    """Measure and print."""
    rounds = int(os.environ.get("BENCH_ROUNDS", "3")) * REPEATS
    with tempfile.TemporaryDirectory(prefix="loopwire-bus-") as folder, ExitStack() as stack:
        valkey = EmbeddedValkey(Path(folder))
        url = valkey.start()
        stack.callback(valkey.stop)
        pin(os.getpid(), SERVER_CORE)
        assert valkey.pid is not None
        pin(valkey.pid, LOAD_CORE)
        found = [await _costs(url, valkey.pid) for _ in range(rounds)]
    for name, goal in zip(found[0], (None, GOAL_US, VALKEY_GOAL_US, GOAL_US, VALKEY_GOAL_US), strict=True):
        print(f"{name}: {_told([one[name] for one in found], goal)}")
    return 0


async def _costs(url: str, valkey: int) -> dict[str, float]:
    """Measure one round: us of CPU for each token, by name."""
    found: dict[str, float] = {}
    for window_ms in (ALONE_MS, SEVERAL_MS):
        bus = Bus(url, flush_ms=window_ms)
        await bus.start()
        try:
            load, _ = await _paced(bus, valkey, lambda writer: None)
            local, _ = await _paced(bus, valkey, _append, nowhere=True)
            whole, apart = await _paced(bus, valkey, _append)
        finally:
            await bus.aclose()
        found.setdefault("local delivery of a token", local - load)
        found[f"the bus beside it, window of {window_ms} ms"] = whole - local
        found[f"Valkey, window of {window_ms} ms"] = apart
    return found


def _append(writer: LogWriter) -> None:
    writer.append(events.text_content("msg_0123456789abcdef", TEXT))


async def _paced(
    bus: Bus, valkey: int, append: Callable[[LogWriter], None], *, nowhere: bool = False
) -> tuple[float, float]:
    writers, watcher = [], Watcher()
    for _ in range(SESSIONS):
        session_id = f"ses_{secrets.token_hex(8)}"
        await bus.hub.watch(session_id, watcher)
        writers.append(await bus.writer(session_id, fence=1, floor=0))
        if nowhere:
            writers[-1]._flusher = Nowhere()  # type: ignore[assignment]  # All that a delta asks of it.
    loop = asyncio.get_running_loop()
    count = round(SECONDS * RATE)
    done = loop.create_future()
    left = SESSIONS * count

    def tick(writer: LogWriter, number: int, began: float) -> None:
        nonlocal left
        append(writer)
        left -= 1
        if number < count:
            loop.call_at(began + number / RATE, tick, writer, number + 1, began)
        elif not left:
            done.set_result(None)

    before = time.process_time_ns(), cpu_ns(valkey)
    for writer in writers:
        began = loop.time() + random.random() / RATE
        loop.call_at(began, tick, writer, 1, began)
    await done
    after = time.process_time_ns(), cpu_ns(valkey)
    for writer in writers:
        bus.hub.unwatch(writer.session_id, watcher)
        if nowhere:
            # Nobody has to wait for the rest.
            writer._flusher, writer.cursor.acked = bus.flusher, writer.seq
        await writer.aclose()
    tokens = SESSIONS * count * 1e3
    return (after[0] - before[0]) / tokens, (after[1] - before[1]) / tokens


def _told(values: Sequence[float], goal: float | None) -> str:
    middle = median(values)
    told = f"{middle:.1f} [{min(values):.1f}-{max(values):.1f}] us"
    if goal is None:
        return told
    return f"{told} (goal {goal:g}: {'met' if middle <= goal else 'missed'})"


if __name__ == "__main__":
    sys.exit(uvloop.run(main()))
