"""The loop that claims work from the database while there is room, and looks again at a signal or after a while."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol, TypeVar

from server.errors import Unavailable
from server.tasks import FailureLog, Tasks, repeat

T = TypeVar("T")

log = logging.getLogger(__name__)


class WorkSource(Protocol[T]):
    """The source of the loop's claims, and the executor of their work."""

    async def enter(self) -> None:
        """Wait until there is room for one more, and take it."""

    def leave(self) -> None:
        """Give the room back: nothing was claimed for it."""

    async def claim(self) -> T | None:
        """Claim one piece of work that is due; None when nothing is due. Raises Unavailable."""

    def begin(self, claimed: T) -> None:
        """Work at a claim in a task of its own, which gives the room back at its end."""

    async def give_back(self, claimed: T) -> None:
        """Let another process take this claim, as if no process had claimed the work. Raises Unavailable."""


class ClaimLoop:
    """Claims one piece of work after the other until nothing is due.

    A claim that is under way when the process leaves is finished, and the claimed work is given back.
    """

    def __init__(self, source: WorkSource[T], *, poll_s: float, name: str) -> None:
        """Look for work every `poll_s` seconds, give or take a fifth, so that processes do not all look at once."""
        self._source = source
        self._poll_s = poll_s
        self._name = name
        self._due = asyncio.Event()
        self._claims = Tasks()
        self._loop = Tasks()
        self._last: asyncio.Task[bool] | None = None
        self.claiming = False
        self.signals = 0
        """The number of signals that something may be due."""

    def start(self) -> None:
        """Begin to claim."""
        self.claiming = True
        self._loop.spawn(self._run(), name=f"{self._name} claim")

    @property
    def running(self) -> bool:
        """Return whether the loop claims, or is about to stop."""
        return len(self._loop) > 0

    def look(self) -> None:
        """Look for work now: something may be due."""
        self._due.set()

    def signal(self) -> None:
        """Look now, since another process has sent a signal."""
        self.signals += 1
        self._due.set()

    async def stop(self) -> None:
        """Claim no more; a claim that is under way goes on."""
        self.claiming = False
        await self._loop.aclose()

    async def aclose(self, *, wait_s: float = 0) -> None:
        """Claim no more, and wait `wait_s` seconds at most for the answer to the last claim."""
        await self.stop()
        if self._last is not None and wait_s:
            await asyncio.wait({self._last}, timeout=wait_s)
        await self._claims.aclose()

    async def _run(self) -> None:
        await repeat(
            self._claim_due,
            every_s=self._poll_s,
            failures=FailureLog(log, f"{self._name} claim"),
            wake=self._due,
            is_over=lambda: not self.claiming,
        )

    async def _claim_due(self) -> None:
        """Claim one piece of work after the other until nothing is due."""
        while self.claiming and await self._claim_one():
            self._due.clear()

    async def _claim_one(self) -> bool:
        """Wait for room and claim for it; false when nothing is due."""
        await self._source.enter()
        # Shield the claim: if the process stops during the commit, the claimed row still gets an owner.
        self._last = self._claims.spawn(self._claim(), name=f"{self._name} claim one")
        return await asyncio.shield(self._last)

    async def _claim(self) -> bool:
        begun = False
        try:
            claimed = await self._source.claim()
            if claimed is not None and self.claiming:
                begun = True
                self._source.begin(claimed)
            elif claimed is not None:
                await self._source.give_back(claimed)
        except Unavailable:
            log.debug("%s: nothing claimed, database unavailable", self._name)  # The store has logged it.
        except Exception:
            # One task claims for all sessions: an error in one claim must not end it.
            log.exception("%s: nothing claimed", self._name)
        finally:
            if not begun:
                self._source.leave()
        return begun
