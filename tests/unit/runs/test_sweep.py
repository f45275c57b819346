"""The rows that a sweep closes and removes: a failing one does not delay the rest, and no query repeats without end."""

from __future__ import annotations

import logging
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from server.errors import Unavailable
from server.runs.execution.sweep import MOST_ROUNDS, expire_due, remove_old


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


async def test_what_is_closed_is_told_and_what_is_not_is_left_out_afterwards() -> None:
    interrupts = Interrupts(a="run_1", b=None, c=RuntimeError("broken"), d="run_2")
    assert await expired(interrupts)
    assert interrupts.closed == ["a", "b", "c", "d"]
    assert interrupts.asked == [set(), {"b", "c"}]
    assert not await expired(Interrupts(b=None, c=RuntimeError("broken")))


async def test_a_database_that_is_away_ends_it_with_what_was_told_so_far() -> None:
    for becomes, told in (("run_1", True), (None, False)):
        interrupts = Interrupts(a=becomes, b=Unavailable(), c="run_3")
        assert await expired(interrupts) is told
        assert interrupts.closed == ["a", "b"]


async def test_it_ends_though_there_is_always_more() -> None:
    interrupts = Interrupts(a="run_1")
    interrupts.again = True
    assert await expired(interrupts)
    assert len(interrupts.asked) == MOST_ROUNDS


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
async def test_what_is_old_is_removed_kind_by_kind(
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
