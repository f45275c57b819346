"""The output items of a response, from the stored messages of its run; a stream ends with the same items."""

from collections.abc import Iterable, Iterator
from typing import Any

from server.endpoints.numbered_options import number_texts
from server.protocol.events import ours

Json = dict[str, Any]

BREAK = "\n\n"
"""Before each text but the first: OpenAI's clients join the texts of a response without anything between them."""

SERVER_LABEL = "loopwire"


def text_part(text: str) -> Json:
    """Return the content of a message item."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def message_item(id: str, text: str | None, status: str = "completed") -> Json:
    """Return a text of the assistant; without a text one that has just been opened."""
    content = [] if text is None else [text_part(text)]
    return {"id": id, "type": "message", "role": "assistant", "status": status, "content": content}


def call_item(
    id: str, name: str, arguments: str, status: str = "in_progress", output: str | None = None
) -> Json:
    """Return a tool call as OpenAI shows those that a server makes by itself: the client has nothing to do."""
    failed = {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": output or ""}]}
    return {
        "id": id,
        "type": "mcp_call",
        "server_label": SERVER_LABEL,
        "name": name,
        "arguments": arguments,
        "status": status,
        "output": output if status == "completed" else None,
        "error": failed if status == "failed" else None,
    }


def output_of(messages: Iterable[Json], language: str) -> list[Json]:
    """Return the output items of a run: texts and calls in their order, then what its blocks ask and show."""
    listed = list(messages)
    results = {each["toolCallId"]: each for each in listed if each["role"] == "tool"}
    items: list[Json] = []
    before = ""
    for each in listed:
        if each["role"] != "assistant":
            continue
        if "toolCalls" in each:
            items += _calls(each, results)
        elif str(each.get("content") or ""):
            items.append(message_item(each["id"], before + each["content"]))
            before = BREAK
    for id, text in number_texts(listed, language):
        items.append(message_item(id, before + text))
        before = BREAK
    return items


def _calls(message: Json, results: dict[str, Json]) -> Iterator[Json]:
    for call in message["toolCalls"]:
        function, result = call["function"], results.get(call["id"])
        status, output = ("incomplete", None) if result is None else result_of(result)
        yield call_item(call["id"], function["name"], function["arguments"], status, output)


def result_of(result: Json) -> tuple[str, str]:
    """Return how a call ended in OpenAI's words, and what it gave, from its result as event or message."""
    status = "completed" if ours(result).get("status", "done") == "done" else "failed"
    return status, str(result["content"])
