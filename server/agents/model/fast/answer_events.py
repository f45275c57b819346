"""The few events of a streamed answer that a run needs, made without objects of the client library.

The events have the names and the fields of the SDK's own, as far as our code reads them; no object of the
client library is made for an event that is only passed on.
"""

from typing import Any, TypeVar

import msgspec
from openai.types.responses import Response, ResponseCompletedEvent
from pydantic import BaseModel, ValidationError

TEXT = "response.output_text.delta"
SUMMARY = "response.reasoning_summary_text.delta"
ADDED = "response.output_item.added"

_Built = TypeVar("_Built", bound=BaseModel)


class TextRead(msgspec.Struct):
    """The text of one read, or a summary of reasoning, as its type says."""

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
