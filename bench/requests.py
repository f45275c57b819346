"""`python -m bench.requests`: requests of services over REST, beside a plain Starlette and Agents SDK endpoint.

Both run at once and take turns, so what else the machine does is the same for both; a ratio is the median of the
rounds' own. BENCH_ROUNDS says how many rounds (4). It takes about two minutes.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import uvloop

from bench.caller import RestCaller
from bench.dialects import LoopwireDialect, PlainDialect
from bench.programs import LOAD_CORE, allow_many_sockets, loopwire, model, pin, start
from bench.report import conditions
from bench.target import Asked, Target, ask_all
from bench.tokens import percentile
from server.services import translator, value_estimation

REQUESTS, CONNECTIONS = 120, 8
SOCKETS, TOKENS, RATE, STARTS_S = 50, 400, 50, 1.0
CALLS, CALM_S, STORMS = 100, 2.0, 3
MOST_CPU, MOST_MOVED = 1.1, 2.0
MANY = "100000/1m"
OPEN = {"LOOPWIRE_OPEN_REQUESTS": "1", "LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": MANY}

Figures = dict[str, list[float]]
"""The values of all rounds, by figure."""

_CONTRACTS = [each.contract for each in (translator.service, value_estimation.service)]
WORK = {
    each.path.removeprefix("/loopos_ai_"): (each.path, json.dumps(each.example).encode())
    for each in _CONTRACTS
    if each is not None
}


def main() -> int:
    """Measure and print."""
    rounds = int(os.environ.get("BENCH_ROUNDS", "4"))
    allow_many_sockets()
    pin(os.getpid(), LOAD_CORE)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="loopwire-requests-") as folder, ExitStack() as stack:
        log = stack.enter_context(Path(folder, "log").open("wb+"))
        source = stack.enter_context(model(log, brain="bench.answers:answering"))
        plain = start(
            ["-m", "bench.plain_requests", "PORT"], {"OPENAI_BASE_URL": source.base_url}, path=None, log=log
        )
        stack.callback(plain.stop)
        ours = loopwire(source.base_url, folder, log, more=OPEN)
        stack.callback(ours.stop)
        targets = [
            Target("plain", PlainDialect(), plain, source),
            Target("loopwire", LoopwireDialect(), ours, source),
        ]
        found = uvloop.run(measure(targets, rounds))
    print(f"\n{conditions(rounds, time.monotonic() - began)}\n\n{table(found)}")
    return 1 if any(each.figures.faults for each in targets) else 0


async def measure(targets: Sequence[Target], rounds: int) -> dict[str, Figures]:
    """Let the servers take turns, first with the requests, then with sockets that stream beside them."""
    found: dict[str, Figures] = {each.name: defaultdict(list) for each in targets}
    for number in range(-1, rounds):
        for name, (path, body) in WORK.items():
            for target in targets if number % 2 else reversed(targets):
                told = await _answer(target, name, path, body)
                if number >= 0:  # The first of all lets everything happen once that happens once.
                    _tell(found[target.name], told)
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    for number in range(min(STORMS, rounds)):
        for target in targets if number % 2 else reversed(targets):
            _tell(found[target.name], await _storm(target))
            await target.close()
        print(f"sockets beside requests, round {number + 1}", file=sys.stderr)
    return found


def _tell(figures: Figures, told: dict[str, float]) -> None:
    for name, value in told.items():
        figures[name].append(value)


async def _answer(target: Target, name: str, path: str, body: bytes) -> dict[str, float]:
    """Ask over some connections, each one request after another."""
    callers = [await RestCaller.connect(target.program.port) for _ in range(CONNECTIONS)]
    took: list[float] = []

    async def ask_in_turn(caller: RestCaller) -> None:
        for _ in range(REQUESTS // CONNECTIONS):
            ms, answer = await caller.post(path, body)
            took.append(ms)
            assert json.loads(answer), "an answer is an object with fields"

    async def ask_everything() -> None:
        async with asyncio.TaskGroup() as group:
            for each in callers:
                group.create_task(ask_in_turn(each))

    began = time.monotonic()
    ended: list[float] = []

    async def work() -> None:
        await ask_everything()
        ended.append(time.monotonic())

    cost = await target.cost(work)
    for each in callers:
        each.close()
    return {
        f"{name}: CPU of a request, ms": cost.own_ns / len(took) / 1e6,
        f"{name}: Valkey's CPU besides, ms": cost.apart_ns / len(took) / 1e6,
        f"{name}: requests a second, {CONNECTIONS} connections": len(took) / (ended[0] - began),
        f"{name}: p50, ms": percentile(took, 0.5),
        f"{name}: p99, ms": percentile(took, 0.99),
    }


async def _storm(target: Target) -> dict[str, float]:
    """Let sockets stream, and ask many requests at once in the middle of it."""
    talks = await target.open(SOCKETS)
    callers = [await RestCaller.connect(target.program.port) for _ in range(CALLS)]
    path, body = WORK["translator"]
    asked: list[Asked] = []

    async def stream() -> None:
        asked.extend(await ask_all(target, talks, f"tokens={TOKENS} rate={RATE}", within_s=STARTS_S))

    async with asyncio.TaskGroup() as group:
        group.create_task(stream())
        await asyncio.sleep(2 * STARTS_S)
        calm = time.monotonic_ns()
        await asyncio.sleep(CALM_S)
        busy = time.monotonic_ns()
        await asyncio.gather(*(each.post(path, body) for each in callers))
        over = time.monotonic_ns()
    for each in callers:
        each.close()
    times = target.judge(asked, TOKENS).times
    before = percentile([(came - left) / 1e6 for left, came in times if calm <= left < busy], 0.99)
    beside = percentile([(came - left) / 1e6 for left, came in times if busy <= left < over], 0.99)
    return {
        f"{CALLS} calls at once beside {SOCKETS} streaming sockets: all answered, s": (over - busy) / 1e9,
        "p99 of a token before them, ms": before,
        "p99 of a token meanwhile, ms": beside,
        "the same, times that before": beside / before,
    }


def table(found: dict[str, Figures]) -> str:
    """Write all figures as a table, and what Loopwire wants of itself."""
    plain, ours = found["plain"], found["loopwire"]
    lines = ["| figure | plain | Loopwire | Loopwire / plain | goal |", "|---|---|---|---|---|"]
    for name, values in ours.items():
        ratios = [own / other for own, other in zip(values, plain[name], strict=True) if other]
        goal = "-"
        if "CPU of a request" in name:
            goal = f"<= {MOST_CPU} x: {'met' if median(ratios) <= MOST_CPU else 'missed'}"
        elif "times that before" in name:
            goal = f"<= {MOST_MOVED}: {'met' if median(values) <= MOST_MOVED else 'missed'}"
        lines.append(f"| {name} | {_spread(plain[name])} | {_spread(values)} | {_spread(ratios)} | {goal} |")
    return "\n".join(lines)


def _spread(values: Sequence[float]) -> str:
    if not any(values):
        return "-"
    return f"{median(values):.3g} [{min(values):.3g}-{max(values):.3g}]"


if __name__ == "__main__":
    sys.exit(main())
