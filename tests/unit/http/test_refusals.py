"""Refusals with 429: a few lines of each address in a minute, whatever a flood sends, and the rest as one number."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from server.http.request_log import MOST_ADDRESSES, MOST_REFUSALS, PERIOD_S, Refusals


class Later:
    """The loop's clock: what is to be called later, and after how many seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[float, Callable[[], None]]] = []
        monkeypatch.setattr(asyncio.get_running_loop(), "call_later", self.call)

    def call(self, seconds: float, then: Callable[[], None]) -> None:
        """Remember it."""
        self.calls.append((seconds, then))


async def test_an_address_has_a_few_lines_and_the_others_are_one_number(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    later, refusals = Later(monkeypatch), Refusals()
    caplog.set_level(logging.INFO)
    assert sum(refusals.may_write("a") for _ in range(1000)) == MOST_REFUSALS
    assert refusals.may_write("b"), "another address has lines of its own"
    assert [seconds for seconds, _ in later.calls] == [PERIOD_S]
    later.calls.pop()[1]()
    record: Any = caplog.records[-1]
    assert record.getMessage() == "more requests were refused"
    assert record.fields == {"status": 429, "more": 1000 - MOST_REFUSALS, "addresses": 2}
    assert len(refusals) == 0
    assert refusals.may_write("a"), "the next minute begins anew"
    later.calls.pop()[1]()
    assert len(caplog.records) == 1, "nothing is told where nothing was left out"


async def test_a_flood_from_ever_new_addresses_has_few_lines_and_costs_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Later(monkeypatch)
    refusals = Refusals()
    written = sum(refusals.may_write(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}") for n in range(50_000))
    assert written <= MOST_ADDRESSES + MOST_REFUSALS
    assert len(refusals) <= MOST_ADDRESSES + 1
