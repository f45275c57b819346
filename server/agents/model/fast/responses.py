"""The reader of a Responses stream: it sends the SDK's request, and takes the tokens without an object per token."""

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any, TypeVar, get_args

import msgspec
from agents import ModelSettings, OpenAIResponsesModel
from agents.items import TResponseStreamEvent
from openai.types import responses
from openai.types.responses import Response, ResponseOutputMessage, ResponseUsage
from openai.types.responses.response import IncompleteDetails
from openai.types.responses.response_error import ResponseError

from server.agents.model.answer_size import AnswerSize, WireSize, size_of
from server.agents.model.client import Client
from server.agents.model.fast.answer_events import (
    ADDED,
    SUMMARY,
    TEXT,
    StreamEvent,
    TextRead,
    build_object,
    completed_event,
    part,
)
from server.agents.model.fast.encoded_tools import ConvertedTools
from server.agents.model.fast.lenient_json import load_object, pick_fields, split_half_character
from server.agents.model.fast.sse import SseFrames
from server.agents.model.fast.streamed_body import StreamedBody
from server.protocol.codec import mend_value

DONE = "response.output_item.done"
_SAID = {TEXT: TEXT, "response.refusal.delta": TEXT, SUMMARY: SUMMARY}
"""The type of the event that a run gets for a delta that it shows."""

_NOTED = frozenset({ADDED, "response.output_text.done", "response.reasoning_summary_part.added"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_ERRORS = frozenset({"error", "response.error"})
_Kind = TypeVar("_Kind")


class _Event(msgspec.Struct):
    """An event of the wire, as far as every event is looked at: the rest is skipped over, not decoded.

    Small servers send null or text where something else belongs: a field that is not read must not end an answer.
    """

    type: str | None = None
    delta: Any = None
    output_index: Any = 0
    error: Any = None
    code: Any = None


class _Answer(msgspec.Struct):
    """The answer inside the event that ends it, without the request that providers repeat in it."""

    id: Any = ""
    created_at: Any = 0
    model: Any = None
    status: Any = None
    output: Any = None
    usage: Any = None
    error: Any = None
    incomplete_details: Any = None


class _End(msgspec.Struct):
    response: _Answer


class _Done(msgspec.Struct):
    item: Any = None


_event = msgspec.json.Decoder(_Event).decode


@cache
def kinds_of_items() -> dict[str, Any]:
    """Return the client library's class of each type of item; raises any error when that is no union any more."""
    return {
        name: kind
        for kind in get_args(get_args(responses.ResponseOutputItem)[0])
        for name in get_args(kind.model_fields["type"].annotation)
    }


class FastResponsesModel(OpenAIResponsesModel):
    """The SDK's model with its own reader of streamed answers."""

    def __init__(self, model: str, client: Client) -> None:
        super().__init__(model, client)
        self._converted = ConvertedTools(self._convert)

    def _convert(self, tools: list[Any], handoffs: list[Any]) -> list[Any]:
        said: dict[str, Any] = self._build_response_create_kwargs(
            None, [], ModelSettings(), tools, None, handoffs, stream=True
        )
        return list(said["tools"])

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Yield what a run needs of an answer: the text of each read, where items begin, and its end."""
        body = StreamedBody(await self._client.responses.create(**self._request(*args, **kwargs)))
        reading = _ResponsesReader(body.request_id)
        frames = SseFrames()
        try:
            with body.read():
                async for piece in body.pieces:
                    for event in reading.events(frames.feed(piece)):
                        if event.type == "response.completed":
                            await body.drain()
                        yield event
                    if reading.over:
                        return
        finally:
            await body.aclose()

    def _request(
        self,
        system_instructions: str | None,
        input: Any,
        model_settings: Any,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **more: Any,
    ) -> dict[str, Any]:
        """Return the SDK's request, of which the conversation and the tools are not walked through again."""

        def build(said: Any, of: list[Any], to: list[Any]) -> dict[str, Any]:
            return self._build_response_create_kwargs(
                system_instructions, said, model_settings, of, output_schema, to, stream=True, **more
            )

        plain = isinstance(input, list) and more.get("prompt") is None and model_settings.tool_choice is None
        converted = self._converted.of(tools, handoffs) if plain else None
        if converted is None:
            return build(input, tools, handoffs)
        request = build([], [], [])
        copied = [dict(item) if isinstance(item, dict) else item for item in input]
        request["input"] = self._remove_openai_responses_api_incompatible_fields(copied)
        request["tools"] = converted
        if model_settings.parallel_tool_calls is not None:
            request["parallel_tool_calls"] = model_settings.parallel_tool_calls
        return request


class _ResponsesReader:
    """The events of one answer, read from its frames."""

    def __init__(self, request_id: str | None) -> None:
        self.over = False
        self._request_id = request_id
        self._odd = False
        """Were there events that the fast decoder refuses? Only those can have half a character."""
        self._said: list[str] = []
        self._of = TEXT, 0
        """The type and the output of what was said."""
        self._items: list[Any] = []
        self._size, self._wire = AnswerSize(), WireSize()

    def events(self, frames: list[bytes]) -> Iterator[Any]:
        """Yield the events of these frames; the text of one read is one event, also before an unreadable frame."""
        try:
            for data in frames:
                if data[:6] == b"[DONE]":
                    self.over = True
                    break
                try:
                    event = _event(data)
                except msgspec.DecodeError:
                    event = self._read_odd(data)
                if event.type in _SAID:
                    of = _SAID[event.type], _index(event)
                    if of != self._of:
                        yield from self._text(True)
                        self._of = of
                    if isinstance(event.delta, str):
                        self._said.append(event.delta)
                    continue
                noted = self._read_other(event, data)
                if noted is not None:
                    yield from self._text(True)
                    yield noted
                if self.over:
                    return
        except Exception:
            # However the stream breaks, the text that has arrived is passed on before the error.
            yield from self._text(True)
            raise
        yield from self._text(self.over)

    def _read_odd(self, data: bytes) -> _Event:
        self._odd = True
        return pick_fields(load_object(data), _Event)

    def _text(self, last: bool) -> tuple[TextRead, ...]:
        if not self._said:
            return ()
        whole, self._said = "".join(self._said), []
        if self._odd:
            whole, self._said = split_half_character(whole, last=last)
        kind, index = self._of
        return (TextRead(whole, index, kind),)

    def _read_other(self, event: _Event, data: bytes) -> Any:
        """Return the meaning of an event without text; None when a run does not need it."""
        if isinstance(event.delta, str):  # A delta of arguments or raw thoughts is counted and not kept.
            self._size.add(size_of(event.delta))
        if event.error or event.type in _ERRORS:
            self.over = True
            told = event.error.get("code") if isinstance(event.error, dict) else None
            code = told if event.type == "response.error" else event.code or told
            return StreamEvent("error", code=code if isinstance(code, str) else None)
        if event.type in _NOTED:
            return StreamEvent(event.type, _index(event))
        if event.type == DONE:
            self._wire.keep(len(data))
            self._items.append(_whole(data, _Done).item)
            return StreamEvent(ADDED, _index(event))
        if event.type in _ENDS:
            self.over = True
            response = self._response(_whole(data, _End).response)
            return (
                completed_event(response)
                if event.type == "response.completed"
                else StreamEvent(event.type, response=response)
            )
        return None

    def _response(self, answer: _Answer) -> Response:
        """Return the answer in the runner's type; items are taken from their own events where the end repeats none."""
        items = answer.output if answer.output and isinstance(answer.output, list) else self._items
        response = Response.model_construct(
            id=answer.id,
            created_at=answer.created_at,
            model=answer.model,
            object="response",
            status=answer.status,
            output=[
                build_object(kinds_of_items().get(str(item.get("type")), ResponseOutputMessage), item)
                for item in items
                if isinstance(item, dict)
            ],
            usage=part(ResponseUsage, answer.usage),
            error=part(ResponseError, answer.error),
            incomplete_details=part(IncompleteDetails, answer.incomplete_details),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        response._request_id = self._request_id
        return response


def _index(event: _Event) -> int:
    """Return the place of an output in its answer; the first where the event has no usable one."""
    return event.output_index if isinstance(event.output_index, int) else 0


def _whole(data: bytes, kind: type[_Kind]) -> _Kind:
    """Return an event that is looked into: what it holds is kept, so its texts are mended."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        return pick_fields(mend_value(load_object(data)), kind)
