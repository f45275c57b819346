"""The Responses dialect: an answer as its streamed events, and in one piece."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator

from loopwire.testing.deltas import arguments_of, deltas_of, tokens_of
from loopwire.testing.request import Request
from loopwire.testing.steps import Call, Json, Outputs


class ResponsesAnswer:
    """One answer; its `frames` are read once, and only then it is `whole`."""

    def __init__(self, outputs: Outputs, request: Request) -> None:
        self._outputs = outputs
        self._request = request
        self._number = 0
        body = request.body
        self._response: Json = {
            "id": _new_id("resp"),
            "object": "response",
            "created_at": int(time.time()),
            "status": "in_progress",
            "model": body.get("model", ""),
            "output": [],
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "metadata": body.get("metadata") or {},
            "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
            "temperature": body.get("temperature", 1.0),
            "top_p": body.get("top_p", 1.0),
            "tool_choice": body.get("tool_choice") or "auto",
            "tools": [],
            "usage": None,
        }

    def whole(self) -> Json:
        """Return the answer in one piece."""
        for _ in self.frames():
            pass
        return self._response

    def frames(self) -> Iterator[bytes]:
        """Yield the events as they are sent."""
        yield self._event("response.created", response=self._response)
        yield self._event("response.in_progress", response=self._response)
        for index, output in enumerate(self._outputs):
            yield from self._call(index, output) if isinstance(output, Call) else self._text(index, output)
        read, written = tokens_of(self._request, self._outputs)
        self._response |= {
            "status": "completed",
            "usage": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + written,
            },
        }
        yield self._event("response.completed", response=self._response)

    def _text(self, index: int, text: str) -> Iterator[bytes]:
        item: Json = {"type": "message", "id": _new_id("msg"), "role": "assistant"}
        at = {"item_id": item["id"], "output_index": index, "content_index": 0}
        opened = item | {"status": "in_progress", "content": []}
        yield self._event("response.output_item.added", output_index=index, item=opened)
        yield self._event("response.content_part.added", part=_part(""), **at)
        for each in deltas_of(text):
            yield self._event("response.output_text.delta", delta=each, logprobs=[], **at)
        yield self._event("response.output_text.done", text=text, logprobs=[], **at)
        yield self._event("response.content_part.done", part=_part(text), **at)
        yield self._done(index, item | {"status": "completed", "content": [_part(text)]})

    def _call(self, index: int, call: Call) -> Iterator[bytes]:
        item: Json = {"type": "function_call", "id": _new_id("fc"), "call_id": _new_id("call")}
        item |= {"name": call.name, "arguments": ""}
        at = {"item_id": item["id"], "output_index": index}
        opened = item | {"status": "in_progress"}
        yield self._event("response.output_item.added", output_index=index, item=opened)
        arguments = arguments_of(call)
        for each in deltas_of(arguments):
            yield self._event("response.function_call_arguments.delta", delta=each, **at)
        done = {"arguments": arguments, "name": call.name}
        yield self._event("response.function_call_arguments.done", **done, **at)
        yield self._done(index, item | {"status": "completed", "arguments": arguments})

    def _done(self, index: int, item: Json) -> bytes:
        self._response["output"].append(item)
        return self._event("response.output_item.done", output_index=index, item=item)

    def _event(self, kind: str, /, **fields: object) -> bytes:
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return f"event: {kind}\ndata: {json.dumps(event)}\n\n".encode()


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _new_id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex}"
