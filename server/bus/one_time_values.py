"""Values that can be taken exactly once by any instance: one-use tickets live here for their seconds."""

from __future__ import annotations

import time

from server.bus.log.entries import BusDown
from server.bus.redis.client import connect_link, failures_as_down

MOST_VALUES_HERE = 10_000


class RedisOneTimeValues:
    """Acquired with a URL, released by `aclose`.

    While Redis is away a process keeps values itself: a client that returns to the same process is let
    in, and a client that reaches another one gets a new value there. No value is kept in both places, or two processes
    could each give it to a client.
    """

    def __init__(self, url: str) -> None:
        self._link = connect_link(url)
        self._here: dict[str, tuple[float, bytes]] = {}

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value for a while. Raises BusDown when Redis has not confirmed it, though it may have it."""
        with failures_as_down():
            await self._link.call("SET", key, value, "EX", seconds)

    def keep(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value that Redis was never given in this process alone. Raises BusDown when too many are kept."""
        now = time.monotonic()
        if len(self._here) >= MOST_VALUES_HERE:
            self._here = {name: each for name, each in self._here.items() if each[0] > now}
        if len(self._here) >= MOST_VALUES_HERE:
            raise BusDown
        self._here[key] = (now + seconds, value)

    async def read(self, key: str) -> bytes | None:
        """Return the value and keep it; None when it is gone or was never there. Raises BusDown."""
        here = self._here.get(key)
        if here is not None:
            return _value_in_time(*here)
        with failures_as_down():
            found: bytes | None = await self._link.call("GET", key)
            return found

    async def pop(self, key: str) -> bytes | None:
        """Return the value and forget it, atomically; None when it is gone or was never there. Raises BusDown."""
        here = self._here.pop(key, None)
        if here is not None:
            return _value_in_time(*here)
        with failures_as_down():
            found: bytes | None = await self._link.call("GETDEL", key)
            return found

    async def aclose(self) -> None:
        """Close the connection."""
        await self._link.aclose()


def _value_in_time(until: float, kept: bytes) -> bytes | None:
    return kept if until > time.monotonic() else None
