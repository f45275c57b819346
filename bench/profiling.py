"""`python -m bench.profiling [SCENARIO]`: where Loopwire's CPU goes, by function and by package.

A function's own share is the time in its own lines; its whole share counts what it calls too, as far as that is on the
same stack: what SQLAlchemy does in its greenlets stands under SQLAlchemy alone. Only the main thread is looked at.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterable
from contextlib import ExitStack
from pathlib import Path

import uvloop

from bench import scenarios
from bench.dialects import LoopwireDialect
from bench.profiled import Place
from bench.programs import LOAD_CORE, ROOT, allow_many_sockets, loopwire, model, pin
from bench.target import Target

MOST = int(os.environ.get("BENCH_FUNCTIONS", "10"))


def main() -> int:
    """Profile one scenario and print what is most expensive."""
    name = sys.argv[1] if len(sys.argv) > 1 else "paced"
    allow_many_sockets()
    pin(os.getpid(), LOAD_CORE)
    with tempfile.TemporaryDirectory(prefix="loopwire-profile-") as folder, ExitStack() as stack:
        log = stack.enter_context(Path(folder, "log").open("wb+"))
        source = stack.enter_context(model(log))
        out = Path(folder, "profile")
        program = loopwire(source.base_url, folder, log, entry=["-m", "bench.profiled", str(out)])
        stack.callback(program.stop)
        uvloop.run(_drive(Target("loopwire", LoopwireDialect(), program, source), name, out))
        stacks = [[_place(each) for each in json.loads(line)] for line in out.read_text().splitlines()]
    print(f"\n{name}: {len(stacks)} samples")
    _table("its own lines", len(stacks), (_shown(stack[0]) for stack in stacks))
    ours = ({_shown(each) for each in stack if _ours(each)} for stack in stacks)
    _table("Loopwire's function, with what it calls", len(stacks), (each for found in ours for each in found))
    _table("package, its own lines", len(stacks), (_package(stack[0]) for stack in stacks))
    among = ({_package(each) for each in stack} for stack in stacks)
    _table("package, with what it calls", len(stacks), (each for found in among for each in found))
    return 0


async def _drive(target: Target, name: str, out: Path) -> None:
    await scenarios.warm(target)
    await target.close()
    os.kill(target.program.process.pid, signal.SIGUSR1)
    await scenarios.SCENARIOS[name](target)
    os.kill(target.program.process.pid, signal.SIGUSR2)
    async with asyncio.timeout(30):
        while not out.exists():  # noqa: ASYNC110 - another process makes it.
            await asyncio.sleep(0.05)


def _table(what: str, total: int, found: Iterable[Hashable]) -> None:
    print(f"\n| share | {what} |\n|---|---|")
    for each, count in Counter(found).most_common(MOST):
        print(f"| {count / total:.1%} | {each} |")


def _place(raw: list[object]) -> Place:
    path, name, line = raw
    return str(path), str(name), int(str(line))


def _ours(place: Place) -> bool:
    return place[0].startswith(str(ROOT / "server"))


def _package(place: Place) -> str:
    if _ours(place):
        return "/".join(Path(place[0]).relative_to(ROOT).parts[:2]).removesuffix(".py")
    _, found, rest = place[0].rpartition("site-packages/")
    return rest.partition("/")[0] if found else "standard library"


def _shown(place: Place) -> str:
    path, name, line = place
    short = path.rpartition("site-packages/")[2].removeprefix(f"{ROOT}/")
    return f"`{name}` {short}:{line}"


if __name__ == "__main__":
    sys.exit(main())
