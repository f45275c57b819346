"""AG-UI 1.0 events as the plain JSON objects that travel: one constructor for each that we send.

Keys are AG-UI's. What is ours stands under `metadata.loopwire` and nowhere else. An event is never changed
after it was made: the fold, the log and the sockets share it.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

Event = dict[str, Any]
"""One AG-UI event in its JSON form."""

PROTOCOL_VERSION = "1.0"

Role = Literal["user", "assistant", "system", "developer"]
ToolStatus = Literal["done", "failed", "stopped", "unknown"]


def ours(event_or_message: dict[str, Any]) -> dict[str, Any]:
    """Read our own data of an event or message; empty when it has none."""
    found: dict[str, Any] = (event_or_message.get("metadata") or {}).get("loopwire") or {}
    return found


def _event(type_: str, own: dict[str, Any] | None = None, **fields: Any) -> Event:
    event = {"type": type_, **{key: value for key, value in fields.items() if value is not None}}
    kept = {key: value for key, value in (own or {}).items() if value is not None}
    if kept:
        event["metadata"] = {"loopwire": kept}
    return event


def run_started(
    thread_id: str,
    run_id: str,
    *,
    attempt: int = 1,
    parent_run_id: str | None = None,
    kind: str = "agent",
    at: int | None = None,
) -> Event:
    """Return RUN_STARTED. `attempt` counts how often the run has been claimed; `kind` is `agent` or `note`."""
    return _event(
        "RUN_STARTED",
        {"attempt": attempt, "kind": kind},
        threadId=thread_id,
        runId=run_id,
        protocolVersion=PROTOCOL_VERSION,
        parentRunId=parent_run_id,
        timestamp=at,
    )


def run_finished(
    thread_id: str,
    run_id: str,
    outcome: dict[str, Any] | None = None,
    usage: list[dict[str, Any]] | None = None,
    *,
    estimated_tokens: int = 0,
    at: int | None = None,
) -> Event:
    """Return RUN_FINISHED with `{"type": "success" | "cancelled" | "interrupt", …}`; success when not said.

    `estimated_tokens` are those among the usage that no model's server has counted.
    """
    return _event(
        "RUN_FINISHED",
        {"estimated_tokens": estimated_tokens or None},
        threadId=thread_id,
        runId=run_id,
        outcome=outcome or {"type": "success"},
        usage=usage or None,
        timestamp=at,
    )


def interrupt(
    id: str,
    call_id: str,
    message: str,
    schema: dict[str, Any],
    *,
    expires_at: int,
    kind: str,
    block_id: str | None = None,
) -> dict[str, Any]:
    """Return an entry of RUN_FINISHED's `interrupts`: a call that waits until `expires_at` (ms since the epoch)."""
    until = datetime.fromtimestamp(expires_at / 1000, UTC).isoformat(timespec="milliseconds")
    own = {"kind": kind} if block_id is None else {"kind": kind, "block_id": block_id}
    return {
        "id": id,
        "reason": "tool_call",
        "message": message,
        "toolCallId": call_id,
        "responseSchema": schema,
        "expiresAt": until.replace("+00:00", "Z"),
        "metadata": {"loopwire": own},
    }


def run_error(message: str, code: str, *, run_id: str | None = None, at: int | None = None) -> Event:
    """Return RUN_ERROR; the message is safe to show. AG-UI names no run here, so ours is in the metadata."""
    return _event("RUN_ERROR", {"run_id": run_id}, message=message, code=code, timestamp=at)


def text_start(
    message_id: str,
    role: Role,
    *,
    name: str | None = None,
    at: int | None = None,
    client_id: str | None = None,
    content: Sequence[dict[str, Any]] | None = None,
    operator: bool = False,
    versions: Sequence[str] = (),
) -> Event:
    """Return TEXT_MESSAGE_START. `client_id` is the sender's frame id and `content` the parts that it sent.

    Of an `operator` the name is that of a person, not of an agent. `versions` are the ids of all versions of the
    message, itself among them, oldest first; none where there is only one.
    """
    return _event(
        "TEXT_MESSAGE_START",
        {
            "client_id": client_id,
            "content": list(content) if content else None,
            "operator": operator or None,
            "versions": list(versions) if len(versions) > 1 else None,
        },
        messageId=message_id,
        role=role,
        name=name,
        timestamp=at,
    )


def text_content(message_id: str, delta: str) -> Event:
    """Return TEXT_MESSAGE_CONTENT: text for an open message."""
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def text_end(message_id: str) -> Event:
    """Return TEXT_MESSAGE_END."""
    return {"type": "TEXT_MESSAGE_END", "messageId": message_id}


def reasoning_start(message_id: str, *, agent: str | None = None, at: int | None = None) -> Event:
    """Return REASONING_MESSAGE_START: a summary of what the model of an `agent` thinks begins."""
    own = {"agent": agent}
    return _event("REASONING_MESSAGE_START", own, messageId=message_id, role="reasoning", timestamp=at)


def reasoning_content(message_id: str, delta: str) -> Event:
    """Return REASONING_MESSAGE_CONTENT: text for an open summary."""
    return {"type": "REASONING_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def reasoning_end(message_id: str, *, duration_ms: int | None = None, truncated: bool = False) -> Event:
    """Return REASONING_MESSAGE_END. `truncated` says that there was more, which is not shown.

    Without `duration_ms` the run was broken off here.
    """
    own = {"duration_ms": duration_ms, "truncated": truncated or None}
    return _event("REASONING_MESSAGE_END", own, messageId=message_id)


def tool_start(call_id: str, name: str, *, at: int | None = None) -> Event:
    """Return TOOL_CALL_START. A call is an assistant message of its own, whose id is the call's."""
    return _event("TOOL_CALL_START", toolCallId=call_id, toolCallName=name, timestamp=at)


def tool_args(call_id: str, json_text: str) -> Event:
    """Return TOOL_CALL_ARGS with the public view of a call's arguments."""
    return {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": json_text}


def tool_end(call_id: str) -> Event:
    """Return TOOL_CALL_END: the arguments are complete, and the tool works until its result."""
    return {"type": "TOOL_CALL_END", "toolCallId": call_id}


def tool_result(
    message_id: str,
    call_id: str,
    content: str,
    *,
    status: ToolStatus = "done",
    duration_ms: int | None = None,
    at: int | None = None,
) -> Event:
    """Return TOOL_CALL_RESULT with the public view of a call's result, and how the call ended."""
    return _event(
        "TOOL_CALL_RESULT",
        {"status": status, "duration_ms": duration_ms},
        messageId=message_id,
        toolCallId=call_id,
        content=content,
        role="tool",
        timestamp=at,
    )


def step_started(name: str) -> Event:
    """Return STEP_STARTED: an agent takes over. The name is the agent's runtime name."""
    return {"type": "STEP_STARTED", "stepName": name}


def step_finished(name: str) -> Event:
    """Return STEP_FINISHED: an agent is done for now."""
    return {"type": "STEP_FINISHED", "stepName": name}


def state_snapshot(state: dict[str, Any]) -> Event:
    """Return STATE_SNAPSHOT: the session's public state as a whole."""
    return {"type": "STATE_SNAPSHOT", "snapshot": state}


def state_delta(patch: list[dict[str, Any]]) -> Event:
    """Return STATE_DELTA: a change of the session's public state, as a JSON Patch."""
    return {"type": "STATE_DELTA", "delta": patch}


def activity(
    message_id: str,
    type: str,
    content: dict[str, Any],
    *,
    replace: bool = True,
    at: int | None = None,
) -> Event:
    """Return ACTIVITY_SNAPSHOT: something to show that is neither text nor tool call, as `handoff` or `block`."""
    return _event(
        "ACTIVITY_SNAPSHOT",
        messageId=message_id,
        activityType=type,
        content=content,
        replace=None if replace else False,
        timestamp=at,
    )


def activity_delta(message_id: str, type: str, patch: list[dict[str, Any]]) -> Event:
    """Return ACTIVITY_DELTA: a change of an activity's content, as a JSON Patch."""
    return {
        "type": "ACTIVITY_DELTA",
        "messageId": message_id,
        "activityType": type,
        "patch": patch,
    }


def messages_snapshot(
    messages: Sequence[dict[str, Any]],
    *,
    scope: Literal["run", "path"] | None = None,
    attempt: int | None = None,
    before: str | None = None,
) -> Event:
    """Return MESSAGES_SNAPSHOT: the transcript so far. With scope `run` it stands for the current run's messages only.

    With scope `path` the active path is another one: these are its last messages, and `before` is the cursor of those
    before them, where there are any.
    """
    own = {"scope": scope, "attempt": attempt, "before": before}
    return _event("MESSAGES_SNAPSHOT", own, messages=list(messages))
