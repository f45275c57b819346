"""The demo model for the SDK: it decides by a script, streams like a model and costs nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agents import FunctionTool, Handoff, ModelSettings, Tool, generation_span
from agents.agent_output import AgentOutputSchemaBase
from agents.items import ModelResponse, TResponseInputItem, TResponseStreamEvent
from agents.models.interface import Model, ModelTracing
from agents.usage import Usage
from openai.types import responses as sdk

from server.agents.model.response_events import call_of, message_of, response_events, response_of, usage_of
from server.demo.conversation_view import Act, Call, Say
from server.demo.role_choice import answer

NAME = "loopwire-demo"


class DemoModel(Model):
    """Answers from its script; the delay is the pause after each word, in seconds."""

    def __init__(self, delay: float = 0.03) -> None:
        """Words leave `delay` seconds apart."""
        self._delay = delay

    async def get_response(self, *asked: Any, **named: Any) -> ModelResponse:
        """Return the whole answer at once."""
        acts, told, tracing, _ = _decide(*asked, **named)
        response = response_of(NAME, _outputs(acts), told, "completed")
        read, written = told.input_tokens, told.output_tokens
        usage = Usage(requests=1, input_tokens=read, output_tokens=written, total_tokens=read + written)
        with generation_span(model=NAME, disabled=tracing.is_disabled()):
            return ModelResponse(output=response.output, usage=usage, response_id=response.id)

    async def stream_response(self, *asked: Any, **named: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Yield the answer word by word, in the order of a Responses stream."""
        acts, told, _, is_request = _decide(*asked, **named)
        for event in stream_events(acts, told):
            yield event
            if isinstance(event, sdk.ResponseTextDeltaEvent) and self._delay and not is_request:
                await asyncio.sleep(self._delay)  # Nobody sees the object grow that answers a request.


def _decide(
    system_instructions: str | None,
    input: str | list[TResponseInputItem],
    model_settings: ModelSettings,
    tools: list[Tool],
    output_schema: AgentOutputSchemaBase | None,
    handoffs: list[Handoff[Any, Any]],
    tracing: ModelTracing,
    **others: object,
) -> tuple[list[Act], sdk.ResponseUsage, ModelTracing, bool]:
    """Ask the script, with names and schemas only; the last result is whether it answers a request, by an object."""
    schema = None if output_schema is None or output_schema.is_plain_text() else output_schema.json_schema()
    listed: Any = input
    names, onward = [tool.name for tool in tools], [each.tool_name for each in handoffs]
    specs = {tool.name: tool.params_json_schema for tool in tools if isinstance(tool, FunctionTool)}
    acts = answer(system_instructions, listed, names, onward, schema, specs)
    return acts, _usage(system_instructions, listed, acts), tracing, schema is not None


def stream_events(acts: list[Act], usage: sdk.ResponseUsage | None = None) -> Iterator[TResponseStreamEvent]:
    """Yield the events of a Responses stream that says and calls this, in the order of the real one."""
    outputs, opening = _outputs(acts), response_of(NAME, [], None, "in_progress")
    closing = response_of(NAME, outputs, usage or _usage(None, [], acts), "completed", opening.id)
    return response_events(opening, closing)


def _outputs(acts: list[Act]) -> list[sdk.ResponseOutputItem]:
    return [call_of(e.name, e.arguments) if isinstance(e, Call) else message_of(e.text) for e in acts]


def _usage(instructions: str | None, items: object, acts: list[Act]) -> sdk.ResponseUsage:
    """Return token counts as a model would have them: about four characters each."""
    read = (len(instructions or "") + len(json.dumps(items, ensure_ascii=False, default=str))) // 4
    texts = [each.text if isinstance(each, Say) else json.dumps(each.arguments) for each in acts]
    return usage_of(read, sum(map(len, texts)) // 4 + 1)
