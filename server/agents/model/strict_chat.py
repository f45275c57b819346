"""The SDK's own Chat Completions model, used where the fast one cannot be: it refuses a torn stream."""

from collections.abc import AsyncIterator
from typing import Any, cast

from agents import OpenAIChatCompletionsModel
from openai.types.chat import ChatCompletionChunk

from server.agents.model.failures import raise_unfinished


class StrictChatModel(OpenAIChatCompletionsModel):
    """Chat Completions, where a stream must say why it ended: the SDK takes a torn one for a whole answer."""

    async def _fetch_response(self, *args: Any, **kwargs: Any) -> Any:
        """Watch the stream that the SDK reads."""
        fetched = await cast(Any, super())._fetch_response(*args, **kwargs)
        if not isinstance(fetched, tuple):
            return fetched
        response, stream = fetched
        return response, StrictStream(stream)


class StrictStream:
    """A stream of chunks that raises at its end when the reason is none that ends a whole answer."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._reason: str | None = None

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        """Read all chunks, then judge."""
        async for chunk in self._stream:
            for choice in chunk.choices or ():
                self._reason = choice.finish_reason or self._reason
            yield chunk
        raise_unfinished(self._reason)

    def __getattr__(self, name: str) -> Any:
        """Return the stream's own attribute: the SDK closes the stream and reads its headers."""
        return getattr(self._stream, name)
