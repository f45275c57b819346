"""The flusher of many writers: how many share a script, what a failure leaves marked, and what it forgets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from server.bus.log.entries import BusDown
from server.bus.log.log import AppendOutcome, Batch
from server.bus.writer import flusher as flusher_module
from server.bus.writer.flusher import Flusher
from server.tasks import Tasks
from tests.parts.wait import until_async


class Source:
    """A writer with one thing to write, or more."""

    def __init__(self, name: int) -> None:
        self.session_id = f"ses_{name}"
        self.answers: list[str] = []
        self.calls: list[str] = []
        self.left = 1
        self.breaks = False

    def batch(self) -> Batch | None:
        if not self.left:
            return None
        return Batch(("log", "meta"), self.session_id, 1, 1, "me", 1, [b"{}"], 0, False, False)

    def take_answer(self, batch: Batch, answer: AppendOutcome) -> bool:
        assert batch.incarnation == self.session_id
        self.answers.append(answer.word)
        if self.breaks:
            raise RuntimeError("a bug")
        self.left -= 1
        return self.left > 0

    def verify(self) -> None:
        self.calls.append("verify")

    def drop_excess(self) -> None:
        self.calls.append("drop_excess")

    def fence_off(self) -> None:
        self.calls.append("fence_off")


class Store:
    """A log that fails as often as the test says."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.failures = 0
        self.pings = 0

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise BusDown

    async def append(self, batches: Sequence[Batch]) -> list[AppendOutcome]:
        self.sizes.append(len(batches))
        self._fail()
        return [AppendOutcome("OK", 1) for _ in batches]

    async def ping(self) -> None:
        self.pings += 1
        self._fail()


class Rig:
    """A flusher over a log of the test's own, which runs."""

    def __init__(self, window_s: float = 0.0) -> None:
        self.store, self.changes, self.tasks = Store(), list[bool](), Tasks()
        store: Any = self.store
        self.flusher = Flusher(store, window_s, self.changes.append)

    def add(self, count: int) -> list[Source]:
        sources = [Source(each) for each in range(count)]
        for each in sources:
            self.flusher.add(each)
        return sources


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    monkeypatch.setattr(flusher_module, "RETRY_FIRST_S", 0.001)
    rig = Rig()
    rig.tasks.spawn(rig.flusher.run(), name="flusher")
    yield rig
    await rig.tasks.aclose()


async def test_many_sessions_are_written_in_several_scripts_and_nothing_stays_marked(rig: Rig) -> None:
    assert rig.flusher.flushes == 0
    sources = rig.add(300)
    sources[0].left = 2
    for each in sources:
        rig.flusher.mark(each)
    assert rig.flusher.unflushed_writers == 300
    await until_async(lambda: len(sources[0].answers) == 2 and all(each.answers for each in sources))
    assert rig.flusher.unflushed_writers == 0
    assert sum(rig.store.sizes) == 301
    assert max(rig.store.sizes) <= 128
    assert rig.flusher.flushes == len(rig.store.sizes)
    assert (rig.changes, rig.store.pings) == ([], 0)


async def test_a_flush_that_fails_is_tried_again_for_all_but_those_that_left(rig: Rig) -> None:
    sources = rig.add(200)
    gone = sources[-1]
    rig.store.failures = 2
    before = asyncio.get_running_loop().time()

    since: list[float | None] = []

    def leave(down: bool) -> None:
        rig.changes.append(down)
        since.append(rig.flusher.down_since)
        if down:
            rig.flusher.remove(gone)

    rig.flusher._on_change = leave
    for each in sources:
        rig.flusher.mark(each)
    await until_async(lambda: all(each.answers for each in sources[:-1]), what="all to be written")
    assert since[0] is not None
    assert before <= since[0] <= asyncio.get_running_loop().time()
    assert (rig.changes, rig.flusher.down_since, gone.answers) == ([True, False], None, [])
    assert sources[0].calls == ["drop_excess", "drop_excess", "verify"]
    assert (rig.flusher.held_writers, rig.flusher.unflushed_writers) == (199, 0)
    assert rig.flusher._pauses.pause_s == flusher_module.RETRY_FIRST_S, "the next pause is a short one again"


async def test_of_a_writer_that_waits_and_leaves_nothing_is_held(rig: Rig) -> None:
    waits, _ = rig.add(2)
    rig.flusher.wait(waits, [])
    assert (rig.flusher.held_writers, rig.flusher.waiting_writers, rig.flusher.writing) == (2, 1, True)
    rig.flusher.remove(waits)
    assert (rig.flusher.held_writers, rig.flusher.waiting_writers, rig.flusher.writing) == (1, 0, True)


async def test_a_redis_that_is_away_is_asked_though_nothing_is_to_be_written(rig: Rig) -> None:
    rig.store.failures = 1
    rig.flusher.note_failure(7.0)
    rig.flusher.note_failure(8.0)
    assert rig.flusher.down_since == 7.0
    assert (rig.flusher.patience(1.0, 7.25), rig.flusher.patience(1.0, 9.0)) == (0.75, 0.0)
    await until_async(lambda: not rig.flusher.down, what="the answer")
    assert (rig.changes, rig.store.pings, rig.flusher.flushes) == ([True, False], 2, 0)
    assert rig.flusher.patience(1.0, 9.0) == 1.0


async def test_a_fault_of_one_writer_ends_that_one_alone(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    broken, fine = rig.add(2)
    broken.breaks = True
    for each in (broken, fine):
        rig.flusher.mark(each)
    await until_async(lambda: fine.answers, what="the other one's answer")
    assert (broken.calls, fine.calls) == (["fence_off"], [])
    assert [each.name for each in caplog.records] == ["server.bus.writer.flusher"]


async def test_a_log_that_does_not_answer_for_all_is_told_and_asked_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (source,) = rig.add(1)
    append = rig.store.append

    async def breaks_once(batches: Sequence[Batch]) -> list[AppendOutcome]:
        monkeypatch.setattr(rig.store, "append", append)
        return []

    monkeypatch.setattr(rig.store, "append", breaks_once)
    rig.flusher.mark(source)
    await until_async(lambda: source.answers, what="the second attempt")
    assert [each.message for each in caplog.records] == ["a flush failed"]
    assert caplog.records[0].exc_info is not None
    assert (rig.changes, source.calls) == ([], [])


async def test_the_first_writer_is_flushed_at_once_and_later_ones_share_a_window() -> None:
    rig = Rig(window_s=3600)
    rig.tasks.spawn(rig.flusher.run(), name="flusher")
    first, second, urgent = rig.add(3)
    rig.flusher.mark(first)
    await until_async(lambda: first.answers, what="the first")
    rig.flusher.mark(second)
    for _ in range(10):
        await asyncio.sleep(0)
    assert second.answers == []
    rig.flusher.mark(urgent, urgent=True)
    await until_async(lambda: urgent.answers, what="what does not wait")
    assert (second.answers, rig.store.sizes) == (["OK"], [1, 2])
    await rig.tasks.aclose()
