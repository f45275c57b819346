"""Messages and runs as the fold makes them, and what is asked of one message or of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Event = dict[str, Any]
"""An AG-UI event in its JSON form."""

Message = dict[str, Any]
"""A message as AG-UI has it; what is Loopwire's own stands in `metadata.loopwire`."""

NO_RUN = "run_none"
"""Run id of a snapshot of a session in which no run is known."""


@dataclass(frozen=True, slots=True)
class RunView:
    """The latest run of a session as its events tell it.

    `status` is running, finished (then `outcome` says how) or error (then `code` and `message` say why).
    """

    id: str
    status: str = "running"
    attempt: int = 1
    kind: str = "agent"
    parent_run_id: str | None = None
    at: int | None = None
    outcome: dict[str, Any] | None = None
    code: str | None = None
    message: str | None = None


def ours(event_or_message: dict[str, Any]) -> dict[str, Any]:
    """Return our own data of an event or a message; empty when it has none."""
    found: dict[str, Any] = (event_or_message.get("metadata") or {}).get("loopwire") or {}
    return found


def stamped(message: Message, own: dict[str, Any]) -> Message:
    """Return the message with this as our own data."""
    return {**message, "metadata": {"loopwire": own}}


def closed(message: Message, own: dict[str, Any] | None = None) -> Message:
    """Return the message when nothing more is written to it, with this own data besides."""
    kept = {key: value for key, value in ours(message).items() if key != "open"}
    return stamped(message, {**kept, **(own or {})})


def in_order(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with each result right after its call; a result without its call keeps its place."""
    results: dict[str, list[Message]] = {
        call["id"]: [] for each in messages for call in each.get("toolCalls", ())
    }
    for each in messages:
        if is_moved(each, results):
            results[each["toolCallId"]].append(each)
    ordered: list[Message] = []
    for each in messages:
        if not is_moved(each, results):
            ordered.append(each)
        for call in each.get("toolCalls", ()):
            ordered += results[call["id"]]
    return ordered


def is_moved(message: Message, calls: Iterable[str]) -> bool:
    """Return whether a message is the result of one of these calls."""
    return message.get("role") == "tool" and message["toolCallId"] in calls


def call_of(call_id: str, name: str, arguments: str = "") -> Message:
    """Return a call as a message holds it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
