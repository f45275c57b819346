"""Streams with the events, the fields and their order of the documentation's examples; ids and words are ours.

None was recorded at a provider. They differ from what our model server makes: no sequence numbers, a short usage, and
the fingerprint and the log probabilities of older servers.
"""

import json
from typing import Any

import pytest

from tests.contract.agents.streams import both

ITEM = "msg_documented"
DONE_PART = {"type": "output_text", "text": "Bom dia! Em que ajudo?", "annotations": []}


def response(status: str, output: list[Any], usage: Any) -> dict[str, Any]:
    """Return an answer as it stands in the events that begin and end it."""
    return {
        "id": "resp_documented",
        "object": "response",
        "created_at": 1741290958,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": "Be kind.",
        "max_output_tokens": None,
        "model": "gpt-4o-2024-08-06",
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "generate_summary": None},
        "store": True,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "user": None,
        "metadata": {},
    }


def of_responses() -> list[bytes]:
    """Return a text by the Responses dialect."""
    message = {"id": ITEM, "type": "message", "status": "completed", "role": "assistant"}
    place = {"item_id": ITEM, "output_index": 0, "content_index": 0}
    usage = {
        "input_tokens": 37,
        "output_tokens": 11,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 48,
    }
    begun, added = response("in_progress", [], None), {**message, "status": "in_progress", "content": []}
    done = {**message, "content": [DONE_PART]}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": added},
        {"type": "response.content_part.added", **place, "part": {**DONE_PART, "text": ""}},
        *({"type": "response.output_text.delta", **place, "delta": each} for each in PIECES),
        {"type": "response.output_text.done", **place, "text": DONE_PART["text"]},
        {"type": "response.content_part.done", **place, "part": DONE_PART},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": response("completed", [done], usage)},
    ]
    return [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events]


PIECES = ["Bom", " dia", "!", " Em", " que", " ajudo", "?"]


def of_chat() -> list[bytes]:
    """Return a text by the Chat Completions dialect."""
    head = {
        "id": "chatcmpl-documented",
        "object": "chat.completion.chunk",
        "created": 1694268190,
        "model": "gpt-4o-mini",
        "system_fingerprint": "fp_documented",
    }
    deltas: list[Any] = [{"role": "assistant", "content": ""}, *({"content": each} for each in PIECES), {}]
    chunks = [
        {
            **head,
            "choices": [
                {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None if delta else "stop"}
            ],
        }
        for delta in deltas
    ]
    return [*(f"data: {json.dumps(each)}\n\n".encode() for each in chunks), b"data: [DONE]\n\n"]


@pytest.mark.parametrize("api", ["responses", "chat"])
@pytest.mark.parametrize("whole", [False, True])
async def test_a_documented_stream_has_the_same_outcome_in_both_models(api: str, whole: bool) -> None:
    pieces: list[Any] = of_chat() if api == "chat" else of_responses()
    theirs, ours = await both(api, [b"".join(pieces)] if whole else pieces)
    assert ours == theirs and ours.code is None
    assert ours.text == ours.output[0]["content"][0]["text"] == DONE_PART["text"]
