"""A cache of conversation state in Redis: written after a commit, with a stamp; SQL has every value too."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import Any, cast

from redis.asyncio import Redis

from server.bus.log.entries import BusDown
from server.bus.redis.client import Script, failures_as_down
from server.bus.redis.pipeline import ClientPipeline

MOST_SESSIONS = 1000
TTL_S = 3600
MOST_BYTES = 1024 * 1024
INDEX = "lw:cache"
PREFIX = "lw:cache:"


class Cache:
    """Values of sessions. Every failure is a miss; the 1,000 sessions used last are kept, for an hour at most.

    A key is a session id, or a session id and a name: "ses_x" or "ses_x:history". The stamp says which state of
    the session a value belongs to: another stamp is a miss, so that a stale value is never used.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._put = Script(ClientPipeline(client), "cache_put")

    async def get(self, key: str, stamp: str) -> bytes | None:
        """Return the value kept under this very stamp."""
        session_id, _, name = key.partition(":")
        try:
            with failures_as_down():
                pipeline = self._client.pipeline(transaction=False)
                pipeline.hget(PREFIX + session_id, "_" + name)
                pipeline.zadd(INDEX, {session_id: time.time()}, xx=True)
                found = (await pipeline.execute())[0]
        except BusDown:
            return None
        mark, line, value = (found or b"").partition(b"\n")
        return value if line and mark == stamp.encode() else None

    async def put(self, key: str, stamp: str, value: bytes) -> None:
        """Keep a value; one that is too large is not kept."""
        if len(value) > MOST_BYTES or "\n" in stamp:
            return
        session_id, _, name = key.partition(":")
        args: list[Any] = [session_id, "_" + name, stamp.encode() + b"\n" + value]
        try:
            await self._put([INDEX, PREFIX + session_id], [*args, time.time(), TTL_S, MOST_SESSIONS, PREFIX])
        except BusDown:
            return

    async def drop(self, session_id: str) -> None:
        """Forget everything of one session."""
        try:
            with failures_as_down():
                await cast(Awaitable[Any], self._client.delete(PREFIX + session_id))
        except BusDown:
            return
