"""OpenAI's client, which sends a request as it is.

`create` of the client walks through every value of a request to rename what is written otherwise in Python, and
encodes it with the standard library. The SDK writes requests as the wire has them, and walking through a conversation
took more time than all that Loopwire does for a run. Addresses, keys, headers, timeouts and errors stay the client's.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

import msgspec
from openai import AsyncOpenAI, AsyncStream, NotGiven, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.resources.responses import AsyncResponses
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel


def _plain(value: Any) -> Any:
    """What the encoder does not know: settings that are models of the client, and iterables."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True, by_alias=True)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"A request cannot carry {type(value).__name__}.")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode


async def _create(client: AsyncOpenAI, path: str, given: dict[str, Any], whole: Any, chunks: Any) -> Any:
    """Send what is given: `whole` is the class of an answer in one piece, `chunks` of a streamed one."""
    named: Any = {"security": {"bearer_auth": True}}
    for name, option in (("extra_headers", "headers"), ("extra_query", "params"), ("timeout", "timeout")):
        value = given.pop(name, None)
        if value is not None and not isinstance(value, NotGiven):
            named[option] = value
    extra = given.pop("extra_body", None) or {}
    body = {name: value for name, value in given.items() if not isinstance(value, Omit | NotGiven)}
    return await client.post(
        path,
        cast_to=whole,
        content=_encode(body | extra),
        options=named,
        stream=body.get("stream") is True,
        stream_cls=chunks,
    )


class Responses(AsyncResponses):
    """The Responses dialect."""

    async def create(self, **given: Any) -> Any:
        """Send a request."""
        return await _create(self._client, "/responses", given, Response, AsyncStream[ResponseStreamEvent])


class Completions(AsyncCompletions):
    """The Chat Completions dialect."""

    async def create(self, **given: Any) -> Any:
        """Send a request."""
        return await _create(
            self._client, "/chat/completions", given, ChatCompletion, AsyncStream[ChatCompletionChunk]
        )


class Chat(AsyncChat):
    """What the client calls chat."""

    @cached_property
    def completions(self) -> Completions:
        """The Chat Completions dialect."""
        return Completions(self._client)


class Client(AsyncOpenAI):
    """As any other, but for what it sends."""

    @cached_property
    def responses(self) -> Responses:
        """The Responses dialect."""
        return Responses(self)

    @cached_property
    def chat(self) -> Chat:
        """The Chat Completions dialect."""
        return Chat(self)

    def with_options(self, **options: Any) -> Self:
        """The SDK asks for a client without retries at each repetition: this one is."""
        if options == {"max_retries": self.max_retries}:
            return self
        return super().with_options(**options)
