"""The table of events: how each changes a conversation, and what else is known of it by its type.

A type stands in `EVENTS` or is not sent: a test compares the table with the constructors of events.py, with the
folds of the JavaScript client and with its types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
    return unique([*fold.end(run_id, ended), *fold.mark_waiting(outcome.get("interrupts") or ())])


def _run_error(fold: FoldState, event: Event) -> list[str]:
    run_id = ours(event).get("run_id") or (fold.run.id if fold.run else None)
    run = fold.run_to_end(run_id)
    if run is None or run_id is None:
        return []
    code = event.get("code", "internal")
    fold.run = replace(run, status="error", code=code, message=event["message"])
    return fold.end(run_id, {"outcome": "error", "code": code})


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
    fold.hear(message_id, event["delta"])
    return [message_id]


def _text_end(fold: FoldState, event: Event) -> list[str]:
    return fold.close(fold.open_texts, event["messageId"])


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
    else:
        gone = fold.run_messages(fold.run.id)
        fold.messages = with_run(fold.messages, fold.run.id, given)
        fold.run = replace(fold.run, attempt=own.get("attempt", fold.run.attempt))
    fold.open_texts, fold.open_calls = {}, {}
    return ids_of([*gone, *given])


# Steps that the folds are made of.


@dataclass(frozen=True, slots=True)
class EventKind:
    """What is known of an event by its type."""

    fold: Callable[[FoldState, Event], list[str]]
    """Changes the conversation, and returns the ids of the messages that changed, in order."""
    merged: bool = False
    """Neighbours in one message may be sent as one event to a reader who is slow."""
    drawn: bool = True
    """The page is sent markup for it. Else the page changes the row itself, or shows the change with a later event."""
    moves_steps: bool = False
    """The steps above the conversation are drawn anew."""


EVENTS: dict[str, EventKind] = {
    "RUN_STARTED": EventKind(_run_started),
    "RUN_FINISHED": EventKind(_run_finished, moves_steps=True),
    "RUN_ERROR": EventKind(_run_error, moves_steps=True),
    "TEXT_MESSAGE_START": EventKind(_text_start),
    "TEXT_MESSAGE_CONTENT": EventKind(_text_content, merged=True, drawn=False),
    "TEXT_MESSAGE_END": EventKind(_text_end),
    "TOOL_CALL_START": EventKind(_tool_start),
    "TOOL_CALL_ARGS": EventKind(_tool_args, drawn=False),
    "TOOL_CALL_END": EventKind(_tool_end, drawn=False),
    "TOOL_CALL_RESULT": EventKind(_tool_result),
    "STEP_STARTED": EventKind(_step_started, moves_steps=True),
    "STEP_FINISHED": EventKind(_step_finished),
    "STATE_SNAPSHOT": EventKind(_state_snapshot, moves_steps=True),
    "STATE_DELTA": EventKind(_state_delta, moves_steps=True),
    "ACTIVITY_SNAPSHOT": EventKind(_activity),
    "ACTIVITY_DELTA": EventKind(_activity_delta),
    "MESSAGES_SNAPSHOT": EventKind(_messages_snapshot),
}
"""Every type of event that is sent, by its name in AG-UI."""

UNDRAWN = frozenset(name for name, kind in EVENTS.items() if not kind.drawn)
"""The types of which a page is sent no markup."""
