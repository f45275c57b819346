"""Values that can be taken exactly once by any instance: one-use tickets live here for their seconds."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, cast

from server.bus.client import connect, failures_as_down
from server.bus.entries import BusDown

MOST_HERE = 10_000


class OnceStore:
    """Acquired with a URL, released by `aclose`.

    While Redis is away this process keeps values itself: who comes back to the same one is let in, as a lone server
    always does, and who comes to another gets a new value there.
    """

    def __init__(self, url: str) -> None:
        self._client = connect(url)
        self._here: dict[str, tuple[float, bytes]] = {}

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value for a while. Raises BusDown when Redis is away and too many are kept here."""
        try:
            with failures_as_down():
                await self._client.set(key, value, ex=seconds)
        except BusDown:
            self._keep(key, value, time.monotonic() + seconds)

    async def take(self, key: str) -> bytes | None:
        """Return the value and forget it, atomically; None when it is gone or was never there. Raises BusDown."""
        until, kept = self._here.pop(key, (0.0, b""))
        try:
            with failures_as_down():
                found = cast("bytes | None", await cast(Awaitable[Any], self._client.getdel(key)))
        except BusDown:
            if not until:
                raise
            found = None
        return kept if until > time.monotonic() else found

    async def aclose(self) -> None:
        """Close the connections."""
        self._here.clear()
        with suppress(BusDown), failures_as_down():
            await self._client.aclose()

    def _keep(self, key: str, value: bytes, until: float) -> None:
        now = time.monotonic()
        if len(self._here) >= MOST_HERE:
            self._here = {name: each for name, each in self._here.items() if each[0] > now}
        if len(self._here) >= MOST_HERE:
            raise BusDown
        self._here[key] = (until, value)
