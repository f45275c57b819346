"""`python -m bench [NAME ...]`: Loopwire beside the floor and the plain way, in interleaved rounds of one run.

A name is a scenario's or a server's (floor plain loopwire); of the kind that is not named, all. BENCH_ROUNDS says how
many rounds (3); BENCH_REALTIME=1 gives the measured processes priority over everything else. Exits with 1 when any
server lost, doubled or misordered a token.
"""

import gc
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import uvloop

from bench.choice import Choice, chosen
from bench.dialects import Dialect, FloorDialect, LoopwireDialect, PlainDialect
from bench.figures import PAGE, PAUSE, READY, READY_CPU, READY_MEMORY, Figures
from bench.programs import LOAD_CORE, Model, Program, allow_many_sockets, loopwire, model, pin, start
from bench.report import SERVERS, Round, conditions, summary, table
from bench.scenarios import ONCE, OWN, SCENARIOS, warm
from bench.target import TROUBLE, Target, first

_PAUSE = re.compile(rb"the longest pause for garbage while something streamed: ([\d.]+) ms")

DIALECTS: dict[str, Callable[[], Dialect]] = {
    "floor": FloorDialect,
    "plain": PlainDialect,
    "loopwire": LoopwireDialect,
}


def main() -> int:
    """Measure and print."""
    count = int(os.environ.get("BENCH_ROUNDS", "3"))
    choice = chosen(sys.argv[1:], scenarios=list(SCENARIOS), servers=SERVERS)
    allow_many_sockets()
    pin(os.getpid(), LOAD_CORE)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="loopwire-bench-") as folder, ExitStack() as stack:
        log = stack.enter_context(Path(folder, "log").open("wb+"))
        source = stack.enter_context(model(log))
        if "loopwire" in choice.servers:
            loopwire(
                source.base_url, folder, log
            ).stop()  # The first start makes the database; it is not measured.
        rounds: list[Round] = []
        for _ in range(count):
            rounds.append(uvloop.run(measure(choice, rounds, source, folder, log)))
        warnings = _warnings(log)
    print(f"\n{conditions(count, time.monotonic() - began)}\n\n{table(rounds)}\n\n{summary(rounds)}")
    faults = sum(each.faults for one in rounds for each in one.values())
    print(f"Lost, doubled or misordered tokens: {faults}. Warnings in Loopwire's log: {warnings}.")
    return 1 if faults else 0


async def measure(choice: Choice, rounds: list[Round], source: Model, folder: str, log: IO[bytes]) -> Round:
    """Measure one more round: fresh processes, and each scenario on each of them before the next scenario."""
    number = len(rounds)
    begins = log.seek(0, os.SEEK_END)
    with started(choice, rounds, source, folder, log) as targets:
        turn = number % len(targets)
        turned = targets[turn:] + targets[:turn]
        for target in turned:
            await _drive(target, warm)
        for name in choice.scenarios:
            alone = name in OWN or (name in ONCE and rounds)
            for target in (each for each in turned if each.name == "loopwire" or not alone):
                began = time.monotonic()
                await _drive(target, SCENARIOS[name])
                took = time.monotonic() - began
                print(f"round {number + 1}: {name} of {target.name}, {took:.1f} s", file=sys.stderr)
    found = {each.name: each.figures for each in targets}
    if "loopwire" in found:
        found["loopwire"].tell(PAUSE, _longest_pause(log, begins))
    return found


def _longest_pause(log: IO[bytes], begins: int) -> float:
    """Return the longest pause that Loopwire logged when it was stopped, in ms: one value for all scenarios of this
    round.
    """
    log.seek(begins)
    told = [each for each in map(_PAUSE.search, log) if each is not None]
    log.seek(0, os.SEEK_END)
    return float(told[-1][1])


async def _drive(target: Target, scenario: Callable[[Target], Awaitable[None]]) -> None:
    """Run a scenario; a server that refuses or hangs up has lost tokens, and the bench goes on."""
    gc.collect()
    gc.disable()
    try:
        await scenario(target)
    except* TROUBLE as errors:
        print(f"{target.name}: {scenario.__name__} failed: {first(errors)!r}")
        target.figures.faults += 1
    finally:
        gc.enable()
        await target.close()


@contextmanager
def started(
    choice: Choice, rounds: list[Round], source: Model, folder: str, log: IO[bytes]
) -> Iterator[list[Target]]:
    """Yield the servers, one after the other; what their start costs is the first figure."""
    with ExitStack() as stack:
        targets = []
        for name in choice.servers:
            program = _start(name, source.base_url, folder, log)
            stack.callback(program.stop)
            target = Target(
                name, DIALECTS[name](), program, source, rounds[-1][name] if rounds else Figures()
            )
            if program.page_s is not None:
                target.figures.tell(PAGE, program.page_s)
            target.figures.tell(READY, program.ready_s)
            target.figures.tell(READY_CPU, program.ready_cpu_ns / 1e9)
            target.figures.tell(READY_MEMORY, program.resident_bytes() / 2**20)
            targets.append(target)
        yield targets


def _start(name: str, base_url: str, folder: str, log: IO[bytes]) -> Program:
    if name == "loopwire":
        return loopwire(base_url, folder, log)
    return start(["-m", f"bench.{name}", "PORT"], {"OPENAI_BASE_URL": base_url}, path=None, log=log)


def _warnings(log: IO[bytes]) -> int:
    """Count what Loopwire complained about, and show it."""
    log.seek(0)
    found = [line for line in log if b'"level": "WARNING"' in line or b'"level": "ERROR"' in line]
    for line in found[:10]:
        print(line.decode().rstrip(), file=sys.stderr)
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
