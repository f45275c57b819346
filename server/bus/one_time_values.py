"""Values that can be taken exactly once by any instance: one-use tickets live here for their seconds."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, cast

from server.bus.log.entries import BusDown
from server.bus.redis.client import connect, failures_as_down

MOST_VALUES_HERE = 10_000


class OnceStore:
    """Acquired with a URL, released by `aclose`.

    While Redis is away a process keeps values itself: a client that returns to the same process is let
    in, and a client that reaches another one gets a new value there. No value is kept in both places, or two processes
    could each give it to a client.
    """

    def __init__(self, url: str) -> None:
        self._client = connect(url)
        self._here: dict[str, tuple[float, bytes]] = {}

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value for a while. Raises BusDown when Redis has not confirmed it, though it may have it."""
        with failures_as_down():
            await self._client.set(key, value, ex=seconds)

    def keep(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value that Redis was never given in this process alone. Raises BusDown when too many are kept."""
        now = time.monotonic()
        if len(self._here) >= MOST_VALUES_HERE:
            self._here = {name: each for name, each in self._here.items() if each[0] > now}
        if len(self._here) >= MOST_VALUES_HERE:
            raise BusDown
        self._here[key] = (now + seconds, value)

    async def take(self, key: str) -> bytes | None:
        """Return the value and forget it, atomically; None when it is gone or was never there. Raises BusDown."""
        here = self._here.pop(key, None)
        if here is not None:
            until, kept = here
            return kept if until > time.monotonic() else None
        with failures_as_down():
            return cast("bytes | None", await cast(Awaitable[Any], self._client.getdel(key)))

    async def aclose(self) -> None:
        """Close the connections."""
        with suppress(BusDown), failures_as_down():
            await self._client.aclose()
