"""Answers of agents that have a type: they are read leniently and judged strictly, and raise nothing inside the SDK."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from agents import AgentOutputSchema, AgentOutputSchemaBase
from agents.exceptions import UserError
from pydantic import BaseModel, TypeAdapter, ValidationError

from server import patterns
from server.agents.context import Json, RunContext
from server.agents.service import Team
from server.protocol.field_errors import describe_fault, first_error
from server.protocol.plain_text import plain_value

_FENCE = "```"
_OPENED = patterns.compile(_FENCE + r"\w*(?=\s)")


@dataclass(frozen=True)
class StructuredAnswer:
    """An answer as it was read: the object, or the sentence that says what is wrong with it."""

    value: Json | None
    fault: str = ""


class StructuredOutput(AgentOutputSchemaBase):
    """The type of an agent's answer, as the SDK describes it to the model and reads it back."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model
        try:
            self._told = AgentOutputSchema(model)
        except UserError:  # A strict schema cannot have objects with free keys.
            self._told = AgentOutputSchema(model, strict_json_schema=False)
        self._reader: TypeAdapter[BaseModel] = TypeAdapter(model)

    def is_plain_text(self) -> bool:
        """Return False: it is an object."""
        return False

    def name(self) -> str:
        """Return the name of the type."""
        return self._model.__name__

    def json_schema(self) -> dict[str, Any]:
        """Return the schema that the model is given."""
        return self._told.json_schema()

    def is_strict_json_schema(self) -> bool:
        """Return whether a model can be held to the schema."""
        return self._told.is_strict_json_schema()

    def validate_json(self, json_str: str) -> StructuredAnswer:
        """Read an answer. It never raises: the run decides about an answer that does not fit."""
        try:
            read = self._reader.validate_json(_without_fence(json_str))
        except ValidationError as error:
            return StructuredAnswer(None, describe_fault(first_error(error)))
        return StructuredAnswer(plain_value(read.model_dump(mode="json")))


def _without_fence(answer: str) -> str:
    """Return the text in a fence of a block of code, whose marks stand in lines of their own; else the answer."""
    text = answer.strip()
    opened = _OPENED.match(text)
    inner = text[opened.end() : -len(_FENCE)] if opened and text.endswith(_FENCE) else ""
    body = inner.strip()
    if not body:
        return answer
    before, _, after = inner.partition(body)
    is_apart = "\n" in before and "\n" in after
    return before.rpartition("\n")[2] + body + after.partition("\n")[0] if is_apart else answer


def read_outputs(team: Team) -> None:
    """Let the agents of a team whose answers have a type be read by `StructuredOutput`."""
    for agent in team.values():
        declared = agent.output_type
        if isinstance(declared, type) and issubclass(declared, BaseModel):
            agent.output_type = _output_of(declared)


@cache
def _output_of(model: type[BaseModel]) -> StructuredOutput:
    """Return the one output of a type: nothing of it changes, and describing a type takes milliseconds."""
    return StructuredOutput(model)


def has_structured_output(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a call of a model asks for an answer with a type: the fifth argument of the SDK's `Model`."""
    schema = kwargs.get("output_schema", args[4] if len(args) > 4 else None)  # noqa: PLR2004
    return isinstance(schema, StructuredOutput)


def repair_text(fault: str) -> str:
    """Return the message to an agent whose answer does not fit."""
    return f"Your answer cannot be used: {fault}. Answer again, with the whole JSON object and nothing else."


def request_text(request: Json, facts: Json) -> str:
    """Return a request as its agents read it."""
    return json.dumps({"request": request, **({"facts": facts} if facts else {})}, ensure_ascii=False)


def outputs_of(context: RunContext) -> dict[str, Json]:
    """Return the answers that the agents of a request have given, by agent; kept through a take-over."""
    kept: dict[str, Json] = context.private.setdefault(_OUTPUTS, {})
    return kept


def merge_outputs(outputs: Iterable[Json]) -> Json:
    """Return the fields of all answers; those of a later one win."""
    return {name: value for each in outputs for name, value in each.items()}


_OUTPUTS = "_outputs"
