"""Tools and handoffs in the form of the wire: converted and encoded once, since agents keep them between calls."""

from collections.abc import Callable
from typing import Any

import msgspec
from agents import FunctionTool, Handoff, Tool

_MOST = 256
_encode = msgspec.json.Encoder().encode

Convert = Callable[[list[Tool], list[Handoff[Any, Any]]], list[Any]]


class ConvertedTools:
    """The tools that one model converted lately."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert
        self._known: dict[tuple[Any, ...], tuple[list[Any], msgspec.Raw]] = {}

    def of(self, tools: list[Tool], handoffs: list[Handoff[Any, Any]]) -> msgspec.Raw | None:
        """Return the value of `tools` in a request; None when some are of a kind that may say more or change."""
        if not tools and not handoffs:
            return None
        if not all(type(tool) is FunctionTool for tool in tools):
            return None
        key = (*map(_tool_key, tools), *map(_handoff_key, handoffs))
        known = self._known.get(key)
        if known is None:
            converted = self._convert(tools, handoffs)
            # The entry keeps the converted objects alive, so that the ids in its key stay theirs.
            known = ([*tools, *converted], msgspec.Raw(_encode(converted)))
            if len(self._known) >= _MOST:
                del self._known[next(iter(self._known))]
            self._known[key] = known
        return known[1]


def _tool_key(tool: Any) -> tuple[Any, ...]:
    """Return the key of a tool, which changes when anything that the model reads of it is set anew."""
    return id(tool), tool.name, tool.description, id(tool.params_json_schema), tool.strict_json_schema


def _handoff_key(handoff: Handoff[Any, Any]) -> tuple[Any, ...]:
    """Return the key of a handoff, by its texts: the SDK makes the object of a bare agent anew in every call."""
    schema = _encode(handoff.input_json_schema)
    return handoff.tool_name, handoff.tool_description, schema, handoff.strict_json_schema
