"""The frames that a client may send: one frozen model each, parsed and validated before anything else sees it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NoReturn, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from server import patterns
from server.errors import BadFrame, BadJson, Empty, LoopwireError, TooLong, UnknownType
from server.protocol.content_parts import ANSWER, INPUT, TEXT
from server.protocol.field_errors import first_fault, shown_name
from server.protocol.plain_text import plain_value

MAX_FRAME = 65_536
MAX_TEXT = 8_000
"""Characters of what a message says, and of the values of its answers: a filled field is both a label and a value."""
MAX_COMMENT = 500
"""Characters of what a person adds to a thumb down."""
MAX_NESTING = 16
MAX_IMAGES = 8
MAX_CHOSEN = 64
"""Texts of one answer, where it is a list."""
MAX_TOOLS = 8_192
"""Bytes of all tools of a message together."""

MAX_CONTEXT = 8_192
"""Bytes of what a page says of itself with a message."""

_SAYS: dict[str, str] = {TEXT: "text", ANSWER: "label", INPUT: "text"}
"""The field of the words of each part of a message; the server writes an `input` for a request of a service."""

_ID = r"^[A-Za-z0-9_.:-]{1,64}$"
_id_shape = patterns.compile(_ID.replace("$", r"\Z"))

Id = Annotated[str, Field(pattern=_ID, max_length=64)]
"""The client's idempotency key, or an id that the server gave."""

Plain = BeforeValidator(plain_value)
"""For what a person or a page wrote, text or any JSON: it is made plain first, and then judged and measured."""

Name = Annotated[str, Field(min_length=1, max_length=64), Plain]


class Command(BaseModel):
    """A frame from a client: strict, closed, and never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class TextPart(Command):
    """Words that a person wrote."""

    type: Literal["text"]
    text: Annotated[str, Plain]


class AnswerPart(Command):
    """A click or a filled field in a block; `label` is what is shown and stored as text."""

    type: Literal["answer"]
    block_id: Id
    name: Name
    value: Annotated[
        str | int | float | bool | Annotated[list[str], Field(max_length=MAX_CHOSEN, fail_fast=True)] | None,
        Plain,
    ]
    label: Annotated[str, Plain]


class ImagePart(Command):
    """A picture that was uploaded before, by `POST /v1/sessions/{id}/files`."""

    type: Literal["image"]
    blob_id: Id


Part = Annotated[TextPart | AnswerPart | ImagePart, Field(discriminator="type")]


class Hello(Command):
    """The first frame: the client's ticket or resume token, and the last event that it has."""

    type: Literal["hello"]
    ticket: Annotated[str, Field(max_length=256)] | None = None
    resume_token: Annotated[str, Field(max_length=4096)] | None = None
    last_seq: Annotated[int, Field(ge=0, le=2**53)] | None = None
    epoch: Annotated[str, Field(max_length=64)] | None = None
    v: int = 1


class ClientTool(Command):
    """A tool of the sender's page, which an agent may call; `parameters` is a JSON Schema of one object."""

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    description: Annotated[str, Field(max_length=2_000), Plain] = ""
    parameters: Annotated[dict[str, Any], Plain] = Field(default_factory=dict)
    effect: bool = False
    """It changes something: the person is asked before each call."""


class Message(Command):
    """Something to be answered; stored exactly once under its id.

    `tools` can be called in its run and in those that resume it, as long as a page of the sender is there. `context` is
    what the page says of itself, the product that is looked at for example: agents read it as data of the page.
    """

    type: Literal["message"]
    id: Id
    content: Annotated[list[Part], Field(min_length=1, max_length=32)]
    tools: Annotated[list[ClientTool], Field(max_length=16)] | None = None
    context: Annotated[dict[str, Any], Plain] | None = None


class Edit(Command):
    """Another version of a message that the sender wrote; what runs is stopped. Stored exactly once under its id.

    Without `tools` those of the message are offered again; without a `context` the one of the message goes along.
    """

    type: Literal["edit"]
    id: Id
    message_id: Id
    content: Annotated[list[Part], Field(min_length=1, max_length=32)]
    tools: Annotated[list[ClientTool], Field(max_length=16)] | None = None
    context: Annotated[dict[str, Any], Plain] | None = None


class Regenerate(Command):
    """Have a message answered once more, as another version; it is named by its own id or that of its answer."""

    type: Literal["regenerate"]
    id: Id
    message_id: Id


class Switch(Command):
    """Show another version of a message, with what followed it; what runs is stopped."""

    type: Literal["switch"]
    id: Id
    message_id: Id


class Cancel(Command):
    """Stop a run, named by its id or by the id of the message that started it; else the running one."""

    type: Literal["cancel"]
    id: Id | None = None
    run_id: Id | None = None
    message_id: Id | None = None


AnswerStatus = Literal["resolved", "cancelled"]
"""The kinds of answers to an interrupt."""


class ResumeEntry(Command):
    """The answer to one interrupt."""

    interrupt_id: Id
    status: AnswerStatus
    payload: Annotated[Any, Plain] = None


class Resume(Command):
    """Answers to the interrupts that a run ended with."""

    type: Literal["resume"]
    id: Id
    entries: Annotated[list[ResumeEntry], Field(min_length=1, max_length=32)]


class ToolResult(Command):
    """The result of a tool in the browser."""

    type: Literal["tool_result"]
    id: Id
    tool_call_id: Id
    content: Annotated[str, Field(max_length=32_768), Plain]


class Feedback(Command):
    """A judgement of one message; null takes it back. The last one holds, with its reason or without one.

    A thumb down may say why: by a `reason`, by a `comment` of at most 500 characters, or by both.
    """

    type: Literal["feedback"]
    id: Id
    message_id: Id
    value: Literal["up", "down"] | None
    reason: Literal["wrong", "unhelpful", "unsafe", "other"] | None = None
    comment: Annotated[str, Field(max_length=MAX_COMMENT), Plain] | None = None


class Typing(Command):
    """The user is typing. While an operator has taken over, operators and other tabs get a notice. Never stored."""

    type: Literal["typing"]


ClientCommand = Annotated[
    Hello | Message | Edit | Regenerate | Switch | Cancel | Resume | ToolResult | Feedback | Typing,
    Field(discriminator="type"),
]

Parsed = Hello | Message | Edit | Regenerate | Switch | Cancel | Resume | ToolResult | Feedback | Typing
"""A frame that was parsed."""

SAYING = (Message, Edit, Regenerate, Switch)
"""The commands that begin a run as a message does, and are counted as one."""

_commands: TypeAdapter[Parsed] = TypeAdapter(ClientCommand)
_types = frozenset(
    get_args(each.model_fields["type"].annotation)[0] for each in get_args(get_args(ClientCommand)[0])
)


def parse_command(raw: str | bytes, *, longest: int = MAX_FRAME) -> Parsed:
    """Parse one frame, or raise the error that the client gets, with the frame's id when it has one.

    The fields of one that is longer than `longest` are not judged: it is TooLong.
    """
    data = _json(raw)
    if len(raw) > longest:
        raise TooLong
    if not isinstance(data, dict):
        raise BadFrame("A frame is a JSON object.")
    try:
        return _validate(data)
    except LoopwireError as error:
        given = data.get("id")
        error.id = given if isinstance(given, str) and _id_shape.match(given) else None
        raise


def parts_text(content: Sequence[Part | Mapping[str, Any]]) -> str:
    """Return the text of a message that people read: its texts and the labels of its clicks, one per line.

    Parts that only the server writes (an answer to an interrupt, one that expired) say nothing.
    """
    lines = []
    for part in content:
        fields = part if isinstance(part, Mapping) else part.model_dump()
        said = fields.get(_SAYS[fields["type"]]) if fields["type"] in _SAYS else None
        if said is not None:
            lines.append(str(said))
    return "\n".join(lines)


def _judge_content(content: Sequence[Part]) -> None:
    """Refuse a message that says too much or nothing, or whose answers have values of too many characters."""
    text = parts_text(content)
    if len(text) > MAX_TEXT or sum(map(_length_of_value, content)) > MAX_TEXT:
        raise TooLong
    images = sum(isinstance(each, ImagePart) for each in content)
    if images > MAX_IMAGES:
        raise TooLong(f"A message may have {MAX_IMAGES} pictures.")
    if not text.strip() and not images:
        raise Empty


def _length_of_value(part: Part) -> int:
    """Return the characters of an answer's value; those of a list with what divides its texts."""
    return len(str(part.value)) if isinstance(part, AnswerPart) else 0


def _judge_tools(tools: list[ClientTool]) -> None:
    """Refuse tools that are too many words, that share a name, or whose parameters are no object."""
    if len({each.name for each in tools}) < len(tools):
        raise BadFrame("Two tools have the same name.")
    if any(each.parameters.get("type", "object") != "object" for each in tools):
        raise BadFrame("The parameters of a tool must be an object.")
    if _size([each.model_dump() for each in tools]) > MAX_TOOLS:
        raise BadFrame("The tools are too long.")


def _size(value: Any) -> int:
    """Return the bytes of a value as JSON, as a browser writes it."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _json(raw: str | bytes) -> Any:
    """Read one JSON value: UTF-8 without a mark, every number finite, none that costs time to read."""
    try:
        data = raw.encode() if isinstance(raw, str) else raw
        if len(data) > MAX_FRAME:
            raise TooLong
        return json.loads(data.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadJson from error


def _refuse(_name: str) -> NoReturn:
    raise ValueError


def _finite(digits: str) -> float:
    """Read a number; one that no float holds would come back from the stores as another value."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError
    return number


def _validate(data: dict[str, Any]) -> Parsed:
    if not isinstance(data.get("type"), str) or data["type"] not in _types:
        raise UnknownType
    _check_values(data)
    try:
        command = _commands.validate_python(data)
    except ValidationError as error:
        raise BadFrame(f"{BadFrame.text[:-1]}: {first_fault(error, data)}.") from error
    if isinstance(command, Message | Edit):
        _judge_content(command.content)
        _judge_tools(command.tools or [])
        if _size(command.context) > MAX_CONTEXT:
            raise BadFrame(f"The context is longer than {MAX_CONTEXT} bytes.")
    if isinstance(command, Feedback) and command.value != "down" and (command.reason or command.comment):
        raise BadFrame("Only a thumb down has a reason or a comment.")
    return command


def _check_values(data: dict[str, Any]) -> None:
    """Refuse what the stores cannot hold: NUL, half a surrogate pair, and nesting without end."""
    for name, value in data.items():
        if why := _unfit(name):
            raise BadFrame(f"The name of a field {why}.")
        if why := _unfit_within(value):
            raise BadFrame(f"{shown_name(name)}: {why}.")


def _unfit_within(value: Any) -> str | None:
    """Return what no store can hold of a field; None when all is well."""
    level = [value]
    for _ in range(MAX_NESTING - 1):
        deeper: list[Any] = []
        for each in level:
            if isinstance(each, str):
                if why := _unfit(each):
                    return f"a text {why}"
            elif isinstance(each, dict):
                deeper += (*each.keys(), *each.values())
            elif isinstance(each, list):
                deeper += each
        level = deeper
        if not level:
            return None
    return "this is nested too deep"


def _unfit(text: str) -> str | None:
    if "\0" in text:
        return "may not hold NUL (U+0000)"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "may not hold half a surrogate pair"
    return None
