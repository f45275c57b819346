"""Old messages that a run changes: a run begins with the newest ones only, and reads another when an event names it."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from server.protocol import events as ev
from server.protocol.event_kinds import OlderMessage, kind_of
from server.protocol.events import Event
from server.protocol.transcript import Transcript

Bodies = Callable[[Sequence[str]], Awaitable[dict[str, dict[str, Any]]]]
"""Reads stored messages by their ids."""


def may_change(event: Event, folded: Transcript) -> bool:
    """Return whether an event may change a message from before those that are folded.

    A handoff or a tool's progress is always new; a block may replace an old one.
    """
    if not folded.older:
        return False
    match kind_of(event).older:
        case OlderMessage.UNCHANGED:
            return False
        case OlderMessage.REPLACED_BY_BLOCK if event["activityType"] != "block":
            return False
        case _:
            return folded.message(event["messageId"]) is None


async def recall(events: Iterable[Event], folded: Transcript, bodies: Bodies) -> None:
    """Give the conversation those old messages that these events may change."""
    ids = list(dict.fromkeys(each["messageId"] for each in events if may_change(each, folded)))
    if ids:
        folded.recalled |= await bodies(ids)


def as_change(event: Event, folded: Transcript) -> Event:
    """Return the event as it is published: a block in the place of an old one becomes a change of that one.

    A reader without the old one would show the block at the end; a change of a block that it does not have changes
    nothing.
    """
    if (
        kind_of(event).older is not OlderMessage.REPLACED_BY_BLOCK
        or event["messageId"] not in folded.recalled
    ):
        return event
    before: dict[str, Any] = folded.recalled[event["messageId"]]["content"]
    after: dict[str, Any] = event["content"]
    patch = [
        {"op": "add", "path": _path(key), "value": value}
        for key, value in after.items()
        if key not in before or before[key] != value
    ]
    patch += [{"op": "remove", "path": _path(key)} for key in before if key not in after]
    return ev.activity_delta(event["messageId"], event["activityType"], patch)


def set_anew(message: dict[str, Any]) -> Event:
    """Return the event that sets an old message to its current content, for readers with any part of the change."""
    patch = [{"op": "add", "path": _path(key), "value": value} for key, value in message["content"].items()]
    return ev.activity_delta(message["id"], message["activityType"], patch)


def _path(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")
