"""The checks of a real provider, which answers 400, so that a wrong history fails in tests, not in production."""

import re
from collections.abc import Iterable

from tests.modelserver.request import Item, ModelRequest, bad_request

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ROLES = {"user", "assistant", "system", "developer"}


def check(request: ModelRequest) -> None:
    """Raise the provider's 400 when calls and results don't pair or a tool can't be named so."""
    if not request.model:
        raise bad_request("you must provide a model parameter")
    if not request.items and not request.instructions:
        raise bad_request("Missing required parameter: 'input'.", "missing_required_parameter")
    _check_tools(request)
    _check_items(request.items)


def _check_tools(request: ModelRequest) -> None:
    seen: set[str] = set()
    for tool in request.tools:
        if not _NAME.fullmatch(tool.name):
            raise bad_request(f"Invalid tool name {tool.name!r}", "invalid_value")
        if tool.name in seen:
            raise bad_request(f"Tool names must be unique: {tool.name!r}", "invalid_value")
        seen.add(tool.name)
        closed = tool.parameters.get("additionalProperties") is False
        if tool.strict and tool.parameters.get("properties") and not closed:
            raise bad_request(
                f"Invalid schema for function '{tool.name}': "
                "'additionalProperties' is required to be supplied and to be false.",
                "invalid_function_parameters",
            )


def _ids(items: Iterable[Item], kind: str) -> list[str]:
    return [str(item.get("call_id")) for item in items if item.get("type") == kind]


def _check_items(items: list[Item]) -> None:
    for item in items:
        if item.get("type", "message") == "message" and item.get("role") not in _ROLES:
            raise bad_request(f"Invalid value for role: {item.get('role')!r}", "invalid_value")
    calls, results = _ids(items, "function_call"), _ids(items, "function_call_output")
    for call_id in calls:
        if call_id not in results:
            raise bad_request(f"No tool output found for function call {call_id}.")
    for call_id in results:
        if call_id not in calls:
            raise bad_request(f"No tool call found for function call output with call_id {call_id}.")
    for ids in (calls, results):
        if len(set(ids)) != len(ids):
            raise bad_request("Duplicate item found: a call_id was used twice.")
