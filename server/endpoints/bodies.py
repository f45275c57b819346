"""The JSON bodies of requests: read, bounded and judged, with the kinds of texts that they hold."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from server.errors import (
    BadFrame,
    BadJson,
    LoopwireError,
    TooLong,
    UnsupportedMediaType,
)
from server.pacing import Pace
from server.protocol.field_errors import describe_fault, first_error
from server.protocol.plain_text import has_control, plain_text

MOST_CONTAINERS = 40_000
"""The most lists and objects of one body: two bytes of a body make the server allocate, judge and free one."""


_text = re.compile(rb'"(?>[^"\\]+|\\.)*+"', re.DOTALL)
"""A text of a JSON text. Nothing is tried twice, so the time grows with the text."""


def _make_plain(value: Any) -> Any:
    """Refuse what the stores cannot hold, and drop what no page may show."""
    if not isinstance(value, str):
        return value
    if "\0" in value:
        raise ValueError("a text may not hold NUL (U+0000)")
    return plain_text(value)


def _refuse_control_characters(value: str) -> str:
    """Refuse an id with control characters: without them it would be another id."""
    if has_control(value):
        raise ValueError("an id, a name or an address may not hold control characters")
    return value


PlainText = BeforeValidator(_make_plain)
"""For a text of a body: it is made plain first, and measured then."""


NoControl = AfterValidator(_refuse_control_characters)
"""For an id, a name or an address in a body."""


class JsonBody(BaseModel):
    """The JSON body of a request, closed and strict.

    Each text of it is PlainText, or NoControl where it is compared; deeper ones are judged as frames.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


B = TypeVar("B", bound=JsonBody)


def refusal_of(fault: ErrorDetails) -> LoopwireError:
    """Return the error of a body that has this fault."""
    return BadFrame(f"This body does not have the right fields: {describe_fault(fault)}.")


def require_few_containers(raw: bytes) -> None:
    """Raise TooLong for a JSON text with too many lists and objects."""
    if _containers(raw) > MOST_CONTAINERS:
        raise TooLong("This has too many lists and objects.")


def _containers(raw: bytes) -> int:
    """Count the lists and objects of a JSON text; where they are few, brackets within texts count too."""
    count = raw.count(b"[") + raw.count(b"{")
    if count <= MOST_CONTAINERS:
        return count
    bare = _text.sub(b"", raw)
    return bare.count(b"[") + bare.count(b"{")


async def body_of(
    request: Request, model: type[B], refusal: Callable[[ErrorDetails], LoopwireError] = refusal_of
) -> B:
    """Read a JSON body. Raises the error of its kind, which `refusal` makes of its first fault.

    The caller spends a rate before: judging a body costs more than sending it. Bodies that end at once, by their
    last byte or because their sender leaves, are judged in a turn of the loop each, so that no socket waits for all.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    # `request.body()` would keep the bytes until the request ends, which over AG-UI is the end of the answer.
    try:
        parts = [part async for part in request.stream()]
    finally:
        if (pace := _pace_of(request)) is not None:
            await pace.wait_for_turn()
    raw = b"".join(parts)
    require_few_containers(raw)
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as error:
        fault = first_error(error)
        raise BadJson if fault["type"] == "json_invalid" else refusal(fault) from None


def _pace_of(request: Request) -> Pace | None:
    pace: Pace | None = request.scope.get("state", {}).get("pace")
    return pace
