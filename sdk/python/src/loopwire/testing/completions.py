"""The Chat Completions dialect: an answer as its streamed chunks, and in one piece."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator

from loopwire.testing.deltas import arguments_of, deltas_of, tokens_of
from loopwire.testing.request import Request
from loopwire.testing.steps import Call, Json, Outputs


class CompletionsAnswer:
    """One answer. Texts that belong to one answer are one text here: the dialect has one content."""

    def __init__(self, outputs: Outputs, request: Request) -> None:
        self._texts = [each for each in outputs if isinstance(each, str)]
        named = [(f"call_{uuid.uuid4().hex}", each) for each in outputs if isinstance(each, Call)]
        self._calls = [
            {"id": id, "type": "function", "function": {"name": each.name, "arguments": arguments_of(each)}}
            for id, each in named
        ]
        self._finish = "tool_calls" if self._calls else "stop"
        read, written = tokens_of(request, outputs)
        self._usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        self._tells_usage = bool((request.body.get("stream_options") or {}).get("include_usage"))
        self._shell: Json = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time())}
        self._shell["model"] = request.body.get("model", "")

    def whole(self) -> Json:
        """Return the answer in one piece."""
        message: Json = {"role": "assistant", "content": "\n\n".join(self._texts) or None, "refusal": None}
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish}
        return {**self._shell, "object": "chat.completion", "choices": [choice], "usage": self._usage}

    def frames(self) -> Iterator[bytes]:
        """Yield the chunks as they are sent."""
        yield self._delta({"role": "assistant", "content": ""})
        for each in deltas_of("\n\n".join(self._texts)):
            yield self._delta({"content": each})
        for index, call in enumerate(self._calls):
            yield self._delta({"tool_calls": [{"index": index, **call}]})
        yield self._delta({}, self._finish)
        if self._tells_usage:
            yield self._chunk(choices=[], usage=self._usage)
        yield b"data: [DONE]\n\n"

    def _delta(self, delta: Json, finish: str | None = None) -> bytes:
        return self._chunk(choices=[{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])

    def _chunk(self, **fields: object) -> bytes:
        chunk = {**self._shell, "object": "chat.completion.chunk", **fields}
        return f"data: {json.dumps(chunk)}\n\n".encode()
