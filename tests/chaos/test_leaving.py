"""A process that was asked to leave has its time from the signal on, and none of it passes while it is frozen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chaos.faults import LONGEST_DRAIN_S
from tests.chaos.fleet import Instance
from tests.parts import process
from tests.parts.wait import until

POLITE = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
PROGRAM = "import signal, sys; {}; print('up', flush=True)\nwhile True: signal.pause()"

Living = Callable[[str], Instance]


@pytest.fixture
def living(tmp_path: Path) -> Iterator[Living]:
    """Yield a factory of instances whose process does this with SIGTERM."""
    made: list[Instance] = []

    def make(manners: str) -> Instance:
        log = tmp_path / f"log{len(made)}"
        running = process.start([sys.executable, "-c", PROGRAM.format(manners)], log=log)
        made.append(Instance("worker-1", {}, log, "", 0, None, {}, running=running))
        until(lambda: "up" in log.read_text(), what="the process to listen")
        return made[-1]

    yield make
    for each in made:
        each.kill()
        each.process.wait(60)


async def test_a_process_that_leaves_in_time_has_left(living: Living) -> None:
    polite = living(POLITE)
    polite.ask_to_leave()
    assert await polite.left(LONGEST_DRAIN_S) == 0


async def test_a_process_that_is_there_after_thirty_seconds_has_broken_the_promise(living: Living) -> None:
    stubborn = living(STUBBORN)
    stubborn.ask_to_leave()
    stubborn.asked_at -= LONGEST_DRAIN_S
    assert await stubborn.left(LONGEST_DRAIN_S) is None


async def test_the_leave_time_of_a_process_stops_while_it_is_frozen(living: Living) -> None:
    polite = living(POLITE)
    polite.freeze()
    polite.ask_to_leave()
    assert polite.frozen_at is not None
    polite.frozen_at -= 100
    polite.asked_at -= 100
    polite.thaw()
    assert await polite.left(LONGEST_DRAIN_S) == 0
    assert polite.stood_still_s > 99
