"""Messages and runs as the fold makes them, and functions that read one message or many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from server.protocol.events import Event, ours
from server.protocol.patch import PatchError, apply_patch

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunView:
    """The session's latest run, from its events."""

    id: str
    status: str = "running"
    attempt: int = 1
    kind: str = "agent"
    parent_run_id: str | None = None
    at: int | None = None
    outcome: dict[str, Any] | None = None
    code: str | None = None
    message: str | None = None


def tool_call(call_id: str, name: str, arguments: str = "") -> Message:
    """Return a call as a message holds it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def first_waiting(messages: Sequence[Message]) -> int:
    """Return the place of the first message that a later event ends: open, a call that waits, a block that asks.

    It is the number of messages when there is none.
    """
    answered = {each.get("toolCallId") for each in messages}
    for place, each in enumerate(messages):
        if "open" in ours(each) or is_waiting(each, answered):
            return place
    return len(messages)


def is_waiting(message: Message, answered: Iterable[Any]) -> bool:
    """Return whether a client is asked for this: a block that asks, or a waiting call that is not answered."""
    if message["role"] == "activity":
        return is_asking(message)
    return "waits" in ours(message) and message["id"] not in answered


def is_asking(activity: Message) -> bool:
    """Return whether this is a block of an interrupt that is open."""
    content = activity["content"]
    return "interrupt_id" in content and content.get("status") == "open"


def close_message(message: Message, own: Message | None = None) -> Message:
    """Return the same message with this own data besides, to which nothing more is added."""
    stamp = {key: value for key, value in ours(message).items() if key != "open"}
    return {**message, "metadata": {"loopwire": {**stamp, **(own or {})}}}


def apply_fitting_patch(document: Any, patch: list[dict[str, Any]]) -> Any:
    """Apply a patch; one that does not fit changes nothing, as in AG-UI's own client."""
    try:
        return apply_patch(document, patch)
    except PatchError:
        return document


def ids_of(messages: Iterable[Message]) -> list[str]:
    """Return the ids of messages, each once, in order."""
    return unique(each["id"] for each in messages)


def unique(ids: Iterable[str]) -> list[str]:
    """Return each once, in order."""
    return list(dict.fromkeys(ids))


def with_versions(message: dict[str, Any], versions: Sequence[str]) -> dict[str, Any]:
    """Return a message that names its versions, oldest first; one that has no other names none."""
    own = {key: value for key, value in ours(message).items() if key != "versions"}
    if len(versions) > 1:
        own["versions"] = list(versions)
    if own == ours(message):
        return message
    return {**message, "metadata": {"loopwire": own}}


def is_of_path(event: Event) -> bool:
    """Return whether the active path is another one from this event on."""
    return event["type"] == "MESSAGES_SNAPSHOT" and ours(event).get("scope") == "path"
