"""`python -m tests.attacks --minutes 60 --seed 7`: every attack in turn, until the time is over."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import time

import psutil

from tests.attacks.attack import Attack, attacks
from tests.attacks.trial import MIB, MOST_GROWTH, Bounds, Verdict, attackable, trials
from tests.parts.server import Served


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=0, help="0, the default, is once through all of them"
    )
    parser.add_argument("--seed", type=int, help="what is generated; a new one without it")
    parser.add_argument("--only", default="", help="only attacks whose name begins so")
    parser.add_argument("--seconds", type=float, help="how long each lasts, instead of its own time")
    parser.add_argument(
        "--wait", type=float, default=Bounds.wait_s, help="seconds that nobody may wait longer"
    )
    parser.add_argument(
        "--p99", type=float, default=Bounds.p99_s, help="seconds that 99 of 100 requests may wait longer"
    )
    parser.add_argument(
        "--stall", type=float, default=Bounds.stall_s, help="seconds that the loop may compute"
    )
    return parser.parse_args()


def main() -> int:
    """Run them; 1 when something did not hold."""
    asked = arguments()
    seed = secrets.randbelow(100_000) if asked.seed is None else asked.seed
    chosen = [each for each in attacks() if each.name.startswith(asked.only)]
    until, broken, turn = time.monotonic() + asked.minutes * 60, 0, 0
    _say(f"seed {seed}, {len(chosen)} attacks: {', '.join(each.name for each in chosen)}")
    with attackable() as running:
        process, first = psutil.Process(running.process.pid), 0
        while turn == 0 or time.monotonic() < until:
            for kind in chosen:
                verdict = asyncio.run(try_attack(kind, running, asked, seed + turn))
                _say(str(verdict))
                broken += bool(verdict.broken)
                if turn and time.monotonic() > until:
                    break
            first = first or process.memory_info().rss
            turn += 1
            _say(f"turn {turn} of all attacks: {process.memory_info().rss / MIB:.0f} MiB of memory")
        grown = process.memory_info().rss - first
        _say(f"memory since the first turn of all attacks: {grown / MIB:+.0f} MiB")
        broken += grown > MOST_GROWTH
    _say(f"seed {seed}: {broken} did not hold")
    return 1 if broken else 0


async def try_attack(kind: type[Attack], served: Served, asked: argparse.Namespace, seed: int) -> Verdict:
    """Attack while people talk who came just before."""
    async with trials(served, Bounds(asked.wait, asked.p99, asked.stall)) as trying:
        verdict = await trying.run(kind, seed=seed, seconds=asked.seconds or kind.seconds)
    verdict.broken += trying.complaints()
    return verdict


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
