"""The rows that a sweep closes and removes: a failing one does not delay the rest, and no query repeats without end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from server.errors import Fenced, Unavailable
from server.runs.execution import sweep as sweep_module
from server.runs.execution.sweep import MOST_ROUNDS, Sweep, expire_due, remove_old


class Interrupts:
    """Sessions in which something is due, and what becomes of an attempt to close it."""

    def __init__(self, **becomes: str | Exception | None) -> None:
        self.becomes: dict[str, str | Exception | None] = dict(becomes)
        self.asked: list[set[str]] = []
        self.closed: list[str] = []
        self.again = False

    async def due(self, but: Collection[str]) -> list[str]:
        self.asked.append(set(but))
        return [each for each in self.becomes if each not in but and (self.again or each not in self.closed)]

    async def expire(self, session_id: str) -> str | None:
        self.closed.append(session_id)
        found = self.becomes[session_id]
        if isinstance(found, Exception):
            raise found
        return found


async def expired(interrupts: Interrupts) -> bool:
    store: Any = SimpleNamespace(interrupts=interrupts)
    return await expire_due(store)


async def test_without_anything_due_nothing_is_told() -> None:
    interrupts = Interrupts()
    assert not await expired(interrupts)
    assert interrupts.asked == [set()]


async def test_interrupts_that_could_not_be_closed_are_left_out_afterwards() -> None:
    interrupts = Interrupts(a="run_1", b=None, c=RuntimeError("broken"), d="run_2")
    assert await expired(interrupts)
    assert interrupts.closed == ["a", "b", "c", "d"]
    assert interrupts.asked == [set(), {"b", "c"}]
    assert await expired(Interrupts(a="run_1", b=None)), "one of them was closed"
    assert not await expired(Interrupts(b=None, c=RuntimeError("broken")))


async def test_expire_due_stops_when_the_database_is_away() -> None:
    for becomes, told in (("run_1", True), (None, False)):
        interrupts = Interrupts(a=becomes, b=Unavailable(), c="run_3")
        assert await expired(interrupts) is told
        assert interrupts.closed == ["a", "b"]


async def test_expire_due_ends_after_a_number_of_rounds() -> None:
    interrupts = Interrupts(a="run_1")
    interrupts.again = True
    assert await expired(interrupts)
    assert len(interrupts.asked) == MOST_ROUNDS
    assert MOST_ROUNDS < 100, "the unpublished ends wait for it"


def removing(**becomes: int | Exception) -> tuple[Any, list[str]]:
    asked: list[str] = []

    def sweeper(name: str) -> Any:
        async def sweep() -> int:
            asked.append(name)
            found = becomes[name]
            if isinstance(found, Exception):
                raise found
            return found

        return SimpleNamespace(sweep=sweep)

    return SimpleNamespace(**{name: sweeper(name) for name in becomes}), asked


ALL = ["blobs", "callbacks", "webhooks", "pushes", "operator_actions", "operator_accounts"]


@pytest.mark.parametrize(
    ("blobs", "callbacks", "asked", "said"),
    [
        (2, 0, ALL, ["2 expired files removed"]),
        (0, 3, ALL, ["3 settled callbacks removed"]),
        (
            RuntimeError("broken"),
            1,
            ALL,
            ["removing expired files failed", "1 settled callbacks removed"],
        ),
        (Unavailable(), 1, ["blobs"], ["removing expired files postponed, database unavailable"]),
    ],
)
async def test_remove_old_goes_on_after_a_failing_kind_and_stops_without_database(
    caplog: pytest.LogCaptureFixture,
    blobs: int | Exception,
    callbacks: int | Exception,
    asked: list[str],
    said: list[str],
) -> None:
    caplog.set_level(logging.INFO, "server.runs.execution.sweep")
    store, done = removing(
        blobs=blobs, callbacks=callbacks, webhooks=0, pushes=0, operator_actions=0, operator_accounts=0
    )
    await remove_old(store)
    assert done == asked
    assert [each.getMessage() for each in caplog.records] == said


class Unpublished:
    """A hundred ends that cannot be published, each of which takes a second of the clock to be refused."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.tried: list[str] = []
        self.asked: list[tuple[float, str | None]] = []
        self.runs = [SimpleNamespace(id=f"run_{each}", fence=1) for each in range(100)]

    def monotonic(self) -> float:
        return self.now

    async def list_unpublished(self, older_s: float, after: Any) -> list[Any]:
        self.asked.append((older_s, after and after.id))
        return self.runs if after is None else self.runs[self.runs.index(after) + 1 :]

    async def adopt(self, run_id: str, fence: int) -> int:
        self.now += 1
        self.tried.append(run_id)
        raise Fenced


async def test_a_sweep_publishes_ends_for_five_seconds_and_the_next_one_goes_on_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unpublished = Unpublished()
    monkeypatch.setattr(sweep_module, "time", unpublished)
    store: Any = SimpleNamespace(runs=unpublished)
    bus: Any = None
    sweep = Sweep(store, bus, 10, nothing)
    for _ in range(2):
        await sweep.publish_ends()
    assert unpublished.tried == [f"run_{each}" for each in range(12)]
    assert unpublished.asked == [(5, None), (5, "run_5")]
    for _ in range(16):
        await sweep.publish_ends()
    assert unpublished.tried[12:] == [f"run_{each % 100}" for each in range(12, 106)], (
        "all, and then from the first"
    )
    assert unpublished.asked[-2:] == [(5, "run_99"), (5, None)]


async def nothing() -> None:
    """Tell nobody."""


@pytest.mark.parametrize(("becomes", "told"), [("run_1", 1), (None, 0)])
async def test_a_sweep_tells_of_new_runs_and_removes_what_is_old_every_five_minutes(
    monkeypatch: pytest.MonkeyPatch, becomes: str | None, told: int
) -> None:
    pauses: list[float] = []
    old, asked = removing(**dict.fromkeys(ALL, 0))
    calls: list[int] = []
    removals: list[int] = []

    class Over(BaseException):
        """There were sweeps enough."""

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        removals.append(len(asked) // len(ALL))
        if len(pauses) > 300:
            raise Over

    async def due() -> None:
        calls.append(len(pauses))

    async def list_unpublished(*_: Any) -> list[Any]:
        return []

    interrupts = Interrupts(a=becomes)
    old.interrupts, old.runs = interrupts, SimpleNamespace(list_unpublished=list_unpublished)
    monkeypatch.setattr(asyncio, "sleep", pause)
    bus: Any = None
    with pytest.raises(Over):
        await Sweep(old, bus, 10, due).run()
    assert calls == [1] * told
    assert asked == ALL * 2
    assert [removals.index(each) for each in (1, 2)] == [150, 300], "not as a process begins"
    assert 540 < sum(pauses) < 660, "twice five minutes"
