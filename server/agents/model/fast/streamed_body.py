"""The body of a streamed answer: its bytes, read once, and the connection that it gives back."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import openai
from openai import AsyncStream

_DRAIN_S = 0.25

_SENT = httpx2.Request("POST", "http://model/")
"""Replaces each request that was answered: the real one holds the whole conversation, and nothing reads it again."""


class StreamedBody:
    """The bytes of a streamed answer, which are read once. It does not keep the request in memory."""

    def __init__(self, stream: AsyncStream[Any]) -> None:
        self._response: httpx2.Response = stream.response
        self._response.request = _SENT
        encoded = "content-encoding" in self._response.headers
        self.pieces: AsyncIterator[bytes] = (
            self._response.aiter_bytes() if encoded else self._response.aiter_raw()
        )

    @property
    def request_id(self) -> str | None:
        """Return the provider's id of this request."""
        return self._response.headers.get("x-request-id")

    @contextmanager
    def read(self) -> Iterator[None]:
        """Raise a lost connection or a timeout as an error of `openai`, by which the call may be repeated."""
        try:
            yield
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request=_SENT) from error
        except httpx2.RequestError as error:
            raise openai.APIConnectionError(request=_SENT) from error

    async def drain(self) -> None:
        """Read what follows the last event, so that the connection can serve the next call."""
        try:
            async with asyncio.timeout(_DRAIN_S):
                async for _ in self.pieces:
                    pass
        except (TimeoutError, httpx2.HTTPError):
            return

    async def aclose(self) -> None:
        """Give the connection back; it is closed when the answer is not at its end."""
        await self._response.aclose()
