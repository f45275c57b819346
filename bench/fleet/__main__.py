"""`python -m bench.fleet [NAME ...]`: two instances beside plain redis-py and raw RESP, in interleaved rounds.

A name is a scenario's (remote fanout storm soak) or a pair's (raw redis-py loopwire). BENCH_ROUNDS says how many
rounds (3); storm and soak take a minute each and are done in the first one only. Exits with 1 when a token was lost,
doubled or misordered.
"""

import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import uvloop

from bench.choice import Choice, chosen
from bench.fleet.dialects import PairDialect, RelayDialect, SessionDialect
from bench.fleet.figures import FIGURES
from bench.fleet.pair import Pair
from bench.fleet.parts import PAIR, Shared, instance, shared
from bench.fleet.scenarios import SCENARIOS, warm
from bench.programs import LOAD_CORE, Model, allow_many_sockets, model, pin
from bench.report import Round, conditions, summary, table
from bench.target import TROUBLE, first

LONG = {"storm", "soak"}


def main() -> int:
    """Measure and print."""
    count = int(os.environ.get("BENCH_ROUNDS", "3"))
    choice = chosen(sys.argv[1:], scenarios=list(SCENARIOS), servers=PAIR)
    allow_many_sockets()
    pin(os.getpid(), LOAD_CORE)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="loopwire-fleet-") as folder, ExitStack() as stack:
        log = stack.enter_context(Path(folder, "log").open("wb+"))
        parts, source = stack.enter_context(shared(folder)), stack.enter_context(model(log))
        rounds: list[Round] = []
        for _ in range(count):
            rounds.append(uvloop.run(measure(choice, not rounds, parts, source, folder, log)))
    lines = [
        conditions(count, time.monotonic() - began),
        table(rounds, PAIR, FIGURES),
        summary(rounds, FIGURES),
    ]
    print("\n" + "\n\n".join(lines))
    faults = sum(each.faults for one in rounds for each in one.values())
    print(f"Lost, doubled or misordered tokens: {faults}.")
    return 1 if faults else 0


async def measure(
    choice: Choice, is_first: bool, parts: Shared, source: Model, folder: str, log: IO[bytes]
) -> Round:
    """Measure one round: fresh pairs, and each scenario on each of them before the next scenario."""
    with ExitStack() as stack:
        pairs = []
        for name in choice.servers:
            one, other = (instance(name, number, parts, source.base_url, folder, log) for number in (1, 2))
            stack.callback(one.stop)
            stack.callback(other.stop)
            dialect: PairDialect = SessionDialect() if name == "loopwire" else RelayDialect()
            pairs.append(Pair(name, dialect, one, other, parts))
        for pair in pairs:
            await warm(pair)
            await pair.close()
        for name in choice.scenarios:
            for pair in pairs if is_first or name not in LONG else ():
                began = time.monotonic()
                await drive(pair, name)
                print(f"{name} of {pair.name}, {time.monotonic() - began:.1f} s", file=sys.stderr)
        return {each.name: each.figures for each in pairs}


async def drive(pair: Pair, name: str) -> None:
    """Run a scenario; a pair that refuses or hangs up has lost tokens, and the bench goes on."""
    try:
        await SCENARIOS[name](pair)
    except* TROUBLE as errors:
        print(f"{pair.name}: {name} failed: {first(errors)!r}")
        pair.figures.faults += 1
    finally:
        await pair.close()


if __name__ == "__main__":
    sys.exit(main())
