"""The JSON bodies of requests: read, bounded and judged, with the kinds of texts that they hold."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from server.errors import (
    BadFrame,
    BadJson,
    LoopwireError,
    UnsupportedMediaType,
)
from server.pacing import Pace
from server.protocol.field_errors import describe_fault, first_error
from server.protocol.plain_text import LONGEST, has_control, plain_text
from server.value_count import ValueCount


def _make_plain(value: Any) -> Any:
    """Refuse what the stores cannot hold, and drop what no page may show."""
    if not isinstance(value, str) or len(value) > LONGEST:
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
"""For a text of a body: it is made plain first, and measured then. One of over `LONGEST` stays, to be refused."""


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


@contextmanager
def name_field(field: str) -> Iterator[None]:
    """Say of an error that it is of this field of the body."""
    try:
        yield
    except LoopwireError as error:
        error.field = field
        raise


async def read_json(request: Request, values: ValueCount) -> bytes:
    """Read a body that is JSON. Raises UnsupportedMediaType, and TooLong as soon as it has too many values.

    The caller spends a rate before: judging a body costs more than sending it. Each part of a body after its first,
    and what follows its end, by its last byte or because its sender leaves, has a turn of the loop for itself, so that
    no other task waits for many bodies at once.
    """
    if not _says_json(request) or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    # `request.body()` would keep the bytes until the request ends, which over AG-UI is the end of the answer.
    parts: list[bytes] = []
    pace = _pace_of(request)
    try:
        async for part in request.stream():
            if parts and part and pace is not None:
                await pace.wait_for_turn()
            values.feed(part)
            parts.append(part)
    finally:
        if pace is not None:
            await pace.wait_for_turn()
    return b"".join(parts).removeprefix(BOM_UTF8)


def _says_json(request: Request) -> bool:
    """Return whether a body is declared as JSON, or not at all by a program.

    A browser names the page's origin, and asks its server before it declares JSON: a page of others could send a body
    without a type unasked.
    """
    declared = request.headers.get("content-type")
    if declared is None:
        return "origin" not in request.headers
    media_type = declared.partition(";")[0].strip().lower()
    return media_type == "application/json" or (
        media_type.startswith("application/") and media_type.endswith("+json")
    )


def bad_json(fault: ErrorDetails) -> BadJson:
    """Return the error of a body that is no JSON; the error of half a character, as of a cut emoji, says so."""
    if "surrogate" in fault["msg"] or "hex escape" in fault["msg"]:
        return BadJson("This body is not valid JSON: a \\u escape is half of a character.")
    return BadJson()


async def body_of(
    request: Request,
    model: type[B],
    refusal: Callable[[ErrorDetails], LoopwireError] = refusal_of,
    values: ValueCount | None = None,
) -> B:
    """Read a JSON body. Raises the error of its kind, which `refusal` makes of its first fault.

    Without `values` it may have those of a whole conversation.
    """
    raw = await read_json(request, values or ValueCount.of_messages())
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as error:
        fault = first_error(error)
        raise bad_json(fault) if fault["type"] == "json_invalid" else refusal(fault) from None


def _pace_of(request: Request) -> Pace | None:
    pace: Pace | None = request.scope.get("state", {}).get("pace")
    return pace
