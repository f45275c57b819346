"""The Responses dialect: `POST /v1/responses`, parsed to a request and written from a plan."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.modelserver.plan import (
    TICK,
    Call,
    Frame,
    Output,
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
_SETTINGS = ("temperature", "top_p", "reasoning", "metadata", "store", "truncation")
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_ITEM_PREFIX = {Call: "fc", Reasoning: "rs", Searched: "ws"}


def parse(body: dict[str, Any], headers: dict[str, str]) -> ModelRequest:
    """Read the body; items are already in the form that brains see."""
    if body.get("previous_response_id") or body.get("conversation"):
        raise bad_request("This server stores nothing: send the whole input.", "not_found")
    given = body.get("input", [])
    items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    wanted = (body.get("text") or {}).get("format") or {}
    settings = {name: body[name] for name in _SETTINGS if body.get(name) is not None}
    if body.get("max_output_tokens") is not None:
        settings["max_tokens"] = body["max_output_tokens"]
    return ModelRequest(
        dialect="responses",
        model=body.get("model", ""),
        stream=bool(body.get("stream")),
        instructions=body.get("instructions"),
        items=items,
        tools=[_tool(tool) for tool in body.get("tools") or [] if tool.get("type") == "function"],
        tool_choice=body.get("tool_choice"),
        parallel=body.get("parallel_tool_calls"),
        output_format=_format(wanted) if wanted.get("type") == "json_schema" else None,
        settings=settings,
        body=body,
        headers=headers,
    )


def _tool(tool: dict[str, Any]) -> ToolSpec:
    return ToolSpec(
        name=tool.get("name", ""),
        description=tool.get("description") or "",
        parameters=tool.get("parameters") or {},
        strict=bool(tool.get("strict")),
    )


def _format(wanted: dict[str, Any]) -> OutputFormat:
    return OutputFormat(wanted.get("name", ""), wanted.get("schema", {}), bool(wanted.get("strict")))


def frames(plan: Plan, request: ModelRequest) -> Iterator[Step]:
    """Return the streamed answer."""
    return _Answer(plan, request).frames()


def complete(plan: Plan, request: ModelRequest) -> dict[str, Any]:
    """Return the answer in one piece."""
    answer = _Answer(plan, request)
    for _ in answer.frames():
        pass
    return answer.response


def error_frame(error: dict[str, Any]) -> Frame:
    """Return an error told in mid-stream."""
    event = {"type": "error", "sequence_number": 0, "error": error, **error}
    return Frame(f"event: error\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode())


class _Answer:
    """One response object growing event by event."""

    def __init__(self, plan: Plan, request: ModelRequest) -> None:
        self.plan = plan
        self.request = request
        self.sequence = 0
        self.said = 0
        body = request.body
        self.response: dict[str, Any] = {
            "id": new_id("resp"),
            "object": "response",
            "created_at": int(time.time()),
            "status": "in_progress",
            "model": request.model,
            "output": [],
            "error": None,
            "incomplete_details": None,
            "instructions": request.instructions,
            "metadata": body.get("metadata") or {},
            "parallel_tool_calls": request.parallel is not False,
            "temperature": body.get("temperature", 1.0),
            "top_p": body.get("top_p", 1.0),
            "tool_choice": body.get("tool_choice") or "auto",
            "tools": [],
            "usage": None,
        }

    def frames(self) -> Iterator[Step]:
        yield self._event("response.created", response=self.response)
        yield self._event("response.in_progress", response=self.response)
        for index, output in enumerate(self.plan.outputs):
            yield from self._output(index, output)
        yield self._end()

    def _event(self, event_type: str, /, **fields: Any) -> Frame:
        event = {"type": event_type, "sequence_number": self.sequence, **fields}
        self.sequence += 1
        ended = "response" in fields and fields["response"]["status"] != "in_progress"
        data = json.dumps(event, ensure_ascii=False)
        return Frame(f"event: {event_type}\ndata: {data}\n\n".encode(), "end" if ended else "open")

    def _deltas(self, name: str, pieces: Iterator[str], said: list[str], **at: Any) -> Iterator[Step]:
        """Delta events from one template: only number and text are encoded for each."""
        head = f'event: {name}\ndata: {json.dumps({"type": name, **at})[:-1]}, "sequence_number": '
        iterator = iter(pieces)
        while True:
            yield TICK
            piece = next(iterator, None)
            if piece is None:
                return
            said.append(piece)
            text = _text(piece)
            yield Frame(f'{head}{self.sequence}, "delta": {text}}}\n\n'.encode(), "delta")
            self.sequence += 1

    def _output(self, index: int, output: Output) -> Iterator[Step]:
        item_id = new_id(_ITEM_PREFIX.get(type(output), "msg"))
        yield self._event("response.output_item.added", output_index=index, item=_item(output, item_id, None))
        said: list[str] = []
        at = {"item_id": item_id, "output_index": index}
        if isinstance(output, Call):
            yield from self._call(output, said, at)
        elif isinstance(output, Reasoning):
            yield from self._reasoning(output, said, at)
        elif isinstance(output, Searched):
            yield self._event("response.web_search_call.searching", **at)
            yield self._event("response.web_search_call.completed", **at)
        else:
            yield from self._message(output, said, at)
        text = "".join(said)
        self.said += len(text)
        item = _item(output, item_id, text)
        if isinstance(output, Reasoning):
            item |= _thought(output.text, summary=_is_summary_wanted(self.request))
        self.response["output"].append(item)
        yield self._event("response.output_item.done", output_index=index, item=item)

    def _call(self, output: Call, said: list[str], at: dict[str, Any]) -> Iterator[Step]:
        name = "response.function_call_arguments"
        yield from self._deltas(f"{name}.delta", self.plan.pace.chunking(output.wire), said, **at)
        yield self._event(f"{name}.done", arguments="".join(said), name=output.name, **at)

    def _reasoning(self, output: Reasoning, said: list[str], at: dict[str, Any]) -> Iterator[Step]:
        if not _is_summary_wanted(self.request):
            name = "response.reasoning_text"
            pieces = iter(pieces_of(output, self.plan.pace))
            yield from self._deltas(f"{name}.delta", pieces, said, **at, content_index=0)
            yield self._event(f"{name}.done", text="".join(said), **at, content_index=0)
            return
        name = "response.reasoning_summary"
        empty = {"type": "summary_text", "text": ""}
        for index, text in enumerate(_parts_of_summary(output.text)):
            of = at | {"summary_index": index}
            yield self._event(f"{name}_part.added", part=empty, **of)
            pieces = iter(pieces_of(Reasoning(text), self.plan.pace))
            yield from self._deltas(f"{name}_text.delta", pieces, said, **of)
            yield self._event(f"{name}_text.done", text=text, **of)
            yield self._event(f"{name}_part.done", part=empty | {"text": text}, **of)

    def _message(self, output: Output, said: list[str], at: dict[str, Any]) -> Iterator[Step]:
        at = at | {"content_index": 0}
        refused = isinstance(output, Refusal)
        name = "response.refusal" if refused else "response.output_text"
        extra: dict[str, Any] = {} if refused else {"logprobs": []}
        yield self._event("response.content_part.added", part=_part(output, ""), **at)
        assert not isinstance(output, Call | Searched)
        pieces = iter(pieces_of(output, self.plan.pace))
        yield from self._deltas(f"{name}.delta", pieces, said, **at, **extra)
        text = "".join(said)
        done = {"refusal": text} if refused else {"text": text}
        yield self._event(f"{name}.done", **done, **at, **extra)
        yield self._event("response.content_part.done", part=_part(output, text), **at)

    def _end(self) -> Frame:
        usage = _usage(self.plan.usage_for(self.request, self.said))
        if self.plan.ending == "failed":
            error = {"code": "server_error", "message": self.plan.failure}
            self.response |= {"status": "failed", "error": error}
            return self._event("response.failed", response=self.response)
        if self.plan.ending in _INCOMPLETE:
            details = {"reason": _INCOMPLETE[self.plan.ending]}
            self.response |= {"status": "incomplete", "incomplete_details": details, "usage": usage}
            return self._event("response.incomplete", response=self.response)
        self.response |= {"status": "completed", "usage": usage}
        return self._event("response.completed", response=self.response)


def _part(output: Output, text: str) -> dict[str, Any]:
    if isinstance(output, Refusal):
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _item(output: Output, item_id: str, text: str | None) -> Item:
    """Return the output item; `text` is None while nothing has been said."""
    state = {"id": item_id, "status": "in_progress" if text is None else "completed"}
    if isinstance(output, Call):
        call = {"call_id": output.call_id, "name": output.name, "arguments": text or ""}
        return {"type": "function_call", **state, **call}
    if isinstance(output, Reasoning):
        return {"type": "reasoning", "id": item_id, "summary": []}
    if isinstance(output, Searched):
        sources = [{"type": "url", "url": each} for each in output.sources]
        return {"type": "web_search_call", **state, "action": _search(output.query, sources)}
    content = [] if text is None else [_part(output, text)]
    return {"type": "message", **state, "role": "assistant", "content": content}


def _is_summary_wanted(request: ModelRequest) -> bool:
    return bool((request.body.get("reasoning") or {}).get("summary"))


def _parts_of_summary(text: str) -> list[str]:
    return text.split("\n\n")


def _thought(text: str, *, summary: bool) -> dict[str, Any]:
    """Return what a whole item of reasoning has: its summary, else what servers of open models tell."""
    if not summary:
        return {"content": [{"type": "reasoning_text", "text": text}]}
    return {"summary": [{"type": "summary_text", "text": each} for each in _parts_of_summary(text)]}


def _search(query: str, sources: list[dict[str, str]]) -> dict[str, Any]:
    return {"type": "search", "query": query, "queries": [query], "sources": sources}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": 0},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }
