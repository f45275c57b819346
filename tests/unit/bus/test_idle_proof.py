"""Notes to a Redis that is away: kept within a bound, and told when it is back."""

from __future__ import annotations

import asyncio
from typing import Any

from server.bus.log.idle_proof import IdleProof
from server.bus.redis.pipeline import Word


class Link:
    """Keeps what it is told, or fails."""

    def __init__(self) -> None:
        self.told: list[tuple[Word, ...]] = []
        self.cut = False

    async def call(self, *command: Word) -> Any:
        """Take a command."""
        if self.cut:
            raise ConnectionError
        self.told.append(command)
        return 1

    async def aclose(self) -> None:
        """Close nothing."""


class Known:
    """What is known of Redis."""

    def __init__(self) -> None:
        self.down = False
        self.failures: list[float] = []

    def note_failure(self, since: float) -> None:
        """Keep it."""
        self.failures.append(since)


async def test_a_note_that_fails_is_owed_and_the_failure_is_dated_from_when_it_was_sent() -> None:
    link, known = Link(), Known()
    proof = IdleProof(link, known)
    link.cut = True
    began = asyncio.get_running_loop().time()
    await proof.withdraw("vis_1")
    await proof.note_waiting("ses_1", "c1")
    assert proof.has_deferred
    assert len(known.failures) == 2
    assert all(began <= each <= asyncio.get_running_loop().time() for each in known.failures)
    assert not await proof.idle("ses_1")
    link.cut = False
    await proof.settle()
    assert not proof.has_deferred
    assert sorted(str(each[0]) for each in link.told) == ["EVALSHA", "SET"]
    assert any("lw:doubt:vis_1" in each for each in link.told)
    assert any("c1" in each for each in link.told)


async def test_the_number_of_owed_notes_is_limited_while_redis_is_away() -> None:
    link, known = Link(), Known()
    proof, known.down = IdleProof(link, known), True
    for number in range(10_001):
        await proof.withdraw(f"vis_{number}")
    assert link.told == []
    known.down = False
    await proof.settle()
    assert len(link.told) == 10_000
