"""A trial measures the stall of a loop with its place, and a wait that has not ended yet."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks.people import Waits, first_difference
from tests.attacks.watched import FILE, Stall, Watch, stalls_of
from tests.parts.wait import until_async

BUSY_S = 0.3


def compute() -> None:
    """Take the processor."""
    until = time.thread_time() + BUSY_S
    while time.thread_time() < until:
        pass


def block() -> None:
    """Wait in vain for a lock, as for a disk or a name server."""
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=BUSY_S)


@pytest.mark.parametrize("stop", [compute, block])
async def test_a_stall_is_told_with_its_own_time_and_its_place(
    tmp_path: Path, stop: Callable[[], None]
) -> None:
    began = time.monotonic()
    with (tmp_path / FILE).open("a") as file:
        watch = Watch(asyncio.get_running_loop(), file)
        stop()

        def told() -> list[Stall]:
            return [each for each in stalls_of(tmp_path / "data", began) if each.own >= BUSY_S / 2]

        (stall,) = await until_async(told)
        watch.close()
    assert stall.late >= stall.own
    assert stop.__name__ in stall.where
    assert (stall.cpu >= BUSY_S / 2) is (stop is compute)
    assert stalls_of(tmp_path / "data", time.monotonic() + 1) == []


def test_the_worst_wait_includes_a_wait_that_has_not_ended() -> None:
    waits = Waits()
    with waits.waiting():
        pass
    assert len(waits.times) == 1 and waits.since is None
    waits.since = time.monotonic() - 5
    assert waits.worst >= 5
    waits.forget()
    assert waits.times == [] and waits.worst < 5
    waits.since -= 5  # type: ignore[operator]
    assert waits.worst >= 5


def test_the_first_difference_names_its_place_and_both_messages() -> None:
    assert first_difference([{"id": "1"}], [{"id": "1"}]) == ""
    told = first_difference([{"id": "1"}, {"id": "2"}], [{"id": "1"}])
    assert told == 'of 2 stored and 1 seen, number 1 is stored as {"id": "2"} and seen as null'
    assert "number 0" in first_difference([], [{"id": "1"}])
