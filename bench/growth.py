"""`python -m bench.growth [RUNS [MIB]]`: the memory of a server over so many runs (20,000), to see where it levels off.

MIB is its LOOPWIRE_CONVERSATION_CACHE_MB (64), what it keeps of conversations: with less it levels off sooner.

Conversations are begun all the time and left after ten turns, as visitors do. Memory is the server's resident memory
after every twentieth part of the runs, 0.1 s after its last one.
"""

import asyncio
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import uvloop

from bench.dialects import LoopwireDialect, Talk
from bench.programs import LOAD_CORE, allow_many_sockets, loopwire, model, pin
from bench.scenarios import warm
from bench.target import Target, ask

DEFAULTS = ["20000", "64"]
PARTS = 20
TURNS, AT_ONCE = 10, 8
"""Turns of a conversation, and conversations that go on at once: each says less than it may in ten seconds."""


def main() -> int:
    """Measure and print."""
    runs, cache = [*sys.argv[1:], *DEFAULTS[len(sys.argv) - 1 :]]
    allow_many_sockets()
    pin(os.getpid(), LOAD_CORE)
    with tempfile.TemporaryDirectory(prefix="loopwire-growth-") as folder, ExitStack() as stack:
        log = stack.enter_context(Path(folder, "log").open("wb+"))
        source = stack.enter_context(model(log))
        program = loopwire(source.base_url, folder, log, more={"LOOPWIRE_CONVERSATION_CACHE_MB": cache})
        stack.callback(program.stop)
        target = Target("loopwire", LoopwireDialect(), program, source)
        uvloop.run(_grow(target, int(runs)))
    return 1 if target.figures.faults else 0


async def _grow(target: Target, runs: int) -> None:
    await warm(target)
    await target.close()
    began = before = target.program.resident_bytes()
    part = runs // PARTS
    for place in range(1, PARTS + 1):
        for _ in range(part // (TURNS * AT_ONCE)):
            await _talk(target)
        now = target.program.resident_bytes()
        done = part // (TURNS * AT_ONCE) * TURNS * AT_ONCE
        print(
            f"{place * done:,} runs: {now / 2**20:.1f} MiB, {(now - began) / 2**20:+.1f} since the start,"
            f" {(now - before) / done / 1024:+.2f} KiB a run in this part",
            flush=True,
        )
        before = now


async def _talk(target: Target) -> None:
    """Some conversations from their first message to their last."""
    talks = await target.open(AT_ONCE)

    async def one(talk: Talk) -> None:
        for _ in range(TURNS):
            wire, asked = await ask(target, talk, "tokens=100 rate=0")
            target.judge([(wire, asked)], 100)

    await asyncio.gather(*(one(each) for each in talks))
    await target.close()


if __name__ == "__main__":
    sys.exit(main())
