"""The body of a streamed answer, and the few events that a run needs of it; chat.py and responses.py read them.

The events have the names and the fields of the SDK's own, as far as our code reads them; no object of the
client library is made for an event that is only passed on.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
import msgspec
import openai
from openai import AsyncStream
from openai.types.responses import Response, ResponseCompletedEvent
from pydantic import BaseModel, ValidationError

TEXT = "response.output_text.delta"
ADDED = "response.output_item.added"

_DRAIN_S = 0.25
_Built = TypeVar("_Built", bound=BaseModel)


class TextRead(msgspec.Struct):
    """The text of one read."""

    delta: str
    output_index: int = 0
    type: str = TEXT


class StreamEvent(msgspec.Struct):
    """An event without text: an item begins, a text ends, the answer fails."""

    type: str
    output_index: int = 0
    item: Any = None
    response: Any = None
    code: str | None = None


_SENT = httpx2.Request("POST", "http://model/")
"""Replaces each request that was answered: the real one holds the whole conversation, and nobody reads it again."""


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


def build_object(kind: type[_Built], fields: Any) -> _Built:
    """Build an object of the client library: validated if its fields fit, else with its fields as they are."""
    try:
        return kind.model_validate(fields)
    except ValidationError:
        return kind.construct(**fields)


def part(kind: type[_Built], fields: Any) -> _Built | None:
    """Build an object inside another one; None when the wire has something else in its place."""
    return build_object(kind, fields) if fields and isinstance(fields, dict) else None


def completed_event(response: Response) -> ResponseCompletedEvent:
    """Return the event that ends an answer."""
    return ResponseCompletedEvent.model_construct(
        response=response, type="response.completed", sequence_number=0
    )
