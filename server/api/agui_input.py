"""What an AG-UI client posts: RunAgentInput, of which only what is new counts, since the conversation is ours."""

import hashlib
import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request

from server.api.parts import Body, body_of
from server.errors import BadFrame
from server.protocol.commands import parse_command
from server.ws.intake import Command

_key_shape = re.compile(r"[A-Za-z0-9_.:-]{1,64}\Z")

Id = Annotated[str, Field(min_length=1, max_length=128)]


class Part(BaseModel):
    """A part of AG-UI's model: closed where we read it, open where we do not."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Said(Part):
    """One of the messages that the caller knows; `content` is judged only where it is new."""

    id: Annotated[str, Field(min_length=1, max_length=256)]
    role: str
    content: Any = None
    tool_call_id: str | None = Field(None, alias="toolCallId")
    error: str | None = None


class Given(Part):
    """The answer to one interrupt."""

    interrupt_id: Id = Field(alias="interruptId")
    status: Literal["resolved", "cancelled"]
    payload: Any = None


class RunAgentInput(Body):
    """The body of a request. Its state, context and forwarded properties are the caller's own and change nothing."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    thread_id: Id = Field(alias="threadId")
    run_id: Id = Field(alias="runId")
    parent_run_id: Annotated[str, Field(max_length=128)] | None = Field(None, alias="parentRunId")
    messages: Annotated[list[Said], Field(max_length=10_000)]
    tools: list[dict[str, Any]] | None = None
    resume: list[Given] | None = None

    def new_messages(self) -> list[Said]:
        """The messages of the user that nothing follows, which may be several."""
        talk = [each for each in self.messages if each.role in {"user", "assistant", "tool"}]
        first = len(talk)
        while first and talk[first - 1].role == "user":
            first -= 1
        return talk[first:]

    def sent(self) -> dict[str, str]:
        """The caller's id of every message, by the key under which we store it."""
        return {key_of(each.id): each.id for each in self.messages}


async def input_of(request: Request) -> RunAgentInput:
    """Read the body. Raises the error of its kind, which names the field."""
    try:
        return await body_of(request, RunAgentInput)
    except BadFrame as error:
        if isinstance(error.__cause__, ValidationError):
            raise BadFrame(_which(error.__cause__)) from error
        raise


def key_of(id: str) -> str:
    """The idempotency key of a message or run: the caller's id of it, or its hash where ours are narrower."""
    return id if _key_shape.match(id) else f"x{hashlib.sha256(id.encode(errors='replace')).hexdigest()[:40]}"


def message_of(said: list[Said]) -> Command:
    """The message that several new ones are; the last one's id is its key. Raises what any frame may raise."""
    content = [{"type": "text", "text": text_of(each)} for each in said]
    frame = {"type": "message", "id": key_of(said[-1].id), "content": content}
    return parse_command(json.dumps(frame))


def text_of(said: Said) -> str:
    """The words of a message, which are all that we take. Raises BadFrame for anything else."""
    if isinstance(said.content, str):
        return said.content
    parts = said.content if isinstance(said.content, list) else [None]
    texts = [each.get("text") if isinstance(each, dict) else None for each in parts]
    words = [each for each in texts if isinstance(each, str)]
    if len(words) != len(texts):
        raise BadFrame(f"Only text is understood here; message {said.id[:64]!r} has something else.")
    return "\n".join(words)


def _which(error: ValidationError) -> str:
    """Say which field is wrong, and why."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(each) for each in first["loc"]) or "the body"
    return f"This is no RunAgentInput: {place[:200]}: {first['msg']}."
