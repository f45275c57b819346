"""The table of events: how each changes a conversation. A fold returns the ids of the messages that it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from loopwire.fold_state import FoldState
from loopwire.messages import Event, Message, RunView, call_of, in_order, ours, stamped
from loopwire.patch import patch_or_keep


def _run_started(fold: FoldState, event: Event) -> list[str]:
    own = ours(event)
    if own.get("kind") == "snapshot":
        fold.run = None
    elif fold.run is not None and fold.run.id == event["runId"]:
        fold.run = replace(fold.run, attempt=own.get("attempt", fold.run.attempt))
        return []
    else:
        fold.run = RunView(
            event["runId"],
            attempt=own.get("attempt", 1),
            kind=own.get("kind", "agent"),
            parent_run_id=event.get("parentRunId"),
            at=event.get("timestamp"),
        )
    return fold.close_all()


def _run_finished(fold: FoldState, event: Event) -> list[str]:
    outcome = event.get("outcome") or {"type": "success"}
    how = {"outcome": "cancelled"} if outcome["type"] == "cancelled" else None
    changed = fold.finish_run(event["runId"], how, status="finished", outcome=outcome)
    if changed is None:
        return []
    for each in outcome.get("interrupts") or ():
        changed += _wait(fold, each)
    return changed


def _run_error(fold: FoldState, event: Event) -> list[str]:
    run_id = ours(event).get("run_id") or (fold.run.id if fold.run else None)
    code = event.get("code", "internal")
    how = {"outcome": "error", "code": code}
    return fold.finish_run(run_id, how, status="error", code=code, message=event["message"]) or []


def _text_start(fold: FoldState, event: Event) -> list[str]:
    message = {"id": event["messageId"], "role": event.get("role", "assistant"), "content": ""}
    if "name" in event:
        message["name"] = event["name"]
    fold.texts[message["id"]] = None
    return fold.open(message, event)


def _text_content(fold: FoldState, event: Event) -> list[str]:
    known = fold.find(event["messageId"]) if event["messageId"] in fold.texts else None
    return [] if known is None else fold.put({**known, "content": known["content"] + event["delta"]})


def _text_end(fold: FoldState, event: Event) -> list[str]:
    return fold.close(fold.texts, event["messageId"], ours(event))


def _call_start(fold: FoldState, event: Event) -> list[str]:
    call_id = event["toolCallId"]
    fold.calls[call_id] = None
    call = call_of(call_id, event["toolCallName"])
    return fold.open({"id": call_id, "role": "assistant", "toolCalls": [call]}, event)


def _call_args(fold: FoldState, event: Event) -> list[str]:
    call_id = event["toolCallId"]
    known = fold.find(call_id) if call_id in fold.calls else None
    if known is None:
        return []
    function = known["toolCalls"][0]["function"]
    call = call_of(call_id, function["name"], function["arguments"] + event["delta"])
    return fold.put({**known, "toolCalls": [call]})


def _call_end(fold: FoldState, event: Event) -> list[str]:
    return fold.close(fold.calls, event["toolCallId"])


def _call_result(fold: FoldState, event: Event) -> list[str]:
    fields = {"id": event["messageId"], "role": "tool"}
    fields |= {"toolCallId": event["toolCallId"], "content": event["content"]}
    return fold.put_result(stamped(fields, fold.stamp(event)))


def _step_started(fold: FoldState, event: Event) -> list[str]:
    fold.steps.append(event["stepName"])
    return []


def _step_finished(fold: FoldState, event: Event) -> list[str]:
    for place in range(len(fold.steps) - 1, -1, -1):
        if fold.steps[place] == event["stepName"]:
            del fold.steps[place]
            break
    return []


def _state_snapshot(fold: FoldState, event: Event) -> list[str]:
    fold.state = event["snapshot"]
    return []


def _state_delta(fold: FoldState, event: Event) -> list[str]:
    fold.state = patch_or_keep(fold.state, event["delta"])
    return []


def _activity(fold: FoldState, event: Event) -> list[str]:
    known, content = fold.find(event["messageId"]), event["content"]
    if known is not None:
        return fold.put({**known, "content": content}) if event.get("replace", True) else []
    fields = {"id": event["messageId"], "role": "activity"}
    fields |= {"activityType": event["activityType"], "content": content}
    return fold.put(stamped(fields, fold.stamp(event)))


def _activity_delta(fold: FoldState, event: Event) -> list[str]:
    known = fold.find(event["messageId"])
    if known is None:
        return []
    return fold.put({**known, "content": patch_or_keep(known["content"], event["patch"])})


def _messages_snapshot(fold: FoldState, event: Event) -> list[str]:
    own, given, messages = ours(event), event["messages"], fold.messages
    if own.get("scope") == "run" and fold.run is not None:
        gone = fold.of_run(fold.run.id)
        fold.run = replace(fold.run, attempt=own.get("attempt", fold.run.attempt))
    else:
        gone = messages
    fold.messages = in_order(_replaced(messages, {each["id"] for each in gone}, given))
    fold.texts, fold.calls = {}, {}
    return [each["id"] for each in (*gone, *given)]


def _replaced(messages: list[Message], gone: set[str], given: list[Message]) -> list[Message]:
    """Return the messages with these in the place of some.

    A run that answers an earlier run's call has its result among that run's messages: its own begin after it.
    """
    own = (place for place, each in enumerate(messages) if each["id"] in gone and each["role"] != "tool")
    first = next(own, len(messages))
    before = [each for each in messages[:first] if each["id"] not in gone]
    after = [each for each in messages[first:] if each["id"] not in gone]
    return [*before, *given, *after]


def _wait(fold: FoldState, interrupt: dict[str, Any]) -> list[str]:
    """Mark the call that a person or a program has to answer; the mark counts until the call has a result."""
    call = fold.find(interrupt.get("toolCallId"))
    if call is None or "waits" in ours(call):
        return []
    return fold.put(stamped(call, {**ours(call), "waits": ours(interrupt)}))


FOLDS: dict[str, Callable[[FoldState, Event], list[str]]] = {
    "RUN_STARTED": _run_started,
    "RUN_FINISHED": _run_finished,
    "RUN_ERROR": _run_error,
    "TEXT_MESSAGE_START": _text_start,
    "TEXT_MESSAGE_CONTENT": _text_content,
    "TEXT_MESSAGE_END": _text_end,
    "REASONING_MESSAGE_START": _text_start,
    "REASONING_MESSAGE_CONTENT": _text_content,
    "REASONING_MESSAGE_END": _text_end,
    "TOOL_CALL_START": _call_start,
    "TOOL_CALL_ARGS": _call_args,
    "TOOL_CALL_END": _call_end,
    "TOOL_CALL_RESULT": _call_result,
    "STEP_STARTED": _step_started,
    "STEP_FINISHED": _step_finished,
    "STATE_SNAPSHOT": _state_snapshot,
    "STATE_DELTA": _state_delta,
    "ACTIVITY_SNAPSHOT": _activity,
    "ACTIVITY_DELTA": _activity_delta,
    "MESSAGES_SNAPSHOT": _messages_snapshot,
}
"""Every type of event that a server sends, by its name in AG-UI."""
