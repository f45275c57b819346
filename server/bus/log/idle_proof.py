"""The idle proof of a session: by a field in Redis, a client with a resume token is let in without the database.

The field proves that no run waits in the session's queue since its log was claimed. Beside it, keys in Redis name the
sessions and principals whose proof was withdrawn by a commit since the oldest valid resume token was issued.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from server.bus.log.entries import BusDown
from server.bus.log.log import META_TTL_S, meta_key
from server.bus.redis.client import Script, failures_as_down
from server.bus.redis.pipeline import Caller

WITHDRAWN_S = 30 * 60
"""Seconds for which Redis keeps a withdrawal. A resume token lives for less: when Redis forgets the withdrawal, each
token that was issued before the commit has expired."""

MOST_DEFERRED = 10_000


def _withdrawal_key(subject: str) -> str:
    return f"lw:doubt:{subject}"


class RedisOutage(Protocol):
    """Knows whether Redis is away, and notes when it does not answer."""

    @property
    def down(self) -> bool:
        """Return whether it is."""
        ...

    def note_failure(self, since: float) -> None:
        """Note that Redis did not answer to what was asked at that time."""
        ...


class IdleProof:
    """Proves that a session exists, that its principal may open it, and that its queue is empty.

    The instance that takes the log writes it, right after the transaction which saw all of it (`Bus.writer`, `alone`).
    It is withdrawn *before* every commit that changes it, so the committing instance may die at any point. It
    stands beside the log, in a field that names the server: without a log, after FLUSHALL, after a restart or a
    failover, which may lose what was written last, Redis proves nothing, and the database is asked as ever.
    """

    def __init__(self, link: Caller, outage: RedisOutage) -> None:
        """Use the bus's own connection; `settle` is due when an outage is over."""
        self._link = link
        self._outage = outage
        self._idle_proof, self._waits = (Script(link, each) for each in ("idle_proof", "waits"))
        self._deferred: set[tuple[str, str | None]] = set()

    @property
    def has_deferred(self) -> bool:
        """Return whether there is a note that could not be written to Redis."""
        return bool(self._deferred)

    async def holds(self, session_id: str, *subjects: str) -> bool:
        """Return whether a resume token of this session, a principal and its identity is valid without the database."""
        return await self._ask([meta_key(session_id), *map(_withdrawal_key, (session_id, *subjects))])

    async def idle(self, session_id: str) -> bool:
        """Return whether it is certain that nothing waits in the session's queue."""
        return await self._ask([meta_key(session_id)])

    async def withdraw(self, subject: str) -> None:
        """Withdraw the proofs about a principal or session before a commit that changes it: the database is asked."""
        await self._tell_redis(subject)

    async def note_waiting(self, session_id: str, name: str) -> None:
        """Make readers ask the database for the session's queue: a run that will wait in it is about to be committed.

        `name` is that of its input, by which the claim of this run knows that the note was about itself.
        """
        await self._tell_redis(session_id, waits=name)

    async def settle(self) -> None:
        """Write the notes to Redis that could not be written while it was away."""
        deferred, self._deferred = self._deferred, set()
        for subject, waits in deferred:
            await self._tell_redis(subject, waits=waits)

    async def _ask(self, keys: list[str]) -> bool:
        if self._outage.down:  # Redis is known to be unavailable: do not wait for another timeout.
            return False
        try:
            return bool(await self._idle_proof(keys, []))
        except BusDown:
            return False

    async def _tell_redis(self, subject: str, *, waits: str | None = None) -> None:
        """Tell Redis without waiting when it is known to be away; what it missed is written when it is back."""
        if self._outage.down:
            self._defer(subject, waits)
            return
        began = asyncio.get_running_loop().time()
        try:
            if waits is not None:
                await self._waits([meta_key(subject)], [META_TTL_S, waits])
            else:
                with failures_as_down():
                    await self._link.call("SET", _withdrawal_key(subject), 1, "EX", WITHDRAWN_S)
        except BusDown:
            self._defer(subject, waits)
            self._outage.note_failure(began)

    def _defer(self, subject: str, waits: str | None) -> None:
        if len(self._deferred) < MOST_DEFERRED:
            self._deferred.add((subject, waits))
