"""A value that fits a JSON Schema, as a text says it."""

from collections.abc import Mapping
from typing import Any

from server import patterns


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
