"""The reader of a Chat Completions stream: it takes the tokens from the wire without an object per token.

Chunks that only add to a text or to a call's arguments are collected; at the end the SDK's own handler makes the
answer of the few that are left, so the SDK alone decides about reasoning, refusals and malformed calls.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import msgspec
from agents import OpenAIChatCompletionsModel
from agents.items import TResponseStreamEvent
from agents.models import openai_chatcompletions
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import Response

from server.agents.model.answer_size import AnswerSize, WireSize, size_of
from server.agents.model.client import Client
from server.agents.model.failures import raise_unfinished
from server.agents.model.fast.answer_events import ADDED, StreamEvent, TextRead, build_object
from server.agents.model.fast.encoded_tools import ConvertedTools
from server.agents.model.fast.lenient_json import load_object, pick_fields, split_half_character
from server.agents.model.fast.sse import SseFrames
from server.agents.model.fast.streamed_body import StreamedBody
from server.protocol.codec import mend_value

sdk: Any = openai_chatcompletions
_SHOWN = ("content", "refusal")
_ADDING = frozenset({*_SHOWN, "reasoning_content", "reasoning"})


class _Choice(msgspec.Struct):
    index: Any = 0
    delta: Any = None
    finish_reason: Any = None
    logprobs: Any = None


class _Chunk(msgspec.Struct):
    """A chunk, as far as every chunk is looked at."""

    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


_chunk = msgspec.json.Decoder(_Chunk).decode
_whole = msgspec.json.Decoder(dict[str, Any]).decode


class FastChatModel(OpenAIChatCompletionsModel):
    """The SDK's model with its own reader of streamed answers, which must say why they ended."""

    def __init__(self, model: str, client: Client) -> None:
        super().__init__(model, client)
        self._converted = ConvertedTools(
            lambda tools, handoffs: [
                *map(sdk.Converter.tool_to_openai, tools),
                *map(sdk.Converter.convert_handoff_tool, handoffs),
            ]
        )

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Any,
        model_settings: Any,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        previous_response_id: str | None = None,
        conversation_id: str | None = None,
        prompt: Any = None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Yield what a run needs of an answer: the text of each read, that something began, and its end."""
        self._handle_unsupported_server_managed_conversation_state(
            previous_response_id=previous_response_id, conversation_id=conversation_id
        )
        self._handle_unsupported_prompt(prompt)
        converted = self._converted.of(tools, handoffs)
        if converted is not None:
            model_settings = _with_tools(model_settings, converted)
            tools, handoffs = [], []
        about = (system_instructions, input, model_settings, tools, output_schema, handoffs)
        response, stream = await self._fetch_response(
            *about, sdk.generation_span(disabled=True), tracing, stream=True
        )
        body = StreamedBody(stream)
        response._request_id = body.request_id
        reading = _ChatReader()
        frames = SseFrames()
        try:
            with body.read():
                async for piece in body.pieces:
                    for event in reading.events(frames.feed(piece)):
                        yield event
                    if reading.over:
                        await body.drain()
                        break
            async for end in self._end(response, reading):
                yield end
        finally:
            await body.aclose()

    async def _end(self, response: Response, reading: "_ChatReader") -> AsyncIterator[Any]:
        """Yield what the SDK's handler makes of the chunks, without what was emitted before."""
        for said in reading.rest():
            yield said
        if reading.failed is not None:
            yield reading.failed
            return
        raise_unfinished(reading.reason)
        chunks: Any = reading.chunks()
        async for event in sdk.ChatCmplStreamHandler.handle_stream(response, chunks, model=self.model):
            if event.type == ADDED and not reading.begun:
                reading.begun = True
                yield StreamEvent(ADDED)
            elif event.type == "response.completed" or (
                event.type == "response.refusal.delta" and not reading.shown
            ):
                yield event


def _with_tools(settings: Any, converted: msgspec.Raw) -> Any:
    """Return settings that carry the tools past the SDK's conversion."""
    said: dict[str, Any] = {"tools": converted}
    if settings.parallel_tool_calls is not None:
        said["parallel_tool_calls"] = settings.parallel_tool_calls
    return replace(settings, extra_args={**(settings.extra_args or {}), **said})


class _ChatReader:
    """The state of one answer so far, built from its frames."""

    def __init__(self) -> None:
        self.over = False
        self.reason: str | None = None
        self.failed: StreamEvent | None = None
        self.shown = False
        self.begun = False
        self._odd = False
        """Were there events that the fast decoder refuses? Only those can have half a character."""
        self._said: list[str] = []
        self._kept: list[dict[str, Any]] = []
        self._adding: tuple[str, int] | None = None
        """The field that later deltas are added to in the last kept chunk, and the index of the call."""
        self._added: list[str] = []
        self._size, self._wire = AnswerSize(), WireSize()

    def events(self, frames: list[bytes]) -> Iterator[Any]:
        """Yield the events of these frames; the text of one read is one event, also before an unreadable frame."""
        try:
            for data in frames:
                if data[:6] == b"[DONE]":
                    self.over = True
                    break
                try:
                    chunk = _chunk(data)
                except msgspec.DecodeError:
                    chunk = self._read_odd(data)
                if chunk.error:
                    self._fail(chunk.error)
                    break
                self._take(chunk, data)
                if not self.begun and self._is_begun(chunk):
                    self.begun = True
                    yield StreamEvent(ADDED)
        except Exception:
            # However the stream breaks, the text that has arrived is passed on before the error.
            yield from self.rest()
            raise
        if self._said:
            yield self._text(self.over)

    def _read_odd(self, data: bytes) -> _Chunk:
        """Return a chunk as the SDK would read it: what is falsy in place of the choices is none."""
        self._odd = True
        fields = load_object(data)
        return pick_fields({**fields, "choices": fields.get("choices") or None}, _Chunk)

    def _fail(self, error: Any) -> None:
        code = error.get("code") if isinstance(error, dict) else None
        self.failed = StreamEvent("error", code=code if isinstance(code, str) else None)
        self.over = True

    def rest(self) -> Iterator[TextRead]:
        """Yield the text that was not emitted yet, if there is any, when no more can come."""
        if self._said:
            yield self._text(True)

    def _text(self, last: bool) -> TextRead:
        whole, self._said = "".join(self._said), []
        if self._odd:
            whole, self._said = split_half_character(whole, last=last)
        self.shown = True
        return TextRead(whole)

    def _take(self, chunk: _Chunk, data: bytes) -> None:
        choices = chunk.choices or ()
        for choice in choices:
            self.reason = choice.finish_reason or self.reason
            if choice.index == 0 and isinstance(choice.delta, dict):
                for name in _SHOWN:
                    if choice.delta.get(name) and isinstance(choice.delta[name], str):
                        self._said.append(choice.delta[name])
        adds = _adds(choices[0]) if len(choices) == 1 and not chunk.usage else None
        if adds is None:
            self._settle()
            self._keep(data)
            return
        place, text = adds
        if place != self._adding:
            self._settle()
            self._keep(data)
            self._adding = place
        self._added.append(text)
        if place[0] not in _SHOWN:  # Shown text is counted where it is shown.
            self._size.add(size_of(text))

    def _keep(self, data: bytes) -> None:
        self._wire.keep(len(data))
        try:
            self._kept.append(_whole(data))
        except msgspec.DecodeError:
            self._kept.append(load_object(data))

    def _settle(self) -> None:
        """Write what was added into the chunk that it began with."""
        if self._adding is None:
            return
        name, index = self._adding
        delta = self._kept[-1]["choices"][0]["delta"]
        if index < 0:
            delta[name] = "".join(self._added)
        else:
            delta["tool_calls"][0]["function"]["arguments"] = "".join(self._added)
        self._adding, self._added = None, []

    @staticmethod
    def _is_begun(chunk: _Chunk) -> bool:
        """Return whether the answer has any content, so that its request is not repeated."""
        return any(
            any(map(is_named, value)) if name == "tool_calls" and isinstance(value, list) else value
            for choice in chunk.choices or ()
            if choice.index == 0 and isinstance(choice.delta, dict)
            for name, value in choice.delta.items()
            if name != "role"
        )

    async def chunks(self) -> AsyncIterator[ChatCompletionChunk]:
        """Yield the chunks that are left, as the SDK reads them."""
        self._settle()
        for kept in self._kept:
            yield build_object(ChatCompletionChunk, mend_value(kept) if self._odd else kept)


def _adds(choice: _Choice) -> tuple[tuple[str, int], str] | None:
    """Return the field that a chunk adds to, and the text; None when the chunk does more than that."""
    if choice.index != 0 or choice.finish_reason is not None or choice.logprobs:
        return None
    if not isinstance(choice.delta, dict):
        return None
    said = [(name, value) for name, value in choice.delta.items() if value and name != "role"]
    if len(said) != 1:
        return None
    name, value = said[0]
    if name in _ADDING and isinstance(value, str):
        return (name, -1), value
    return _adds_arguments(value) if name == "tool_calls" else None


def is_named(call: Any) -> bool:
    """Return whether it is known which call this is. Before that the SDK's own model begins no call."""
    return isinstance(call, dict) and bool(call.get("id"))


def _adds_arguments(calls: Any) -> tuple[tuple[str, int], str] | None:
    """Return the piece of a call's arguments, when there is nothing but that."""
    if not isinstance(calls, list) or len(calls) != 1 or not isinstance(calls[0], dict):
        return None
    call = {name: value for name, value in calls[0].items() if value is not None}
    index, function = call.pop("index", None), call.pop("function", None)
    call.pop("type", None)
    if call or not isinstance(index, int) or not isinstance(function, dict):
        return None
    arguments = function.get("arguments")
    named = any(value for name, value in function.items() if name != "arguments")
    return (
        None
        if named or not isinstance(arguments, str) or not arguments
        else (("arguments", index), arguments)
    )
