"""The events of a Responses stream for outputs that are known whole: a script writes them as a model server does."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from agents.items import TResponseStreamEvent
from openai.types import responses as sdk

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
