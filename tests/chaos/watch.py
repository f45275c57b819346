"""Reads the database during the faults: no run may be without a holder for longer than promised."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from tests.chaos.fleet import Fleet
from tests.chaos.frame_checks import FrameChecks
from tests.chaos.stores import NOW_MS, rows
from tests.parts.wait import paced

TAKE_OVER_S = 15.0
"""From the death of a holder to its successor, and from a run that is due to its claim."""

PUBLISH_S = 15.0
"""From a committed end to the moment it is published."""

LOOK_S = 0.5
STALLED_S = 2.0
"""A look that comes so late says that this machine stood still: what it would prove is nothing."""

_LEFT = f"""
SELECT id, session_id, attempt, 'not taken over' AS what, {NOW_MS} - lease_until AS ms FROM runs
WHERE status = 'running' AND lease_until < {NOW_MS}
UNION ALL
SELECT id, session_id, attempt, 'unpublished', {NOW_MS} - ended_at FROM runs WHERE status = 'finished' AND NOT told
UNION ALL
SELECT id, session_id, attempt, 'not claimed', {NOW_MS} - created_at FROM runs AS due WHERE status = 'queued'
AND NOT EXISTS (SELECT 1 FROM runs WHERE session_id = due.session_id
                AND (status = 'running' OR status = 'finished' AND NOT told OR place < due.place AND status = 'queued'))
"""


@dataclass
class Watch:
    """Blames a run once when it is queued too long although a worker could have claimed it."""

    fleet: Fleet
    checks: FrameChecks
    lying: dict[tuple[str, str], float] = field(default_factory=dict)
    blamed: set[tuple[str, str]] = field(default_factory=set)
    longest: dict[str, float] = field(default_factory=dict)
    _looked: float = 0.0
    _able_since: float = 0.0

    async def run(self) -> None:
        """Look for ever."""
        while True:
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
                async with asyncio.timeout(30):
                    self._judge(await rows(self.fleet.durable.url, _LEFT) if self.fleet.durable.up else [])
            await paced(LOOK_S)

    def _judge(self, found: list[dict[str, Any]]) -> None:
        now = time.monotonic()
        able = self.fleet.able()
        if able is None or now - self._looked > STALLED_S:
            self._able_since = now
        self._able_since = max(self._able_since, able or now)
        self._looked = now
        present = {(each["id"], each["what"]): each for each in found}
        self.lying = {key: since for key, since in self.lying.items() if key in present}
        for key, row in present.items():
            since = max(self.lying.setdefault(key, now), self._able_since, self._redis_since(row["what"]))
            lies = now - since
            self.longest[row["what"]] = max(self.longest.get(row["what"], 0.0), lies)
            if lies > self._allowed(row["what"]) and key not in self.blamed:
                self.blamed.add(key)
                self.checks.blame(f"{row['id']} of {row['session_id']} is {row['what']} for {lies:.1f} s")

    def _redis_since(self, what: str) -> float:
        """An end is told by way of Redis; while that is away nobody can."""
        if what != "unpublished":
            return 0.0
        return time.monotonic() if self.fleet.live.hurt else self.fleet.live.well_since

    def _allowed(self, what: str) -> float:
        """Seconds; what a dead holder's lease still lasts is part of the promise about its death."""
        lease = self.fleet.lease_s if what == "not taken over" else 0.0
        return (TAKE_OVER_S - lease if what != "unpublished" else PUBLISH_S) * self.fleet.slack
