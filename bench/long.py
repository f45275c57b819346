"""`python -m bench.long`: what a run and a cold join cost in long conversations, beside the same in young ones.

Conversations are begun over the wire, then their database gets the rows of many turns, and a fresh server goes on
with them, over sockets and over AG-UI. Young and long ones take turns, so what else the machine does is the same for
both. BENCH_ROUNDS says how often (3).
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import IO

import httpx2
import uvloop

from bench.agui import Caller
from bench.dialects import LoopwireDialect, Talk
from bench.programs import LOAD_CORE, Model, loopwire, model, pin
from bench.scenarios import warm
from bench.seeding import seed_all
from bench.target import Target, ask

YOUNG, PAGE, MIDDLE, LONG = 1, 25, 200, 1000
"""Turns that a conversation has already; after 25 there are as many messages as a snapshot shows."""
TALKS, RUNS_EACH = 4, 8
JOINS = 40
MOST_RUN, MOST_JOIN = 1.15, 1.25

CALLERS = {"the newest 100": 100, "all messages": None}
"""What callers over AG-UI send besides their new message; AG-UI's own client sends all that it has."""


ORIGIN = "https://shop.example"
ALLOWED = {"LOOPWIRE_ALLOWED_ORIGINS": ORIGIN}


class _Anywhere(LoopwireDialect):
    """A page of another origin: the same before and after the server's restart, which has another port."""

    origin = ORIGIN


def main() -> int:
    """Measure and print."""
    rounds = int(os.environ.get("BENCH_ROUNDS", "3"))
    pin(os.getpid(), LOAD_CORE)
    found: list[dict[str, float]] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="loopwire-long-") as folder, ExitStack() as stack:
            log = stack.enter_context(Path(folder, "log").open("wb+"))
            source = stack.enter_context(model(log))
            found.append(uvloop.run(_costs(source, folder, log)))
    for name in found[0]:
        values = [one[name] for one in found]
        print(f"{name}: {median(values):.3g} [{min(values):.3g}-{max(values):.3g}]")
    return 0


async def _costs(source: Model, folder: str, log: IO[bytes]) -> dict[str, float]:
    """Measure one round: CPU in ms, by name, and what is long as times of what is young."""
    kinds = [(turns, TALKS) for turns in (YOUNG, MIDDLE, LONG)]
    kinds += [(turns, JOINS) for turns in (YOUNG, PAGE, MIDDLE, LONG)]
    kinds += [(turns, TALKS) for _ in CALLERS for turns in (YOUNG, MIDDLE, LONG)]
    keys = await _begin_conversations(source, folder, log, kinds)
    seeded = [
        (session_id, turns) for (turns, _), some in zip(kinds, keys, strict=True) for session_id, _ in some
    ]
    await asyncio.to_thread(seed_all, Path(folder, "data"), seeded)
    program = loopwire(source.base_url, folder, log, more=ALLOWED)
    try:
        target = Target("loopwire", _Anywhere(), program, source)
        await warm(target)
        await target.close()
        found = await _runs(target, dict(zip((YOUNG, MIDDLE, LONG), keys[:3], strict=True)))
        await target.close()
        found |= await _joins(target, dict(zip((YOUNG, PAGE, MIDDLE, LONG), keys[3:7], strict=True)))
        await target.close()
        for place, (name, most) in enumerate(CALLERS.items()):
            some = keys[7 + 3 * place : 10 + 3 * place]
            found |= await _agui(target, dict(zip((YOUNG, MIDDLE, LONG), some, strict=True)), name, most)
    finally:
        program.stop()
    return found


Key = tuple[str, str]
"""A session and its resume token."""


async def _begin_conversations(
    source: Model, folder: str, log: IO[bytes], kinds: Sequence[tuple[int, int]]
) -> list[list[Key]]:
    """Begin conversations of each kind, and stop the server."""
    program = loopwire(source.base_url, folder, log, more=ALLOWED)
    try:
        dialect = _Anywhere()
        found = []
        for _, count in kinds:
            talks = await dialect.open(program.port, count)
            found.append([(each.session_id, each.key) for each in talks])
            for each in talks:
                each.wire.close()
        return found
    finally:
        program.stop()


async def _runs(target: Target, keys: dict[int, list[Key]]) -> dict[str, float]:
    """Answers of one token, in young and long conversations by turns; the first of each is not counted."""
    talks = {turns: [await _come(target, key) for _, key in some] for turns, some in keys.items()}
    spent = dict.fromkeys(talks, 0)

    async def all_of(turns: int) -> None:
        for talk in talks[turns]:
            wire, asked = await ask(target, talk, "tokens=1 rate=0")
            target.judge([(wire, asked)], 1)

    for talk in (each for some in talks.values() for each in some):
        # It has no log yet: its page gets a snapshot besides, and that has an end of a run too.
        await ask(target, talk, "tokens=1 rate=0")
    await asyncio.sleep(1)
    for _ in range(RUNS_EACH):
        for turns in talks:
            cost = await target.cost(partial(all_of, turns))
            spent[turns] += cost.own_ns
    cpu = {turns: ns / 1e6 / (RUNS_EACH * TALKS) for turns, ns in spent.items()}
    found = {f"CPU of a run, turn {turns:,}, ms": ms for turns, ms in cpu.items()}
    return found | {f"the same, turn {LONG:,} to turn {YOUNG}, x": cpu[LONG] / cpu[YOUNG]}


async def _joins(target: Target, keys: dict[int, list[Key]]) -> dict[str, float]:
    """First visits to conversations that neither the process nor Redis knows."""
    spent = dict.fromkeys(keys, 0)
    for place in range(JOINS):
        for turns, some in keys.items():
            cost = await target.cost(partial(_come, target, some[place][1]))
            spent[turns] += cost.own_ns
    cpu = {turns: ns / 1e6 / JOINS for turns, ns in spent.items()}
    found = {f"CPU of a cold join, {2 * turns:,} messages, ms": ms for turns, ms in cpu.items()}
    return found | {f"the same, {2 * LONG:,} messages to {2 * PAGE}, x": cpu[LONG] / cpu[PAGE]}


async def _agui(target: Target, keys: dict[int, list[Key]], name: str, most: int | None) -> dict[str, float]:
    """Return the same answers as in `_runs`, over AG-UI; the first brings the conversation and is not counted."""
    port, dialect = target.program.port, _Anywhere()
    spent = dict.fromkeys(keys, 0)
    async with httpx2.AsyncClient(cookies=None) as http:
        callers = {
            turns: [Caller(port, dialect.from_somewhere(port), key, most) for _, key in some]
            for turns, some in keys.items()
        }

        async def all_of(turns: int) -> None:
            for each in callers[turns]:
                assert await each.say(http, "tokens=1 rate=0"), "an answer has a text"

        for turns in callers:
            await all_of(turns)
        for _ in range(RUNS_EACH):
            for turns in callers:
                cost = await target.cost(partial(all_of, turns))
                spent[turns] += cost.own_ns
    cpu = {turns: ns / 1e6 / (RUNS_EACH * TALKS) for turns, ns in spent.items()}
    found = {f"CPU of a run over AG-UI, {name} sent, turn {turns:,}, ms": ms for turns, ms in cpu.items()}
    return found | {f"over AG-UI, {name} sent, turn {LONG:,} to turn {YOUNG}, x": cpu[LONG] / cpu[YOUNG]}


async def _come(target: Target, key: str) -> Talk:
    dialect = _Anywhere()
    headers = dialect.from_somewhere(target.program.port)
    wire = await dialect.hello(target.program.port, headers, resume_token=key)
    target.wires.append(wire)
    return Talk(wire, key)


if __name__ == "__main__":
    sys.exit(main())
