"""The events of a Responses stream for outputs that are known whole: a script writes them as a model server does."""

import itertools
import json
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any

from agents.items import TResponseStreamEvent
from openai.types import responses as sdk
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from server import patterns

_PIECES = patterns.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def pieces(text: str) -> list[str]:
    """Return the words with the blanks before them; joined they are the text again."""
    return _PIECES.findall(text)


def response_events(opening: sdk.Response, closing: sdk.Response) -> Iterator[TResponseStreamEvent]:
    """Yield the events from the response that is opened to the one with all outputs, whose texts come word by word."""
    sequence = itertools.count()
    yield _event(sdk.ResponseCreatedEvent, "created", sequence, response=opening)
    for index, item in enumerate(closing.output):
        if isinstance(item, sdk.ResponseFunctionToolCall):
            yield from _call_events(item, index, sequence)
        else:
            yield from _text_events(item, index, sequence)
    yield _event(sdk.ResponseCompletedEvent, "completed", sequence, response=closing)


def _event(
    kind: Callable[..., TResponseStreamEvent], name: str, sequence: Iterator[int], **fields: Any
) -> TResponseStreamEvent:
    return kind(type=f"response.{name}", sequence_number=next(sequence), **fields)


def _text_events(item: Any, index: int, sequence: Iterator[int]) -> Iterator[TResponseStreamEvent]:
    """Yield the events of a message: added, its words, done."""
    text = item.content[0].text
    empty = item.model_copy(update={"content": [], "status": "in_progress"})
    place = {"item_id": item.id, "output_index": index, "content_index": 0}
    blank = sdk.ResponseOutputText(type="output_text", text="", annotations=[], logprobs=[])
    yield _event(
        sdk.ResponseOutputItemAddedEvent, "output_item.added", sequence, item=empty, output_index=index
    )
    yield _event(sdk.ResponseContentPartAddedEvent, "content_part.added", sequence, part=blank, **place)
    for piece in pieces(text):
        yield _event(
            sdk.ResponseTextDeltaEvent, "output_text.delta", sequence, delta=piece, logprobs=[], **place
        )
    yield _event(sdk.ResponseTextDoneEvent, "output_text.done", sequence, text=text, logprobs=[], **place)
    yield _event(
        sdk.ResponseContentPartDoneEvent, "content_part.done", sequence, part=item.content[0], **place
    )
    yield _event(sdk.ResponseOutputItemDoneEvent, "output_item.done", sequence, item=item, output_index=index)


def _call_events(
    item: sdk.ResponseFunctionToolCall, index: int, sequence: Iterator[int]
) -> Iterator[TResponseStreamEvent]:
    """Yield the events of a call: added without arguments, the arguments, done."""
    kind, place = "response.function_call_arguments", {"item_id": item.id or "", "output_index": index}
    empty = item.model_copy(update={"arguments": "", "status": "in_progress"})
    yield _event(
        sdk.ResponseOutputItemAddedEvent, "output_item.added", sequence, item=empty, output_index=index
    )
    yield sdk.ResponseFunctionCallArgumentsDeltaEvent.model_validate(
        {"type": f"{kind}.delta", "delta": item.arguments, "sequence_number": next(sequence), **place}
    )
    yield sdk.ResponseFunctionCallArgumentsDoneEvent.model_validate(
        {"type": f"{kind}.done", "arguments": item.arguments, "sequence_number": next(sequence), **place}
    )
    yield _event(sdk.ResponseOutputItemDoneEvent, "output_item.done", sequence, item=item, output_index=index)


def _id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(12)}"


def message_of(text: str) -> sdk.ResponseOutputMessage:
    """Return a whole message of this text, with an id of its own."""
    part = sdk.ResponseOutputText(type="output_text", text=text, annotations=[], logprobs=[])
    return sdk.ResponseOutputMessage(
        id=_id("msg"), type="message", role="assistant", status="completed", content=[part]
    )


def call_of(name: str, arguments: dict[str, Any]) -> sdk.ResponseFunctionToolCall:
    """Return a whole call of this tool, with ids of its own."""
    return sdk.ResponseFunctionToolCall(
        id=_id("fc"),
        type="function_call",
        call_id=_id("call"),
        name=name,
        arguments=json.dumps(arguments, ensure_ascii=False),
        status="completed",
    )


def usage_of(read: int, written: int) -> sdk.ResponseUsage:
    """Return the usage of so many tokens, none of them from a cache."""
    return sdk.ResponseUsage(
        input_tokens=read,
        output_tokens=written,
        total_tokens=read + written,
        input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    )


def response_of(
    model: str,
    output: list[sdk.ResponseOutputItem],
    usage: sdk.ResponseUsage | None,
    status: Any,
    response_id: str | None = None,
) -> sdk.Response:
    """Return the response of a model with these outputs; its id is new unless one is given."""
    return sdk.Response(
        id=response_id or _id("resp"),
        created_at=time.time(),
        model=model,
        object="response",
        output=output,
        status=status,
        usage=usage,
        tool_choice="auto",
        tools=[],
        parallel_tool_calls=True,
    )
