"""The parts of an answer, for `match`: what a run yields, and what it comes to in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """Words of an agent, or of an operator, as they come: `delta` is what is new of the message.

    `agent` is who says it: the name of an agent, or of a person where it is an `operator`.
    """

    delta: str
    message_id: str
    agent: str | None = None
    operator: bool = False


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A summary of what a model thinks, as it comes, where its service shows that: `delta` is what is new of it.

    It is no part of the answer. `agent` is the agent whose model thinks.
    """

    delta: str
    message_id: str
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool: it comes when it begins, as it gets further, and when it has ended.

    `status` is running, waiting (for a person or a program), done, failed, stopped or unknown. `arguments` and
    `result` are the public view of the call, JSON texts.
    """

    id: str
    name: str
    status: str
    arguments: str = ""
    result: str | None = None
    progress: float | None = None
    label: str | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Handoff:
    """An agent hands over to another."""

    to: str
    from_: str | None = None
    reason: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that a block offers."""

    value: Any
    label: str
    name: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Something to show: choices, a form, a card, ... `content` has all its fields; it comes again when they change."""

    id: str
    kind: str
    content: Mapping[str, Any] = field(compare=True, hash=False)
    status: str | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Return what can be picked of it."""
        own = str(self.content.get("name", ""))
        offered: list[Any] = [*self.content.get("choices", ()), *self.content.get("actions", ())]
        return tuple(
            Choice(each["value"], each["label"], each.get("name") or own, each.get("note"))
            for each in offered
        )

    def answer(self, picked: Choice | Any, label: str | None = None) -> dict[str, Any]:
        """Return the part of a message that picks a choice, or that answers with a value of one's own."""
        if isinstance(picked, Choice):
            name, value, words = picked.name, picked.value, picked.label
        else:
            name, value, words = str(self.content.get("name", "")), picked, str(picked)
        return {"type": "answer", "block_id": self.id, "name": name, "value": value, "label": label or words}


@dataclass(frozen=True, slots=True)
class Ask:
    """A run waits for a person or a program: `Chat.answer` answers it. `kind` is approval, form or tool.

    `schema` is the JSON Schema of the answer. `content` is the block that shows it, where there is one, and `tool`
    and `arguments` are those of the call that waits.
    """

    id: str
    run_id: str
    kind: str
    message: str
    schema: Mapping[str, Any] = field(hash=False)
    tool_call_id: str | None = None
    expires_at: str | None = None
    tool: str | None = None
    arguments: str = ""
    content: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Retracted:
    """The words of a message or summary, or a call, under this id are withdrawn. The run begins that step anew."""

    id: str


Part = Text | Reasoning | Tool | Handoff | Block | Ask | Retracted


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model."""

    model: str
    input_tokens: int
    output_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a run.

    `status` is finished or error. `outcome` of a finished run is success, cancelled or interrupt: then `asks` are what
    it waits for. `code` and `message` tell an error. `outcome` is None and `usage` empty where the run ended while
    this client was away for long, and nothing tells more.
    """

    status: str
    text: str
    outcome: str | None = None
    usage: tuple[Usage, ...] = ()
    code: str | None = None
    message: str | None = None
    asks: tuple[Ask, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was uploaded: it can stand in the content of a message."""

    blob_id: str
    url: str
    media_type: str
    width: int
    height: int
    bytes: int

    @property
    def part(self) -> dict[str, Any]:
        """Return the part of a message that is this picture."""
        return {"type": "image", "blob_id": self.blob_id}


Content = str | Picture | Sequence["str | Picture | Mapping[str, Any]"]
"""What a message says: a text, a picture, or several parts, such as `block.answer(…)`."""


def parts_of(content: Content) -> list[dict[str, Any]]:
    """Return a content as the parts of the wire."""
    several = [content] if isinstance(content, str | Picture) else content
    return [_part_of(each) for each in several]


def _part_of(each: str | Picture | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(each, str):
        return {"type": "text", "text": each}
    return each.part if isinstance(each, Picture) else dict(each)
