"""The share of one principal in an MCP server: calls at once, and bytes in a minute."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from server.agents.run.tool_calls import ToolFailure
from server.limits import Limits
from server.mcp.flood_budget import MOST_MESSAGE, REQUEST_COST, WINDOW_S
from server.mcp.shares import MOST_KEPT, PrincipalShares

LIMITS = Limits()
MOST_OF_ONE = 1024 * LIMITS.mcp_kib_per_visitor


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def call(shares: PrincipalShares, principal: str, size: int = 0) -> None:
    """Make a call whose answer has so many bytes."""
    async with shares.turn(principal):
        shares.spend(principal, size)


async def test_a_fifth_call_of_one_waits_and_a_first_of_another_does_not() -> None:
    shares = PrincipalShares(LIMITS)
    async with AsyncExitStack() as calls:
        for _ in range(LIMITS.mcp_calls_per_visitor):
            await calls.enter_async_context(shares.turn("ana"))
        fifth = asyncio.ensure_future(call(shares, "ana"))
        await call(shares, "rui")
        assert not fifth.done()
    await fifth


async def test_a_principal_that_spent_a_minutes_bytes_is_refused_until_it_is_over_and_others_are_not() -> (
    None
):
    clock = Clock()
    shares = PrincipalShares(LIMITS, clock)
    for _ in range(MOST_OF_ONE // MOST_MESSAGE):
        await call(shares, "ana", MOST_MESSAGE)
    with pytest.raises(ToolFailure, match="used too much"):
        await call(shares, "ana")
    await call(shares, "rui")
    clock.now += WINDOW_S + 1
    await call(shares, "ana")


async def test_a_call_without_an_answer_costs_something_too() -> None:
    shares = PrincipalShares(LIMITS, Clock())
    for _ in range(MOST_OF_ONE // REQUEST_COST):
        await call(shares, "ana")
    with pytest.raises(ToolFailure):
        await call(shares, "ana")


async def test_idle_principals_are_forgotten_and_those_at_work_are_not() -> None:
    clock = Clock()
    shares = PrincipalShares(LIMITS, clock)
    async with shares.turn("ana"):
        for n in range(MOST_KEPT):
            await call(shares, f"visitor {n}")
        clock.now += WINDOW_S + 1
        await call(shares, "rui")
        assert shares.principals == {"ana", "rui"}


async def test_settings_limit_the_calls_and_the_bytes_of_a_principal() -> None:
    shares = PrincipalShares(Limits(mcp_calls_per_visitor=1, mcp_kib_per_visitor=32), Clock())
    async with shares.turn("ana"):
        second = asyncio.ensure_future(call(shares, "ana"))
        await call(shares, "rui")
        assert not second.done()
    await second
    with pytest.raises(ToolFailure, match="used too much"):
        await call(shares, "ana")
