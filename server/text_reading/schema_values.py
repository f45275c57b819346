"""A tool of a page that a text names, and a value that fits the JSON Schema of its arguments, as the text says it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from server import patterns
from server.text_reading.words.typos import alike

_EVERYDAY = frozenset({"get", "set", "show", "open", "read", "the", "of", "page", "current", "my", "a", "to"})
_SHORT = 3


def names_tool(said: Sequence[str], name: str) -> bool:
    """Return whether the words of a text have those of a tool's name; `get_page_title` is named by `title`."""
    parts = patterns.findall(r"[A-Z]?[a-z]+", name)
    wanted = [part.casefold() for part in parts if part.casefold() not in _EVERYDAY and len(part) >= _SHORT]
    return bool(wanted) and all(any(alike(each, word) for each in said) for word in wanted)


def value_for(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the choice or the figure that a text names, else the first or the smallest one; any other is the text."""
    choices = [str(each) for each in schema.get("enum") or ()]
    if choices:
        return next((each for each in choices if each.casefold() in text.casefold()), choices[0])
    figure = patterns.search(r"-?\d{1,15}(?:\.\d{1,15})?", text)
    if schema.get("type") in ("integer", "number"):
        number = float(figure[0]) if figure else float(schema.get("minimum") or 0)
        return int(number) if schema["type"] == "integer" else number
    return True if schema.get("type") == "boolean" else text


def arguments_for(text: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the required arguments of a tool with this schema, read from a text."""
    properties = spec.get("properties") or {}
    return {name: value_for(text, properties.get(name) or {}) for name in spec.get("required") or ()}


def earliest_day() -> str:
    """Return the first day that is not over everywhere, for a field of a date to come."""
    return (datetime.now(UTC) - _LATEST).date().isoformat()


_LATEST = timedelta(hours=12)  # So far behind UTC a day may still be going on somewhere.
