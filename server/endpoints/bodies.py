"""The JSON bodies of requests: read, bounded and judged, with the kinds of texts that they hold."""

import asyncio
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
from server.protocol.plain_text import LONGEST, has_control, plain_text

MOST_CONTAINERS = 40_000
"""The most lists and objects of one body: two bytes of a body make the server allocate, judge and free one."""

MOST_VALUES = 40_000
"""The most lists, objects, members and elements together, where a body is large for the sake of its pictures."""

MOST_ESCAPES = 500_000
"""The most escapes of the texts of one body: each costs more than a letter. Ten megabytes of a picture in base64 have
160,000 where the sender escapes each slash."""

_STEP_BYTES = 64 * 1024


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


class ValueCount:
    """Counts what a parser would make objects of, piece by piece as the JSON text comes."""

    def __init__(self, marks: bytes, most: int, refusal: str) -> None:
        """`marks` are the bytes outside of texts that count; `refusal` is the sentence for more than `most`."""
        self._marks = marks
        self._most = most
        self._refusal = refusal
        self._count = 0
        self._escapes = 0
        self._in_text = False
        self._escaped = False
        """The last piece ended within an escape."""

    @classmethod
    def of_containers(cls) -> "ValueCount":
        """Count lists and objects."""
        return cls(b"[{", MOST_CONTAINERS, "This has too many lists and objects.")

    @classmethod
    def of_values(cls) -> "ValueCount":
        """Count lists, objects, members and elements."""
        return cls(b"[{,", MOST_VALUES, "This has too many values.")

    def feed(self, piece: bytes) -> None:
        """Count the next piece. Raises TooLong once there are too many."""
        piece = piece[self._escaped :]
        self._escaped = (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1
        plain = piece.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in piece else piece
        parts = plain.split(b'"')
        outside = b"".join(parts[self._in_text :: 2])
        self._in_text ^= len(parts) % 2 == 0
        self._count += sum(outside.count(each) for each in self._marks)
        if self._count > self._most:
            raise TooLong(self._refusal)
        self._escapes += piece.count(b"\\")
        if self._escapes > MOST_ESCAPES:
            raise TooLong("This has too many escapes in its texts.")

    async def feed_in_steps(self, text: bytes) -> None:
        """Count a whole text with turns of the loop in between. Raises TooLong."""
        for start in range(0, len(text), _STEP_BYTES):
            self.feed(text[start : start + _STEP_BYTES])
            await asyncio.sleep(0)
        self._in_text = self._escaped = False


async def read_json(request: Request, values: ValueCount) -> bytes:
    """Read a body that is JSON. Raises UnsupportedMediaType, and TooLong as soon as it has too many values.

    The caller spends a rate before: judging a body costs more than sending it. Each part of a body after its first,
    and what follows its end, by its last byte or because its sender leaves, has a turn of the loop for itself, so that
    nobody waits for many bodies at once.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or "content-encoding" in request.headers:
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
    return b"".join(parts)


async def body_of(
    request: Request,
    model: type[B],
    refusal: Callable[[ErrorDetails], LoopwireError] = refusal_of,
    values: ValueCount | None = None,
) -> B:
    """Read a JSON body. Raises the error of its kind, which `refusal` makes of its first fault.

    Without `values` lists and objects count alone.
    """
    raw = await read_json(request, values or ValueCount.of_containers())
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as error:
        fault = first_error(error)
        raise BadJson if fault["type"] == "json_invalid" else refusal(fault) from None


def _pace_of(request: Request) -> Pace | None:
    pace: Pace | None = request.scope.get("state", {}).get("pace")
    return pace
