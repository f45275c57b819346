"""The table of event types: how each changes a conversation, and the other properties of the type.

A type is in `EVENTS` or is not sent: a test compares the table with the constructors of events.py, with the
folds of both clients and with the shapes of event_shapes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal

from server.protocol.events import Event, ours
from server.protocol.fold_state import FoldState
from server.protocol.messages import RunView, apply_fitting_patch, ids_of, tool_call, unique
from server.protocol.order import place_of_result, with_results_at_calls, with_run


def _run_started(fold: FoldState, event: Event) -> list[str]:
    own = ours(event)
    if own.get("kind") == "snapshot":
        fold.run = None
    elif fold.run is not None and fold.run.id == event["runId"]:
        fold.run = replace(fold.run, attempt=own.get("attempt", fold.run.attempt))
        return []
    else:
        fold.run = RunView(
            id=event["runId"],
            attempt=own.get("attempt", 1),
            kind=own.get("kind", "agent"),
            parent_run_id=event.get("parentRunId"),
            at=event.get("timestamp"),
        )
    fold.revised = []
    return fold.close_all()


def _run_finished(fold: FoldState, event: Event) -> list[str]:
    run_id, outcome = event["runId"], event.get("outcome") or {"type": "success"}
    run = fold.run_to_end(run_id)
    if run is None:
        return []
    fold.run = replace(run, status="finished", outcome=outcome)
    ended = {"outcome": "cancelled"} if outcome["type"] == "cancelled" else None
    return unique([*fold.finish_run(run_id, ended), *fold.mark_waiting(outcome.get("interrupts") or ())])


def _run_error(fold: FoldState, event: Event) -> list[str]:
    run_id = ours(event).get("run_id") or (fold.run.id if fold.run else None)
    run = fold.run_to_end(run_id)
    if run is None:
        return []
    code = event.get("code", "internal")
    fold.run = replace(run, status="error", code=code, message=event["message"])
    return fold.finish_run(run.id, {"outcome": "error", "code": code})


def _text_start(fold: FoldState, event: Event) -> list[str]:
    message_id, role = event["messageId"], event.get("role", "assistant")
    fold.open_texts[message_id] = role
    fields = {"id": message_id, "role": role, "content": ""}
    if "name" in event:
        fields["name"] = event["name"]
    return fold.open(fields, event)


def _text_content(fold: FoldState, event: Event) -> list[str]:
    message_id = event["messageId"]
    if message_id not in fold.open_texts:
        return []
    fold.append_delta(message_id, event["delta"])
    return [message_id]


def _text_end(fold: FoldState, event: Event) -> list[str]:
    return fold.close(fold.open_texts, event["messageId"], ours(event))


def _tool_start(fold: FoldState, event: Event) -> list[str]:
    call_id, name = event["toolCallId"], event["toolCallName"]
    fold.open_calls[call_id] = name
    return fold.open({"id": call_id, "role": "assistant", "toolCalls": [tool_call(call_id, name)]}, event)


def _tool_args(fold: FoldState, event: Event) -> list[str]:
    place = fold.place_of(event["toolCallId"])
    if place is None or event["toolCallId"] not in fold.open_calls:
        return []
    message = fold.messages[place]
    function = message["toolCalls"][0]["function"]
    call = tool_call(message["id"], function["name"], function["arguments"] + event["delta"])
    return fold.put({**message, "toolCalls": [call]}, place)


def _tool_end(fold: FoldState, event: Event) -> list[str]:
    return fold.close(fold.open_calls, event["toolCallId"])


def _tool_result(fold: FoldState, event: Event) -> list[str]:
    message = {
        "id": event["messageId"],
        "role": "tool",
        "toolCallId": event["toolCallId"],
        "content": event["content"],
        "metadata": {"loopwire": fold.stamp(event)},
    }
    place, call = fold.place_of(message["id"]), fold.place_of(event["toolCallId"])
    if place is not None or call is None:
        return fold.put(message, place)
    fold.messages.insert(place_of_result(fold.messages, call), message)
    return [message["id"]]


def _step_started(fold: FoldState, event: Event) -> list[str]:
    fold.steps.append(event["stepName"])
    return []


def _step_finished(fold: FoldState, event: Event) -> list[str]:
    if event["stepName"] in fold.steps:
        backwards = fold.steps[::-1]
        backwards.remove(event["stepName"])
        fold.steps = backwards[::-1]
    return []


def _state_snapshot(fold: FoldState, event: Event) -> list[str]:
    fold.state = event["snapshot"]
    return []


def _state_delta(fold: FoldState, event: Event) -> list[str]:
    fold.state = apply_fitting_patch(fold.state, event["delta"])
    return []


def _activity(fold: FoldState, event: Event) -> list[str]:
    known = fold.message(event["messageId"])
    if known is not None:
        return fold.revise({**known, "content": event["content"]}) if event.get("replace", True) else []
    message = {
        "id": event["messageId"],
        "role": "activity",
        "activityType": event["activityType"],
        "content": event["content"],
        "metadata": {"loopwire": fold.stamp(event)},
    }
    return fold.put(message, None)


def _activity_delta(fold: FoldState, event: Event) -> list[str]:
    known = fold.message(event["messageId"])
    if known is None:
        return []
    return fold.revise({**known, "content": apply_fitting_patch(known["content"], event["patch"])})


def _messages_snapshot(fold: FoldState, event: Event) -> list[str]:
    own, given = ours(event), event["messages"]
    if own.get("scope") != "run" or fold.run is None:
        gone, fold.messages = fold.messages, with_results_at_calls(given)
        if own.get("scope") == "path":
            fold.older = "before" in own
    else:
        gone = fold.run_messages(fold.run.id)
        fold.messages = with_run(fold.messages, fold.run.id, given)
        fold.run = replace(fold.run, attempt=own.get("attempt", fold.run.attempt))
    fold.open_texts, fold.open_calls = {}, {}
    return ids_of([*gone, *given])


def _is_never(_event: Event) -> bool:
    return False


def _is_always(_event: Event) -> bool:
    return True


def _is_block(event: Event) -> bool:
    return bool(event["activityType"] == "block")


@dataclass(frozen=True, slots=True)
class Content:
    """The place of the content by agents, tools and people in an event."""

    field: Literal["content", "patch", "messages"]
    """The field of the event. Paths on this server in it become addresses for the clients of AG-UI."""
    is_referable: Callable[[Event], bool] = _is_never
    """Whether a content of more than 64 KiB is stored beside the log, and the event sent with a reference to it."""


class OlderMessage(Enum):
    """The effect of an event on a message that an earlier run made."""

    UNCHANGED = auto()
    """Nothing: it makes messages, or changes those of its own run."""
    CHANGED = auto()
    """It changes one, and means nothing to a reader who does not have it."""
    REPLACED_BY_BLOCK = auto()
    """A block takes the place of the block with its id; other activities are new."""


@dataclass(frozen=True, slots=True)
class EventKind:
    """The properties of a type of event. `content` and `older` have no default: each new type decides them."""

    fold: Callable[[FoldState, Event], list[str]]
    """Changes the conversation, and returns the ids of the messages that changed, in order."""
    content: Content | None
    """The place of content by agents, tools and people; None where it carries none."""
    older: OlderMessage
    """The effect on a message that an earlier run made."""
    merged: bool = False
    """Neighbours that differ in `delta` alone, a text, may be sent to a slow reader as one event with all of it."""
    drawn: bool = True
    """The page is sent markup for it. Else the page changes the row itself, or shows the change with a later event."""
    moves_steps: bool = False
    """The steps above the conversation are drawn anew."""
    completes_text: bool = False
    """The texts before it are complete: Deep Chat's sockets send them then."""
    begins_run: bool = False
    ends_run: bool = False


EVENTS: dict[str, EventKind] = {
    "RUN_STARTED": EventKind(_run_started, None, OlderMessage.UNCHANGED, begins_run=True),
    "RUN_FINISHED": EventKind(_run_finished, None, OlderMessage.UNCHANGED, moves_steps=True, ends_run=True),
    "RUN_ERROR": EventKind(_run_error, None, OlderMessage.UNCHANGED, moves_steps=True, ends_run=True),
    "TEXT_MESSAGE_START": EventKind(_text_start, None, OlderMessage.UNCHANGED, completes_text=True),
    "TEXT_MESSAGE_CONTENT": EventKind(_text_content, None, OlderMessage.UNCHANGED, merged=True, drawn=False),
    "TEXT_MESSAGE_END": EventKind(_text_end, None, OlderMessage.UNCHANGED),
    "REASONING_MESSAGE_START": EventKind(_text_start, None, OlderMessage.UNCHANGED, completes_text=True),
    "REASONING_MESSAGE_CONTENT": EventKind(
        _text_content, None, OlderMessage.UNCHANGED, merged=True, drawn=False
    ),
    "REASONING_MESSAGE_END": EventKind(_text_end, None, OlderMessage.UNCHANGED),
    "TOOL_CALL_START": EventKind(_tool_start, None, OlderMessage.UNCHANGED, completes_text=True),
    "TOOL_CALL_ARGS": EventKind(_tool_args, None, OlderMessage.UNCHANGED, drawn=False),
    "TOOL_CALL_END": EventKind(_tool_end, None, OlderMessage.UNCHANGED, drawn=False),
    "TOOL_CALL_RESULT": EventKind(_tool_result, Content("content", _is_always), OlderMessage.UNCHANGED),
    "STEP_STARTED": EventKind(
        _step_started, None, OlderMessage.UNCHANGED, moves_steps=True, completes_text=True
    ),
    "STEP_FINISHED": EventKind(_step_finished, None, OlderMessage.UNCHANGED),
    "STATE_SNAPSHOT": EventKind(_state_snapshot, None, OlderMessage.UNCHANGED, moves_steps=True),
    "STATE_DELTA": EventKind(_state_delta, None, OlderMessage.UNCHANGED, moves_steps=True),
    "ACTIVITY_SNAPSHOT": EventKind(_activity, Content("content", _is_block), OlderMessage.REPLACED_BY_BLOCK),
    "ACTIVITY_DELTA": EventKind(_activity_delta, Content("patch"), OlderMessage.CHANGED),
    "MESSAGES_SNAPSHOT": EventKind(_messages_snapshot, Content("messages"), OlderMessage.UNCHANGED),
}
"""Every type of event that is sent, by its name in AG-UI."""

_UNKNOWN = EventKind(lambda _fold, _event: [], None, OlderMessage.UNCHANGED, drawn=False)


def kind_of(event: Event) -> EventKind:
    """Return the event's row of the table; for a type that only a newer version sends, one that does nothing."""
    return EVENTS.get(event["type"], _UNKNOWN)
