"""The answer of an MCP server as the model reads it: plain text, bounded, without pictures and sounds."""

import json
from typing import Any

from mcp.types import CallToolResult, TextContent

from server.agents.context import Json
from server.agents.run.tool_calls import AnsweredFailure
from server.protocol.codec import mend_text
from server.protocol.plain_text import plain_text

MOST_RESULT = 24_000
"""Characters of a result; the model reads 32 KiB of any tool."""

MOST_ERROR = 1_000


def result_of(answer: CallToolResult) -> Json:
    """Return the result as the model reads it. Raises AnsweredFailure, with the server's words for the model alone."""
    text = _text_of(answer)
    if answer.is_error:
        raise AnsweredFailure(f"The tool says: {text[:MOST_ERROR]}", code="tool_error")
    result: Json = {"result": text[:MOST_RESULT]}
    if len(text) > MOST_RESULT:
        result |= {"cut": True, "characters": len(text)}
    if left_out := sum(not isinstance(each, TextContent) for each in answer.content):
        result["left_out"] = left_out
    return result


def size_of(answer: CallToolResult) -> int:
    """Return about how many bytes an answer had: the lengths of its texts, pictures and sounds."""
    told = sum(len(str(getattr(each, "text", "") or getattr(each, "data", ""))) for each in answer.content)
    return told + (len(_as_json(answer.structured_content)) if answer.structured_content is not None else 0)


def _text_of(answer: CallToolResult) -> str:
    texts = [each.text for each in answer.content if isinstance(each, TextContent)]
    if not texts and answer.structured_content is not None:
        texts = [_as_json(answer.structured_content)]
    return mend_text(plain_text("\n".join(texts)))


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""
