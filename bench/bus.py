"""`python -m bench.bus`: what the log costs a token beside local delivery, at the paced load, in interleaved rounds.

Forty writers append a delta every 20 ms, each at a moment of its own; a watcher of each is told at once. That is done
without appending (the load itself), with the flusher left out (local delivery), and as it is.
"""

import asyncio
import os
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import uvloop

from bench.programs import LOAD_CORE, SERVER_CORE, cpu_ns, pin
from server.bus import Bus, EmbeddedValkey, Entry, Writer
from server.protocol import events

SESSIONS, RATE, SECONDS = 40, 50, 4.0
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

    def dropped(self) -> None:
        """So would a failure."""
        raise AssertionError("dropped")


class Nowhere:
    """Stands where the flusher stands, and writes nothing."""

    def mark(self, writer: Writer, *, urgent: bool = False) -> None:
        """Forget what was appended: it is shown already."""
        writer._tail.clear()


async def main() -> int:
    """Measure and print."""
    rounds = int(os.environ.get("BENCH_ROUNDS", "3"))
    with tempfile.TemporaryDirectory(prefix="loopwire-bus-") as folder:
        valkey = EmbeddedValkey(Path(folder))
        bus = Bus(valkey.start())
        try:
            pin(os.getpid(), SERVER_CORE)
            assert valkey.pid is not None
            pin(valkey.pid, LOAD_CORE)
            await bus.start()
            found = [await _round(bus, valkey.pid) for _ in range(rounds)]
        finally:
            await bus.aclose()
            await asyncio.to_thread(valkey.stop)
    own = [one["bus"][0] - one["local"][0] for one in found]
    apart = [one["bus"][1] for one in found]
    local = [one["local"][0] - one["load"][0] for one in found]
    print(f"local delivery of a token: {_spread(local)} us")
    print(f"the bus beside it: {_spread(own)} us (goal {GOAL_US}: {_verdict(own, GOAL_US)})")
    print(f"Valkey: {_spread(apart)} us (goal {VALKEY_GOAL_US}: {_verdict(apart, VALKEY_GOAL_US)})")
    return 0


async def _round(bus: Bus, valkey: int) -> dict[str, tuple[float, float]]:
    """Each of the three once; CPU in us for each token, ours and Valkey's."""
    return {
        "load": await _paced(bus, valkey, lambda writer: None),
        "local": await _paced(bus, valkey, _append, nowhere=True),
        "bus": await _paced(bus, valkey, _append),
    }


def _append(writer: Writer) -> None:
    writer.append(events.text_content("msg_0123456789abcdef", TEXT))


async def _paced(
    bus: Bus, valkey: int, append: Callable[[Writer], None], *, nowhere: bool = False
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

    def tick(writer: Writer, number: int, began: float) -> None:
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
            writer._flusher = bus._flusher
        await writer.aclose()
    tokens = SESSIONS * count * 1e3
    return (after[0] - before[0]) / tokens, (after[1] - before[1]) / tokens


def _spread(values: Sequence[float]) -> str:
    return f"{median(values):.1f} [{min(values):.1f}-{max(values):.1f}]"


def _verdict(values: Sequence[float], goal: float) -> str:
    return "met" if median(values) <= goal else "missed"


if __name__ == "__main__":
    sys.exit(uvloop.run(main()))
