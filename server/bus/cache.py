"""A cache of conversation state in Redis: written after a commit, with a stamp; SQL has every value too."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from server.bus.log.entries import BusDown
from server.bus.redis.client import Script, connect_link, failures_as_down

MOST_SESSIONS = 1000
TTL_S = 3600
MOST_BYTES = 1024 * 1024
INDEX = "lw:cache"
PREFIX = "lw:cache:"


class Cache:
    """Values of sessions, over a connection of their own. Acquired with a URL, released by `aclose`.

    Every failure is a miss; the 1,000 sessions used last are kept, for an hour at most. A key is a session id, or a
    session id and a name: "ses_x" or "ses_x:history". The stamp says which state of the session a value belongs to:
    another stamp is a miss, so that a stale value is never used.
    """

    def __init__(self, url: str) -> None:
        # A value may have a mebibyte: no barrier of a run waits behind one.
        self._link = connect_link(url)
        self._put = Script(self._link, "cache_put")

    async def get(self, key: str, stamp: str) -> bytes | None:
        """Return the value kept under this very stamp."""
        session_id, _, name = key.partition(":")
        try:
            with failures_as_down():
                found, _ = await asyncio.gather(
                    self._link.call("HGET", PREFIX + session_id, f"_{name}"),
                    self._link.call("ZADD", INDEX, "XX", time.time(), session_id),
                )
        except BusDown:
            return None
        mark = _mark(stamp)
        return found.removeprefix(mark) if found is not None and found.startswith(mark) else None

    async def put(self, key: str, stamp: str, value: bytes) -> None:
        """Keep a value; one that is too large is not kept."""
        if len(value) > MOST_BYTES:
            return
        session_id, _, name = key.partition(":")
        keys, kept = [INDEX, PREFIX + session_id], _mark(stamp) + value
        with suppress(BusDown):
            await self._put(keys, [session_id, f"_{name}", kept, time.time(), TTL_S, MOST_SESSIONS, PREFIX])

    async def drop(self, session_id: str) -> None:
        """Forget everything of one session."""
        with suppress(BusDown), failures_as_down():
            await self._link.call("DEL", PREFIX + session_id)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._link.aclose()


def _mark(stamp: str) -> bytes:
    """Return what a value begins with; a stamp has no line break."""
    return stamp.encode() + b"\n"
