"""Garbage that only a full collection finds is found while nothing streams, and in the end all the same."""

import gc
import time
import weakref
from collections.abc import Iterator

import pytest

from server import collector as collecting
from server.collector import BETWEEN_S, MOST_GROWN, NEVER, Collector
from tests.parts.wait import until_async


class Streaming:
    """Something that may stream."""

    def __init__(self) -> None:
        self.writing = False
        self.delivered = 0


class Loop:
    """Garbage that refers to itself."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def _only_when_told() -> Iterator[None]:
    """Let nobody else collect meanwhile."""
    before = gc.get_threshold()
    yield
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


def test_nothing_is_collected_while_something_streams_however_long_until_memory_has_grown_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resident = 0
    monkeypatch.setattr(collecting, "resident_bytes", lambda: resident)
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
    resident = MOST_GROWN
    assert not collector.look(now + 1e6)
    assert garbage() is not None
    resident += 1
    assert collector.look(now + 1e6)
    assert garbage() is None
    assert not collector.look(now + 2e6)


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


def test_where_nothing_has_grown_nothing_is_looked_at() -> None:
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


async def test_it_looks_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.collector.BETWEEN_S", 0.0)
    monkeypatch.setattr("server.collector.LOOK_S", 0.001)
    collector = Collector(Streaming())
    collector.start()
    try:
        garbage = old_garbage()
        await until_async(lambda: garbage() is None)
    finally:
        await collector.aclose()
