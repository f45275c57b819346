"""Values that can be taken exactly once by any instance: one-use tickets live here for their seconds."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, cast

from server.bus.client import connect, failures_as_down


class OnceStore:
    """Acquired with a URL, released by `aclose`. Raises BusDown when Redis cannot be reached."""

    def __init__(self, url: str) -> None:
        self._client = connect(url)

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value for a while."""
        with failures_as_down():
            await self._client.set(key, value, ex=seconds)

    async def take(self, key: str) -> bytes | None:
        """Return the value and forget it, atomically; None when it is gone or was never there."""
        with failures_as_down():
            return cast("bytes | None", await cast(Awaitable[Any], self._client.getdel(key)))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
