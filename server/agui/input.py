"""The body that an AG-UI client posts, RunAgentInput; only what is new in it counts."""

import hashlib
import json
from collections.abc import Collection
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import ErrorDetails
from starlette.requests import Request

from server import patterns
from server.endpoints.bodies import JsonBody, NoControl, body_of
from server.errors import BadFrame, LoopwireError, TooLong
from server.protocol.commands import AnswerStatus, Message, Resume, ToolResult, parse_command
from server.protocol.content_parts import TEXT
from server.store import GivenAnswer

_key_shape = patterns.compile(r"[A-Za-z0-9_.:-]{1,64}\Z")

MOST_MESSAGES = 5000
"""Messages of one request. A caller that knows more may send the newest ones only."""

MOST_TOOLS = 128
"""Tools of one request; a message may bring fewer, but not every request has one."""

MOST_ANSWERS = 32
"""Answers to what waits, of one request: as many as a frame on a socket may bring."""

Id = Annotated[str, Field(min_length=1, max_length=128)]


class InputPart(BaseModel):
    """A part of AG-UI's model: closed where we read it, open where we do not."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class InputMessage(InputPart):
    """One of the messages that the caller knows; `content` is judged only where it is new."""

    id: Annotated[str, Field(min_length=1, max_length=256)]
    role: str
    content: Any = None
    tool_call_id: str | None = Field(None, alias="toolCallId")
    error: str | None = None


class InterruptAnswer(InputPart):
    """The answer to one interrupt."""

    interrupt_id: Id = Field(alias="interruptId")
    status: AnswerStatus
    payload: Any = None


class Tool(InputPart):
    """The tools of the caller's page."""

    name: str
    description: str = ""
    parameters: dict[str, Any] | None = None


class RunAgentInput(JsonBody):
    """The body of a request. Its state, context and forwarded properties are the caller's own and change nothing."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    thread_id: Annotated[Id, NoControl] = Field(alias="threadId")
    run_id: Annotated[Id, NoControl] = Field(alias="runId")
    protocol_version: Annotated[str, Field(max_length=64), NoControl] | None = Field(
        None, alias="protocolVersion"
    )
    """The version of AG-UI that the caller's schemas have; clients before 1.0 name none."""
    parent_run_id: Annotated[str, Field(max_length=128), NoControl] | None = Field(None, alias="parentRunId")
    messages: Annotated[list[InputMessage], Field(max_length=MOST_MESSAGES, fail_fast=True)]
    tools: Annotated[list[Tool], Field(max_length=MOST_TOOLS, fail_fast=True)] | None = None
    resume: Annotated[list[InterruptAnswer], Field(max_length=MOST_ANSWERS, fail_fast=True)] | None = None

    def new_messages(self) -> list[InputMessage]:
        """Return the messages of the user that nothing follows, which may be several."""
        talk = [each for each in self.messages if each.role in {"user", "assistant", "tool"}]
        first = len(talk)
        while first and talk[first - 1].role == "user":
            first -= 1
        return talk[first:]

    def has_answers(self) -> bool:
        """Return whether something was answered before: what follows a message of the user.

        A greeting is the page's own.
        """
        roles = [each.role for each in self.messages]
        return "user" in roles and bool({"assistant", "tool"} & set(roles[roles.index("user") :]))

    def sent_ids(self) -> dict[str, str]:
        """Return the caller's id of every message, by the key under which we store it."""
        return {key_of(each.id): each.id for each in self.messages}

    def results(self) -> dict[str, InputMessage]:
        """Return the results of the caller's own tools since the user's last message, by call."""
        found: dict[str, InputMessage] = {}
        for each in self.messages:
            if each.role == "user":
                found = {}
            elif each.role == "tool" and each.tool_call_id is not None:
                found[each.tool_call_id] = each
        return found


async def input_of(request: Request) -> RunAgentInput:
    """Read the body. Raises the error of its kind, which names the field."""
    return await body_of(request, RunAgentInput, _refusal)


def key_of(id: str) -> str:
    """Return the idempotency key of a message or run: the caller's id of it, or its hash where ours are narrower."""
    return id if _key_shape.match(id) else f"x{hashlib.sha256(id.encode(errors='replace')).hexdigest()[:40]}"


def message_of(said: list[InputMessage], tools: list[Tool] | None) -> Message:
    """Return the message that several new ones are; the last one's id is its key. Raises what any frame may raise."""
    content = [{"type": TEXT, "text": text_of(each)} for each in said]
    frame: dict[str, Any] = {"type": "message", "id": key_of(said[-1].id), "content": content}
    if tools:
        frame["tools"] = [each.model_dump(exclude_none=True) for each in tools]
    message = parse_command(json.dumps(frame))
    assert isinstance(message, Message)  # noqa: S101 - tells the type.
    return message


def answers_of(body: RunAgentInput, open_calls: Collection[str]) -> list[GivenAnswer]:
    """Return the caller's answers to interrupts: its resume entries, and the results of open calls."""
    key, given = key_of(body.run_id), []
    if body.resume:
        entries = [each.model_dump() for each in body.resume]
        resume = parse_command(json.dumps({"type": "resume", "id": key, "entries": entries}))
        assert isinstance(resume, Resume)  # noqa: S101 - tells the type.
        given = [
            GivenAnswer(each.status, each.payload, interrupt_id=each.interrupt_id) for each in resume.entries
        ]
    for call_id, said in body.results().items():
        if call_id in open_calls:
            frame = {"type": "tool_result", "id": key, "tool_call_id": call_id, "content": _result(said)}
            result = parse_command(json.dumps(frame))
            assert isinstance(result, ToolResult)  # noqa: S101 - tells the type.
            given.append(GivenAnswer("resolved", result.content, call_id=result.tool_call_id))
    return given


def _result(said: InputMessage) -> str:
    """Return the result of a page's tool, or its failure."""
    return text_of(said) if said.error is None else json.dumps({"error": said.error}, ensure_ascii=False)


def text_of(said: InputMessage) -> str:
    """Return the words of a message, which are all that we take. Raises BadFrame for anything else."""
    if isinstance(said.content, str):
        return said.content
    parts = said.content if isinstance(said.content, list) else [None]
    texts = [each.get("text") if isinstance(each, dict) else None for each in parts]
    words = [each for each in texts if isinstance(each, str)]
    if len(words) != len(texts):
        raise BadFrame(f"Only text is understood here; message {said.id[:64]!r} has something else.")
    return "\n".join(words)


def _refusal(fault: ErrorDetails) -> LoopwireError:
    """Return which field is wrong, and why."""
    if fault["type"] == "too_long" and fault["loc"] == ("messages",):
        return TooLong(f"Send at most {MOST_MESSAGES} messages, the newest ones.")
    place = ".".join(str(each) for each in fault["loc"]) or "the body"
    return BadFrame(f"This is no RunAgentInput: {place[:200]}: {fault['msg']}.")
