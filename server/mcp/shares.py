"""The share of one MCP server that one principal may take: one user cannot use up the calls of all users of an app."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from server.agents.run.tool_calls import ToolFailure
from server.limits import Limits
from server.mcp.flood_budget import REQUEST_COST, WINDOW_S

MOST_KEPT = 1_000
"""Principals that are remembered before those are forgotten who have no call and spent nothing lately."""


@dataclass
class _Share:
    """The current use of one principal."""

    since: float
    turns: asyncio.Semaphore
    """One for each call that is made at once; others of the principal wait for these."""
    spent: int = 0
    calls: int = 0
    """Calls that are made, and calls that wait."""


class PrincipalShares:
    """The shares of all principals in one server."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_at_once = limits.mcp_calls_per_visitor
        self._most_bytes = 1024 * limits.mcp_kib_per_visitor
        self._clock = clock
        self._shares: dict[str, _Share] = {}

    @property
    def principals(self) -> frozenset[str]:
        """Return the principals whose calls are counted."""
        return frozenset(self._shares)

    @asynccontextmanager
    async def turn(self, principal: str) -> AsyncIterator[None]:
        """Wait for the principal's turn, and count the call. Raises ToolFailure when its bytes are spent."""
        share = self._share_of(principal)
        share.calls += 1
        try:
            async with share.turns:
                if self._of_this_minute(share).spent >= self._most_bytes:
                    raise ToolFailure(
                        "This tool was used too much in the last minute. Go on without it.",
                        code="rate_limited",
                    )
                share.spent += REQUEST_COST
                yield
        finally:
            share.calls -= 1

    def spend(self, principal: str, size: int) -> None:
        """Count the bytes of an answer."""
        self._of_this_minute(self._share_of(principal)).spent += size

    def _share_of(self, principal: str) -> _Share:
        share = self._shares.get(principal)
        if share is None:
            if len(self._shares) >= MOST_KEPT:
                self._forget_idle()
            share = self._shares[principal] = _Share(self._clock(), asyncio.Semaphore(self._most_at_once))
        return share

    def _of_this_minute(self, share: _Share) -> _Share:
        now = self._clock()
        if now - share.since > WINDOW_S:
            share.since, share.spent = now, 0
        return share

    def _forget_idle(self) -> None:
        over = self._clock() - WINDOW_S
        self._shares = {name: each for name, each in self._shares.items() if each.calls or each.since >= over}
