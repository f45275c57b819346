"""Any Agents SDK `Model` as a brain: its conversation over HTTP is the one it has in process.

What is rebuilt: instructions, input items, tool choice, temperature and their like, the output
schema. Tools and handoffs are *light*: same name, description and schema, but calling them raises,
since over HTTP it is the client that runs them. A function named `transfer_to_*` becomes a Handoff;
its agent's name is read from the SDK's own description ("Handoff to the X agent …"), else from the
function's name. Tracing is disabled, ids of a previous response are not known.
"""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from agents import FunctionTool, Handoff, ModelSettings, Usage
from agents.agent_output import AgentOutputSchemaBase
from agents.items import TResponseOutputItem, TResponseStreamEvent
from agents.models.interface import Model, ModelTracing
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)

from tests.modelserver import plan as plans
from tests.modelserver.brains import Brain
from tests.modelserver.plan import Call, Output, Pace, Plan, Reasoning, Refusal, Text
from tests.modelserver.request import ModelRequest, OutputFormat, ToolSpec

_AGENT_NAME = re.compile(r"Handoff to the (.+?) agent to handle the request\.")
_SETTINGS = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "max_tokens")


class WireSchema(AgentOutputSchemaBase):
    """An output schema of which only the JSON schema is known."""

    def __init__(self, wanted: OutputFormat) -> None:
        """Take what the request said."""
        self._wanted = wanted

    def is_plain_text(self) -> bool:
        """No: a schema was sent."""
        return False

    def name(self) -> str:
        """The name in the request."""
        return self._wanted.name

    def json_schema(self) -> dict[str, Any]:
        """Return the schema in the request."""
        return self._wanted.schema

    def is_strict_json_schema(self) -> bool:
        """As the request said."""
        return self._wanted.strict

    def validate_json(self, json_str: str) -> Any:
        """Read it; the type behind the schema stays with the client."""
        return json.loads(json_str)


def brain_from_model(model: Model, pace: Pace | None = None) -> Brain:
    """Return a brain that asks the SDK model, by the call that the request was: streamed or whole."""

    async def ask(request: ModelRequest) -> Plan:
        if request.stream:
            heard = await _listen(model.stream_response(*_positional(request), **_named()))
        else:
            response = await model.get_response(*_positional(request), **_named())
            heard = _Heard(output=response.output, usage=response.usage)
        return heard.plan(pace or Pace())

    return ask


def _named() -> dict[str, Any]:
    return {"previous_response_id": None, "conversation_id": None, "prompt": None}


def _positional(request: ModelRequest) -> tuple[Any, ...]:
    """Return the positional arguments of `Model.get_response` and `Model.stream_response`."""
    wanted = request.output_format
    return (
        request.instructions,
        request.items,
        _settings(request),
        [light_tool(tool) for tool in request.tools if not tool.is_handoff],
        WireSchema(wanted) if wanted else None,
        [light_handoff(tool) for tool in request.tools if tool.is_handoff],
        ModelTracing.DISABLED,
    )


def _settings(request: ModelRequest) -> ModelSettings:
    choice = request.tool_choice
    if isinstance(choice, dict):
        choice = choice.get("name")
    known = {name: request.settings[name] for name in _SETTINGS if name in request.settings}
    return ModelSettings(tool_choice=choice, parallel_tool_calls=request.parallel, **known)


def light_tool(spec: ToolSpec) -> FunctionTool:
    """A tool to read, not to call."""

    async def refuse(_context: Any, _arguments: str) -> Any:
        raise RuntimeError(f"{spec.name} runs at the client, not at the model server")

    return FunctionTool(
        name=spec.name,
        description=spec.description,
        params_json_schema=spec.parameters,
        on_invoke_tool=refuse,
        strict_json_schema=False,
    )


def light_handoff(spec: ToolSpec) -> Handoff[Any, Any]:
    """A handoff to read, not to take."""

    async def refuse(_context: Any, _arguments: str) -> Any:
        raise RuntimeError(f"{spec.name} is done by the client, not by the model server")

    found = _AGENT_NAME.match(spec.description)
    return Handoff(
        tool_name=spec.name,
        tool_description=spec.description,
        input_json_schema=spec.parameters,
        on_invoke_handoff=refuse,
        agent_name=found[1] if found else spec.name.removeprefix("transfer_to_"),
        strict_json_schema=False,
    )


@dataclass(slots=True)
class _Heard:
    """The output of the SDK's model; `deltas` keeps the borders between the pieces of each text."""

    output: list[TResponseOutputItem] = field(default_factory=list)
    usage: Usage | None = None
    deltas: dict[tuple[int, int], list[str]] = field(default_factory=dict)

    def plan(self, pace: Pace) -> Plan:
        """Return the same as a plan."""
        outputs: list[Output] = []
        for index, item in enumerate(self.output):
            if isinstance(item, ResponseFunctionToolCall):
                outputs.append(Call(item.name, item.arguments, item.call_id))
            elif isinstance(item, ResponseReasoningItem):
                outputs.append(Reasoning("".join(part.text for part in item.summary)))
            elif isinstance(item, ResponseOutputMessage):
                outputs.extend(self._parts(index, item))
            else:
                raise TypeError(f"no plan for an output item {item.type!r}")
        return Plan(outputs, pace=pace, usage=self._usage())

    def _parts(self, index: int, message: ResponseOutputMessage) -> list[Output]:
        parts: list[Output] = []
        for place, part in enumerate(message.content):
            if isinstance(part, ResponseOutputText):
                heard = self.deltas.get((index, place))
                same = heard is not None and "".join(heard) == part.text
                parts.append(Text(part.text, pieces=heard if same else None))
            else:
                parts.append(Refusal(part.refusal))
        return parts

    def _usage(self) -> plans.Usage | None:
        used = self.usage
        if used is None or not used.total_tokens:
            return None
        return plans.Usage(
            input=used.input_tokens,
            output=used.output_tokens,
            cached=used.input_tokens_details.cached_tokens,
            reasoning=used.output_tokens_details.reasoning_tokens,
        )


async def _listen(events: AsyncIterator[TResponseStreamEvent]) -> _Heard:
    """Collect a streamed answer; one without `response.completed` is an error of the model."""
    heard = _Heard()
    async for event in events:
        if event.type == "response.output_text.delta":
            place = (event.output_index, event.content_index)
            heard.deltas.setdefault(place, []).append(event.delta)
        elif event.type == "response.completed":
            heard.output = list(event.response.output)
            used = event.response.usage
            if used is not None:
                heard.usage = Usage(
                    requests=1,
                    input_tokens=used.input_tokens,
                    output_tokens=used.output_tokens,
                    total_tokens=used.total_tokens,
                    input_tokens_details=used.input_tokens_details,
                    output_tokens_details=used.output_tokens_details,
                )
            return heard
    raise RuntimeError("the model's stream ended without response.completed")
