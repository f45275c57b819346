"""The closed set of blocks that tools may show: typed data without markup, drawn by the renderer.

A block is an activity of type `block`; its content is `to_content()` plus `status`, and `answer`
once it has one. A click on a choice sends the part `{"type": "answer", "block_id", "name",
"value", "label"}`: `name` is the block's, or the choice's own where it has one. Labels are in the
language of the conversation, because the click stores its label as the words of the seller.

Approvals and questions (`approval`, `ask`) are the face of an interrupt: they are answered by `resume`, not by a
message, and their status becomes `answered`, `declined`, `expired` or `closed`.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

Tone = Literal["info", "warning", "failure"]
Input = Literal["text", "number", "date"]
Asks = Literal["text", "number", "integer", "date", "email", "choice", "yesno"]


def _plain(value: object) -> object:
    """Make JSON of a value: parts become objects, tuples lists."""
    if isinstance(value, Part):
        return value.to_data()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True)
class Part:
    """A piece of a block; fields without a value are left out of the wire."""

    def to_data(self) -> dict[str, Any]:
        """Return the fields that say something, as JSON."""
        pairs = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: _plain(value) for name, value in pairs if value not in ("", None, ())}


@dataclass(frozen=True)
class Block(Part):
    """The common part of all blocks: a kind on the wire and the row they fold to."""

    kind: ClassVar[str] = ""
    asks: ClassVar[bool] = False
    """Whether a click on the block answers: it stands below the words of its turn, and waits for the click."""

    def to_content(self, status: str = "open") -> dict[str, Any]:
        """Return the content of the activity that shows this block."""
        return {"kind": self.kind, **self.to_data(), "status": status}


@dataclass(frozen=True)
class Choice(Part):
    """One button. `name` is only given when the click answers something other than the block."""

    value: str
    label: str
    note: str = ""
    name: str = ""


@dataclass(frozen=True)
class Pair(Part):
    """A name and what it is, one row of a block; `action` is a click that changes it while the block is open."""

    label: str
    value: str
    action: Choice | None = None


@dataclass(frozen=True)
class Choices(Block):
    """Pick one, or type it. `more` is the dashed button; `first` counts what is visible before it.

    With `first` all choices are here and the rest unfolds in place; a `more` with a value asks the
    agent for the next page. `again_of` is given when this block asks the same as the one with that id, with the next
    page too, or, where its answer was refused, with what was wrong as its `error`: a page shows it in that one's place.
    `change` is the quiet button of the folded row; without it the answer cannot be changed. With `in_place` it opens
    the choices in that row, and one of them, clicked there, is another answer to the same question.
    `position` and `total` are given when the block is a question of a protocol, drawn as a form. The last question has
    `kept`: what is kept so far, for the person to check before the answer ends the questions.
    """

    kind: ClassVar[str] = "choices"
    asks: ClassVar[bool] = True
    name: str
    legend: str
    choices: tuple[Choice, ...]
    hint: str = ""
    error: str = ""
    first: int | None = None
    more: Choice | None = None
    change: Choice | None = None
    in_place: bool | None = None
    unsure: Choice | None = None
    position: int | None = None
    total: int | None = None
    again_of: str = ""
    kept: tuple[Pair, ...] = ()


@dataclass(frozen=True)
class Form(Block):
    """One question with one field. `error` says what to write instead of `value`; the rest is as in `Choices`.

    `unused` are words of the person that neither `kept` nor `value` holds: each is a click that adds them to the text.
    With `confirm` the value was understood and waits for a yes: its label is on the button that sends the field, and a
    client that draws no field sends it as a choice, which takes the value as it stands.
    """

    kind: ClassVar[str] = "form"
    asks: ClassVar[bool] = True
    name: str
    legend: str
    input: Input = "text"
    hint: str = ""
    unit: str = ""
    value: str = ""
    error: str = ""
    required: bool = False
    confirm: Choice | None = None
    unsure: Choice | None = None
    change: Choice | None = None
    in_place: bool | None = None
    position: int | None = None
    total: int | None = None
    again_of: str = ""
    kept: tuple[Pair, ...] = ()
    unused: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Card(Block):
    """A thing that exists now: tag, reference, title, pairs, price if there is one, what happens next, what to do.

    `price_action` is a click that changes the price. `share` is the text that a person may pass on, empty where there
    is none; `suggestions` are messages that begin
    something else, each said by a button.
    """

    kind: ClassVar[str] = "card"
    asks: ClassVar[bool] = True
    title: str
    tag: str = ""
    tone: Literal["good", "bad", ""] = ""
    reference: str = ""
    pairs: tuple[Pair, ...] = ()
    price: str = ""
    price_action: Choice | None = None
    image: str = ""
    link: str = ""
    next_steps: str = ""
    share: str = ""
    actions: tuple[Choice, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row(Part):
    """One line of a list; `link` is a path on this server, `action` a click that answers."""

    title: str
    note: str = ""
    image: str = ""
    link: str = ""
    action: Choice | None = None


@dataclass(frozen=True)
class Rows(Block):
    """A list of things that already exist."""

    kind: ClassVar[str] = "list"
    legend: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Image(Block):
    """A picture with its size, so that nothing moves when it comes."""

    kind: ClassVar[str] = "image"
    source: str
    alt: str
    width: int
    height: int
    caption: str = ""


@dataclass(frozen=True)
class Progress(Block):
    """Work that outlives a tool call; `fraction` is 0 to 1, or absent when the end is unknown."""

    kind: ClassVar[str] = "progress"
    label: str
    fraction: float | None = None
    step: str = ""


@dataclass(frozen=True)
class Notice(Block):
    """Something to know; it is never answered."""

    kind: ClassVar[str] = "notice"
    title: str
    text: str = ""
    tone: Tone = "info"


MOST_RESPONSE_BYTES = 32 * 1024
"""Bytes of a response's data in its block; a larger one is read as the job's result."""


@dataclass(frozen=True)
class Response(Block):
    """The answer to a request: `pairs` are read by people, `data` by programs, and `job` names the request."""

    kind: ClassVar[str] = "response"
    service: str
    job: str
    pairs: tuple[Pair, ...] = ()
    data: dict[str, Any] | None = None


@dataclass(frozen=True)
class Approval(Block):
    """A call that waits for a person's yes: what will happen, in their words, until `expires_at` (ms)."""

    kind: ClassVar[str] = "approval"
    interrupt_id: str
    message: str
    expires_at: int
    tool: str = ""
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True)
class Field(Part):
    """One question of several; `min` and `max` bound a number, the length of a text, or a day (ISO 8601)."""

    name: str
    label: str
    input: Asks = "text"
    hint: str = ""
    choices: tuple[Choice, ...] = ()
    required: bool = False
    min: float | str | None = None
    max: float | str | None = None


@dataclass(frozen=True)
class Ask(Block):
    """Several questions at once, answered together or not at all until `expires_at` (ms)."""

    kind: ClassVar[str] = "ask"
    interrupt_id: str
    message: str
    expires_at: int
    fields: tuple[Field, ...]


KINDS: dict[str, type[Block]] = {block.kind: block for block in Block.__subclasses__()}
"""Every block by its kind on the wire."""
