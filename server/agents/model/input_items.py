"""The items that the SDK hands to a model: the parts and text of a message, and the JSON object of a call."""

from collections.abc import Mapping
from typing import Any

from server.protocol.codec import read_json


def item_parts(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the parts of a message; one that is a text has one part."""
    content = item.get("content") or ""
    parts = [{"text": content}] if isinstance(content, str) else content
    return [part for part in parts if isinstance(part, Mapping)]


def item_text(item: Mapping[str, Any]) -> str:
    """Return the text of a message."""
    return "".join(part.get("text", "") for part in item_parts(item))


def json_object(raw: object) -> dict[str, Any]:
    """Return the object that a call has or returns, read where it is written as JSON; anything else is an empty one."""
    try:
        parsed = read_json(raw) if isinstance(raw, str) else raw
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
