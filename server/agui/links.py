"""The links in events over AG-UI: no page of this server shows them, so paths become full addresses."""

import json
from typing import Any, assert_never

from msgspec import Raw

from server.protocol.codec import read_json
from server.protocol.event_kinds import kind_of
from server.protocol.events import Event

PATHS = frozenset({"link", "image", "source"})
"""Fields of blocks that may hold a path on this server."""

REFERENCE = "reference"
"""The address of content that is too large for an event: the path of a blob. An item's reference is no path."""

ANSWER = "answer"
"""The field of a block that holds what a person wrote, under names that a form chose: no paths of ours."""


def with_addresses(event: Event, server: str) -> Event:
    """Return the event with the paths on this server as addresses; the event itself where it has none."""
    content = kind_of(event).content
    if content is None:
        return event
    given, changed = event[content.field], None
    match content.field:
        case "content":
            changed = _result(given, server) if isinstance(given, str) else _with_address(given, server)
        case "patch":
            changed = [_operation(each, server) for each in given]
        case "messages":
            changed = [message_with_addresses(each, server) for each in given]
        case other:
            assert_never(other)
    return event if changed == given else {**event, content.field: changed}


def message_with_addresses(message: dict[str, Any] | Raw, server: str) -> dict[str, Any] | Raw:
    """Return the message with full addresses; a message that is JSON already has been converted before."""
    if isinstance(message, Raw):
        return message
    if message["role"] == "activity":
        return {**message, "content": _with_address(message["content"], server)}
    return (
        {**message, "content": _result(message["content"], server)} if message["role"] == "tool" else message
    )


def _operation(operation: dict[str, Any], server: str) -> dict[str, Any]:
    """Change the value of one operation of a patch; its path ends with the name of the field."""
    if "value" not in operation:
        return operation
    names = operation["path"].split("/")
    if ANSWER in names:
        return operation
    return {**operation, "value": _with_address(operation["value"], server, names[-1])}


def _result(content: str, server: str) -> str:
    """Change the reference in a call's result that was too large; other results are their tools' own."""
    if not content.startswith(f'{{"{REFERENCE}": "/v1/'):
        return content
    try:
        about = read_json(content)
    except ValueError:
        return content
    return json.dumps({**about, REFERENCE: _with_address(about[REFERENCE], server, REFERENCE)})


def _with_address(value: Any, server: str, name: str = "") -> Any:
    if isinstance(value, dict):
        return {
            key: each if key == ANSWER else _with_address(each, server, key) for key, each in value.items()
        }
    if isinstance(value, list):
        return [_with_address(each, server) for each in value]
    return server + value if _is_path(name, value) else value


def _is_path(name: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if name == REFERENCE:
        return value.startswith("/v1/")
    return name in PATHS and value.startswith("/") and not value.startswith("//")
