"""The demo model for the SDK: it decides by a script, streams like a model and costs nothing."""

import asyncio
import itertools
import json
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agents import FunctionTool, Handoff, ModelSettings, Tool, generation_span
from agents.agent_output import AgentOutputSchemaBase
from agents.items import ModelResponse, TResponseInputItem, TResponseStreamEvent
from agents.models.interface import Model, ModelTracing
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from server import patterns
from server.demo.conversation_view import Act, Call, Say
from server.demo.role_choice import answer

NAME = "loopwire-demo"
_PIECES = patterns.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def pieces(text: str) -> list[str]:
    """Return the words with the blanks before them; joined they are the text again."""
    return _PIECES.findall(text)


class DemoModel(Model):
    """Answers from its script; the delay is the pause after each word, in seconds."""

    def __init__(self, delay: float = 0.03) -> None:
        """Words leave `delay` seconds apart."""
        self._delay = delay

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        **others: object,
    ) -> ModelResponse:
        """Return the whole answer at once."""
        acts = _decide(system_instructions, input, tools, handoffs, output_schema)
        told = _usage(system_instructions, input, acts)
        response = _response(_outputs(acts), told, "completed")
        read, written = told.input_tokens, told.output_tokens
        usage = Usage(requests=1, input_tokens=read, output_tokens=written, total_tokens=read + written)
        with generation_span(model=NAME, disabled=tracing.is_disabled()):
            return ModelResponse(output=response.output, usage=usage, response_id=response.id)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        **others: object,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Yield the answer word by word, in the order of a Responses stream."""
        acts = _decide(system_instructions, input, tools, handoffs, output_schema)
        for event in stream_events(acts, _usage(system_instructions, input, acts)):
            yield event
            if isinstance(event, ResponseTextDeltaEvent) and self._delay:
                await asyncio.sleep(self._delay)


def _decide(
    instructions: str | None,
    items: str | list[TResponseInputItem],
    tools: list[Tool],
    handoffs: list[Handoff[Any, Any]],
    output_schema: AgentOutputSchemaBase | None,
) -> list[Act]:
    """Ask the script, with names and schemas only."""
    schema = None if output_schema is None or output_schema.is_plain_text() else output_schema.json_schema()
    listed: Any = items
    names = [tool.name for tool in tools]
    specs = {tool.name: tool.params_json_schema for tool in tools if isinstance(tool, FunctionTool)}
    return answer(instructions, listed, names, [each.tool_name for each in handoffs], schema, specs)


def stream_events(acts: list[Act], usage: ResponseUsage | None = None) -> Iterator[TResponseStreamEvent]:
    """Yield the events of a Responses stream that says and calls this, in the order of the real one."""
    outputs, sequence = _outputs(acts), itertools.count()
    opening = _response([], None, "in_progress")
    yield ResponseCreatedEvent(type="response.created", response=opening, sequence_number=next(sequence))
    for index, item in enumerate(outputs):
        if isinstance(item, ResponseFunctionToolCall):
            yield from _call_events(item, index, sequence)
        else:
            yield from _text_events(item, index, sequence)
    closing = _response(outputs, usage or _usage(None, [], acts), "completed", opening.id)
    yield ResponseCompletedEvent(type="response.completed", response=closing, sequence_number=next(sequence))


def _id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(12)}"


def _outputs(acts: list[Act]) -> list[ResponseOutputItem]:
    return [_call(act) if isinstance(act, Call) else _message(act) for act in acts]


def _message(act: Say) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=act.text, annotations=[], logprobs=[])
    return ResponseOutputMessage(
        id=_id("msg"), type="message", role="assistant", status="completed", content=[part]
    )


def _call(act: Call) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        id=_id("fc"), type="function_call", call_id=_id("call"), name=act.name,
        arguments=json.dumps(act.arguments, ensure_ascii=False), status="completed",
    )  # fmt: skip


def _usage(instructions: str | None, items: object, acts: list[Act]) -> ResponseUsage:
    """Return token counts as a model would have them: about four characters each."""
    read = (len(instructions or "") + len(json.dumps(items, ensure_ascii=False, default=str))) // 4
    texts = [each.text if isinstance(each, Say) else json.dumps(each.arguments) for each in acts]
    written = sum(map(len, texts)) // 4 + 1
    return ResponseUsage(
        input_tokens=read, output_tokens=written, total_tokens=read + written,
        input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    )  # fmt: skip


def _response(
    output: list[ResponseOutputItem], usage: ResponseUsage | None, status: Any, response_id: str | None = None
) -> Response:
    return Response(
        id=response_id or _id("resp"), created_at=time.time(), model=NAME, object="response", output=output,
        status=status, usage=usage, tool_choice="auto", tools=[], parallel_tool_calls=True,
    )  # fmt: skip


def _text_events(item: Any, index: int, sequence: Iterator[int]) -> Iterator[TResponseStreamEvent]:
    """Yield the events of a message: added, its words, done."""
    text = item.content[0].text
    empty = item.model_copy(update={"content": [], "status": "in_progress"})
    place = {"item_id": item.id, "output_index": index, "content_index": 0}
    blank = ResponseOutputText(type="output_text", text="", annotations=[], logprobs=[])
    yield ResponseOutputItemAddedEvent(
        type="response.output_item.added", item=empty, output_index=index, sequence_number=next(sequence)
    )
    yield ResponseContentPartAddedEvent(
        type="response.content_part.added", part=blank, sequence_number=next(sequence), **place
    )
    for piece in pieces(text):
        yield ResponseTextDeltaEvent(
            type="response.output_text.delta", delta=piece, logprobs=[], sequence_number=next(sequence), **place
        )  # fmt: skip
    yield ResponseTextDoneEvent(
        type="response.output_text.done", text=text, logprobs=[], sequence_number=next(sequence), **place
    )
    yield ResponseContentPartDoneEvent(
        type="response.content_part.done", part=item.content[0], sequence_number=next(sequence), **place
    )
    yield ResponseOutputItemDoneEvent(
        type="response.output_item.done", item=item, output_index=index, sequence_number=next(sequence)
    )


def _call_events(
    item: ResponseFunctionToolCall, index: int, sequence: Iterator[int]
) -> Iterator[TResponseStreamEvent]:
    """Yield the events of a call: added without arguments, the arguments, done."""
    kind, place = "response.function_call_arguments", {"item_id": item.id or "", "output_index": index}
    empty = item.model_copy(update={"arguments": "", "status": "in_progress"})
    yield ResponseOutputItemAddedEvent(
        type="response.output_item.added", item=empty, output_index=index, sequence_number=next(sequence)
    )
    yield ResponseFunctionCallArgumentsDeltaEvent.model_validate(
        {"type": f"{kind}.delta", "delta": item.arguments, "sequence_number": next(sequence), **place}
    )
    yield ResponseFunctionCallArgumentsDoneEvent.model_validate(
        {"type": f"{kind}.done", "arguments": item.arguments, "sequence_number": next(sequence), **place}
    )
    yield ResponseOutputItemDoneEvent(
        type="response.output_item.done", item=item, output_index=index, sequence_number=next(sequence)
    )
