"""Garbage that only a full collection finds is found while nothing streams, and in the end all the same."""

import gc
import time
import weakref
from collections.abc import Iterator

import pytest

from server import garbage_collection as collecting
from server.garbage_collection import (
    BETWEEN_S,
    BUSY,
    EVERY,
    FROZEN,
    GROWN,
    MOST_GROWN,
    NEVER,
    QUIET_S,
    Collector,
    machine_bytes,
)
from tests.parts.sampled import later
from tests.parts.wait import until_async


class Streaming:
    """Something that may stream."""

    def __init__(self) -> None:
        self.writing = False
        self.delivered = 0

    def deliver(self, count: int) -> None:
        """Let batches in, as the bus does."""
        self.delivered += count


class Loop:
    """Garbage that refers to itself."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def _only_when_told() -> Iterator[None]:
    """Let nobody else collect meanwhile."""
    before = gc.get_threshold()
    yield
    gc.freeze()
    gc.set_threshold(*before)


def old_garbage() -> weakref.ref[Loop]:
    """Make garbage that has survived into the oldest generation."""
    loop = Loop()
    found = weakref.ref(loop)
    gc.collect(0)
    gc.collect(1)
    return found


def taken_over(stream: Streaming) -> Collector:
    gc.set_threshold(NEVER, NEVER, NEVER)
    return Collector(stream)


def test_old_garbage_is_collected_when_nothing_streams_but_not_after_every_answer() -> None:
    stream = Streaming()
    collector = taken_over(stream)
    now = time.monotonic()
    garbage = old_garbage()
    assert not collector.look(now)
    assert collector.look(now + BETWEEN_S + 1)
    assert garbage() is None


def kept_garbage(collector: Collector, now: float) -> weakref.ref[Loop]:
    """Make garbage of something that outlived a rest."""
    kept = Loop()
    found = weakref.ref(kept)
    old_garbage()
    assert collector.look(now + BETWEEN_S + 1)
    return found


class Memory:
    """The memory that the process is said to hold."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resident = self.frozen = 0
        self.used_s = 0.0
        monkeypatch.setattr(collecting, "frozen_objects", lambda: self.frozen)
        monkeypatch.setattr(collecting, "resident_bytes", lambda: self.resident)
        monkeypatch.setattr(collecting, "cpu_seconds", lambda: self.used_s)
        monkeypatch.setattr(collecting, "machine_bytes", lambda: 8 * MOST_GROWN)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    """As much as a test says."""
    return Memory(monkeypatch)


def test_the_collector_waits_for_streams_until_memory_has_grown_too_much(
    memory: Memory,
) -> None:
    stream = Streaming()
    collector = taken_over(stream)
    now = time.monotonic()
    garbage = old_garbage()
    stream.writing = True
    assert not collector.look(now + 1e6)
    stream.writing = False
    stream.delivered += 1
    assert not collector.look(now + 1e6)
    stream.writing = True
    memory.resident = MOST_GROWN
    assert not collector.look(now + 1e6)
    assert garbage() is not None
    memory.resident += 1
    assert collector.look(now + 1e6)
    assert garbage() is None
    assert not collector.look(now + 2e6)


@pytest.mark.conformance
def test_memory_of_a_quarter_of_a_small_machine_causes_a_collection(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "machine_bytes", lambda: 400 << 20)
    stream = Streaming()
    collector = taken_over(stream)
    old_garbage()
    stream.writing = True
    memory.resident = 100 << 20
    assert not collector.look(time.monotonic())
    memory.resident += 1
    assert collector.look(time.monotonic())


def test_machine_bytes_returns_a_plausible_size() -> None:
    assert 64 << 20 < machine_bytes() < 1 << 50


@pytest.mark.conformance
def test_frozen_objects_are_collected_when_the_process_has_grown(memory: Memory) -> None:
    collector = taken_over(Streaming())
    now = time.monotonic()
    kept = Loop()
    found = weakref.ref(kept)
    old_garbage()
    now += BETWEEN_S + 1
    assert collector.look(now)
    del kept
    old_garbage()
    memory.resident, memory.frozen = GROWN, FROZEN + 1
    now += BETWEEN_S + 1
    assert collector.look(now)
    assert found() is not None
    old_garbage()
    memory.resident += 1
    now += BETWEEN_S + 1
    assert collector.look(now)
    assert found() is None


def test_frozen_objects_are_not_collected_when_memory_grew_without_objects(memory: Memory) -> None:
    collector = taken_over(Streaming())
    now = time.monotonic()
    found = kept_garbage(collector, now)
    now += BETWEEN_S + 1
    for grown, frozen in [
        (GROWN + 1, FROZEN),
        (2 * GROWN + 1, FROZEN + 1),
    ]:  # The second time it does not count.
        memory.resident, memory.frozen = grown, frozen
        old_garbage()
        now += BETWEEN_S + 1
        assert collector.look(now)
        assert found() is not None
    old_garbage()
    memory.resident += 1
    assert collector.look(now + BETWEEN_S + 1)
    assert found() is None


@pytest.mark.parametrize(("rested", "thorough"), [(QUIET_S - 0.75, False), later(QUIET_S, True)])
def test_frozen_objects_are_collected_only_after_the_process_was_quiet(
    memory: Memory, rested: float, thorough: bool
) -> None:
    collector = taken_over(Streaming())
    collected = 1e6 + BETWEEN_S + 1
    found = kept_garbage(collector, 1e6)
    memory.resident, memory.frozen = GROWN + 1, FROZEN + 1
    old_garbage()
    busy = collected + BETWEEN_S - 1
    memory.used_s += 1
    assert not collector.look(busy)
    assert collector.look(busy + rested)
    assert (found() is None) == thorough


@pytest.mark.conformance
def test_a_process_that_uses_a_small_share_of_a_core_is_quiet(memory: Memory) -> None:
    collector = taken_over(Streaming())
    found = kept_garbage(collector, 1e6)
    memory.resident, memory.frozen = GROWN + 1, FROZEN + 1
    old_garbage()
    memory.used_s += BUSY * (BETWEEN_S + 1)
    assert collector.look(1e6 + 2 * (BETWEEN_S + 1))
    assert found() is None


def test_frozen_objects_are_collected_above_the_memory_limit(memory: Memory) -> None:
    collector = taken_over(Streaming())
    now = time.monotonic()
    found = kept_garbage(collector, now)
    old_garbage()
    memory.resident = MOST_GROWN + 1
    assert collector.look(now + 2 * BETWEEN_S + 1)
    assert found() is None


async def test_the_longest_pause_is_noted_while_something_streams() -> None:
    stream = Streaming()
    collector = Collector(stream)
    collector.start()
    try:
        gc.collect()
        assert collector.longest_s == 0
        stream.writing = True
        gc.collect()
        assert collector.longest_s > 0
    finally:
        await collector.aclose()


def test_the_collector_does_nothing_when_nothing_has_grown() -> None:
    collector = taken_over(Streaming())
    gc.collect()
    assert not collector.look(time.monotonic() + BETWEEN_S + 1)


async def test_python_never_begins_a_full_collection_while_the_collector_is_there_and_does_after_it() -> None:
    before = gc.get_threshold()
    stream = Streaming()
    stream.writing = True
    full: list[int] = []

    def seen(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            full.append(1)

    collector = Collector(stream)
    collector.start()
    assert gc.get_threshold()[2] / 20 > 3 * 365 * 24 * 3600, "years, as each look at the young counts"
    gc.callbacks.append(seen)
    try:
        young = gc.get_stats()[1]["collections"]
        kept: list[list[int]] = []
        while gc.get_stats()[1]["collections"] < young + 30:
            kept.append([])
        assert full == []
    finally:
        gc.callbacks.remove(seen)
        await collector.aclose()
    assert gc.get_threshold() == before


async def test_a_started_collector_frees_old_garbage_periodically(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.garbage_collection.BETWEEN_S", 0.0)
    monkeypatch.setattr("server.garbage_collection.LOOK_S", 0.001)
    collector = Collector(Streaming())
    collector.start()
    try:
        garbage = old_garbage()
        await until_async(lambda: garbage() is None)
    finally:
        await collector.aclose()


def young_garbage() -> weakref.ref[Loop]:
    """Make garbage that no collection has seen."""
    return weakref.ref(Loop())


def test_young_objects_are_collected_after_a_number_of_events() -> None:
    stream = Streaming()
    collector = taken_over(stream)
    for _ in range(2):
        garbage = young_garbage()
        stream.deliver(EVERY - 1)
        collector.look_at_young()
        assert garbage() is not None
        stream.deliver(1)
        collector.look_at_young()
        assert garbage() is None


async def test_a_started_collector_frees_young_garbage_after_a_number_of_events(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.garbage_collection.LOOK_S", 0.001)
    stream = Streaming()
    collector = Collector(stream)
    collector.start()
    gc.set_threshold(NEVER, NEVER, NEVER)
    garbage = young_garbage()
    try:
        stream.deliver(EVERY)
        await until_async(lambda: garbage() is None)
    finally:
        await collector.aclose()
