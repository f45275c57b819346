"""The Chat Completions dialect: messages become Responses items, a plan becomes chunks."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.modelserver.plan import (
    TICK,
    Call,
    Frame,
    Plan,
    Reasoning,
    Refusal,
    Searched,
    Step,
    Usage,
    new_id,
    pieces_of,
)
from tests.modelserver.request import Item, ModelRequest, OutputFormat, ToolSpec, bad_request

_text = json.JSONEncoder(ensure_ascii=False).encode
"""One encoder for all deltas: `json.dumps` makes a new one each time, dearer than the delta."""
_SETTINGS = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "metadata", "store")
_DONE = Frame(b"data: [DONE]\n\n", "end")


def parse(body: dict[str, Any], headers: dict[str, str]) -> ModelRequest:
    """Read the body; the first system message is the instructions, as the SDK writes it."""
    messages = list(body.get("messages") or [])
    instructions = None
    if messages and messages[0].get("role") in ("system", "developer"):
        instructions = _plain(messages.pop(0).get("content"))
    wanted = body.get("response_format") or {}
    settings = {name: body[name] for name in _SETTINGS if body.get(name) is not None}
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    if limit is not None:
        settings["max_tokens"] = limit
    return ModelRequest(
        dialect="chat",
        model=body.get("model", ""),
        stream=bool(body.get("stream")),
        instructions=instructions,
        items=[item for message in messages for item in _items(message)],
        tools=[_tool(tool["function"]) for tool in body.get("tools") or []],
        tool_choice=_choice(body.get("tool_choice")),
        parallel=body.get("parallel_tool_calls"),
        output_format=_format(wanted) if wanted.get("type") == "json_schema" else None,
        include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        settings=settings,
        body=body,
        headers=headers,
    )


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def _choice(choice: Any) -> Any:
    """`{"function": {"name": …}}` in the flat form of the Responses dialect."""
    if isinstance(choice, dict) and "function" in choice:
        return {"type": "function", "name": choice["function"]["name"]}
    return choice


def _tool(tool: dict[str, Any]) -> ToolSpec:
    return ToolSpec(
        name=tool.get("name", ""),
        description=tool.get("description") or "",
        parameters=tool.get("parameters") or {},
        strict=bool(tool.get("strict")),
    )


def _format(wanted: dict[str, Any]) -> OutputFormat:
    schema = wanted["json_schema"]
    return OutputFormat(schema.get("name", ""), schema.get("schema", {}), bool(schema.get("strict")))


def _items(message: dict[str, Any]) -> Iterator[Item]:
    """Yield one chat message as Responses items, in the shape that the SDK keeps in a history."""
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        output = content if isinstance(content, str) else [_input_part(p) for p in content or []]
        call_id = message.get("tool_call_id")
        yield {"type": "function_call_output", "call_id": call_id, "output": output}
    elif role == "assistant":
        yield from _assistant_items(message)
    elif role in ("user", "system", "developer"):
        whole = content if isinstance(content, str) else [_input_part(p) for p in content or []]
        yield {"role": role, "content": whole}
    else:
        raise bad_request(f"Invalid value for role: {role!r}", "invalid_value")


def _assistant_items(message: dict[str, Any]) -> Iterator[Item]:
    said, refusal = _plain(message.get("content")), message.get("refusal")
    parts: list[dict[str, Any]] = []
    if said:
        parts.append({"type": "output_text", "text": said, "annotations": []})
    if refusal:
        parts.append({"type": "refusal", "refusal": refusal})
    if parts:
        fixed = {"type": "message", "role": "assistant", "status": "completed"}
        yield {**fixed, "content": parts}
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
        named = {"name": function.get("name"), "arguments": function.get("arguments", "")}
        yield {"type": "function_call", "call_id": call.get("id"), **named}


def _input_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return a content part in the vocabulary of Responses; unknown ones pass as they are."""
    if part.get("type") == "text":
        return {"type": "input_text", "text": part.get("text", "")}
    if part.get("type") == "image_url":
        image = part.get("image_url") or {}
        detail = image.get("detail", "auto")
        return {"type": "input_image", "image_url": image.get("url"), "detail": detail}
    if part.get("type") == "file":
        return {"type": "input_file", **(part.get("file") or {})}
    return part


def frames(plan: Plan, request: ModelRequest) -> Iterator[Step]:
    """Return the streamed answer."""
    return _Answer(plan, request).frames()


def complete(plan: Plan, request: ModelRequest) -> dict[str, Any]:
    """Return the answer in one piece."""
    answer = _Answer(plan, request)
    for _ in answer.frames():
        pass
    message: dict[str, Any] = {"role": "assistant", "content": answer.text("content")}
    message["refusal"] = answer.text("refusal")
    if answer.text("reasoning_content"):
        message["reasoning_content"] = answer.text("reasoning_content")
    if answer.calls:
        message["tool_calls"] = answer.calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish}
    return {
        "id": answer.id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [choice],
        "usage": _usage(plan.usage_for(request, answer.length)),
    }


def error_frame(error: dict[str, Any]) -> Frame:
    """Return an error told in mid-stream."""
    return Frame(f"data: {json.dumps({'error': error}, ensure_ascii=False)}\n\n".encode())


class _Answer:
    """One completion growing chunk by chunk."""

    def __init__(self, plan: Plan, request: ModelRequest) -> None:
        self.plan = plan
        self.request = request
        self.id = new_id("chatcmpl")
        self.calls: list[dict[str, Any]] = []
        self.said: dict[str, list[str]] = {}
        self.length = 0
        self._shell: dict[str, Any] = {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": request.model,
        }
        self._head = f"data: {json.dumps(self._shell, ensure_ascii=False)[:-1]}"

    @property
    def finish(self) -> str:
        if self.plan.ending in ("length", "content_filter"):
            return self.plan.ending
        return "tool_calls" if self.calls else "stop"

    def text(self, key: str) -> str | None:
        """Return everything said under a key of the message, or None."""
        return "".join(self.said[key]) if key in self.said else None

    def frames(self) -> Iterator[Step]:
        yield self._chunk({"role": "assistant", "content": ""})
        for output in self.plan.outputs:
            if isinstance(output, Call):
                yield from self._call(output)
                continue
            assert not isinstance(output, Searched), "this dialect has no hosted tools"
            key = "content"
            if isinstance(output, Refusal | Reasoning):
                key = "refusal" if isinstance(output, Refusal) else "reasoning_content"
            pieces = iter(pieces_of(output, self.plan.pace))
            said = self.said.setdefault(key, [])
            yield from self._deltas(f'{{"{key}": ', "}", pieces, said)
        if self.plan.ending == "failed":
            yield error_frame({"message": self.plan.failure, "type": "server_error", "code": None})
            return
        yield self._chunk({}, finish=self.finish)
        if self.request.include_usage:
            usage = _usage(self.plan.usage_for(self.request, self.length))
            yield self._frame({"choices": [], "usage": usage}, end=True)
        yield _DONE

    def _frame(self, fields: dict[str, Any], *, end: bool) -> Frame:
        data = json.dumps({**self._shell, **fields}, ensure_ascii=False)
        return Frame(f"data: {data}\n\n".encode(), "end" if end else "open")

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._frame({"choices": [choice]}, end=finish is not None)

    def _deltas(self, before: str, after: str, pieces: Iterator[str], said: list[str]) -> Iterator[Step]:
        """Chunks from one template: only the text is encoded for each."""
        head = f'{self._head}, "choices": [{{"index": 0, "finish_reason": null, "delta": {before}'
        while True:
            yield TICK
            piece = next(pieces, None)
            if piece is None:
                return
            said.append(piece)
            self.length += len(piece)
            text = _text(piece)
            yield Frame(f"{head}{text}{after}}}]}}\n\n".encode(), "delta")

    def _call(self, output: Call) -> Iterator[Step]:
        index = len(self.calls)
        named = {"name": output.name, "arguments": output.wire}
        self.calls.append({"id": output.call_id, "type": "function", "function": named})
        opened = {"name": output.name, "arguments": ""}
        call = {"index": index, "id": output.call_id, "type": "function", "function": opened}
        yield self._chunk({"tool_calls": [call]})
        before = f'{{"tool_calls": [{{"index": {index}, "function": {{"arguments": '
        yield from self._deltas(before, "}}]}", self.plan.pace.chunking(output.wire), [])


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
