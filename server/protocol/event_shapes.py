"""The shapes of the events that are sent and of the messages in them, as definitions of the wire's JSON Schema.

Names are AG-UI's, and so is what an event must have. A field without a value is left out; none is null. An event may
have more fields than are named here. Tests compare the shapes with the constructors of events.py, with recorded
sessions and with AG-UI's models.
"""

from collections.abc import Mapping
from typing import Any

from ag_ui.core import EventType

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer"}
_OPEN: Json = {"type": "object", "additionalProperties": True}
_AT: Json = {"type": "integer", "description": "Milliseconds since the epoch."}
_YES: Json = {"const": True}
_TOOL_STATUS: Json = {"enum": ["done", "failed", "stopped", "unknown"]}


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def _explain(about: str, schema: Json) -> Json:
    return {**schema, "description": about}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _shape(about: str, fields: Mapping[str, Json], *, more: bool = False) -> Json:
    """Return an object; a name of a field that ends with `?` is optional. With `more` it has any other fields too."""
    return {
        "type": "object",
        **({"description": about} if about else {}),
        "properties": {name.removesuffix("?"): field for name, field in fields.items()},
        "required": [name for name in fields if not name.endswith("?")],
        **({"additionalProperties": True} if more else {}),
    }


def _own_data(fields: Mapping[str, Json]) -> Json:
    """Return metadata in which our own data has these fields, all optional."""
    return _metadata(_shape("", {f"{name}?": field for name, field in fields.items()}, more=True))


def _metadata(mark: Json) -> Json:
    return _shape("", {"loopwire?": mark})


def _event(type_: str, about: str, fields: Mapping[str, Json]) -> Json:
    return _shape(about, {"type": {"const": type_}, **fields}, more=True)


_SENT = {
    "client_id": _explain("The id under which its sender sent it.", _TEXT),
    "content": _explain(
        "The parts that were sent.",
        _list({"oneOf": [_ref(f"{name}Part") for name in ("Text", "Answer", "ShownImage", "Request")]}),
    ),
    "operator": _explain("A person of the app's team wrote it, and no agent.", _YES),
    "versions": _explain(
        "The ids of all its versions, itself among them, oldest first; absent where there is one.",
        _list(_TEXT),
    ),
}
_CALL = {"icon": _explain("Of a call: the picture of its tool.", _TEXT)}
_RESULT = {"status": _explain("The outcome of a call.", _TOOL_STATUS), "duration_ms": _COUNT}
_THOUGHT = {"agent": _explain("Of a call or a summary of reasoning: whose it is.", _TEXT)}
_THOUGHT_END = {
    "duration_ms": _COUNT,
    "truncated": _explain("There was more of this summary than is shown.", _YES),
}
_MESSAGE_MARK = {
    "run_id": _TEXT,
    "at": _AT,
    "open": _explain("More is being written to it.", _YES),
    **_SENT,
    **_CALL,
    **_RESULT,
    **_THOUGHT,
    **_THOUGHT_END,
    "waits": _explain(
        "A person or a page has to answer this call, until it has a result.", _ref("InterruptMark")
    ),
    "ended": {
        "description": "Its run was stopped here, or failed.",
        "oneOf": [
            _shape("", {"outcome": {"const": "cancelled"}}),
            _shape("", {"outcome": {"const": "error"}, "code": _TEXT}),
        ],
    },
}

_PARTS: dict[str, Json] = {
    "RequestPart": _shape(
        "The request of a service, as the server writes it into a message; its data is not shown.",
        {"type": {"const": "input"}, "text": _TEXT, "title?": _TEXT},
    ),
    "ShownImagePart": _shape(
        "A picture of a message; `url` is a path on the server, for who may read the conversation.",
        {"type": {"const": "image"}, "blob_id": _TEXT, "url?": _TEXT, "width?": _COUNT, "height?": _COUNT},
    ),
    "MessageMark": _shape(
        "Loopwire's own data of a message.",
        {f"{name}?": each for name, each in _MESSAGE_MARK.items()},
        more=True,
    ),
    "ToolCall": _shape(
        "A call in a message; `arguments` are the public view of them, as JSON.",
        {
            "id": _TEXT,
            "type": {"const": "function"},
            "function": _shape("", {"name": _TEXT, "arguments": _TEXT}),
        },
    ),
    "ShownMessage": _shape(
        "A message as AG-UI has it; what is Loopwire's own stands in `metadata.loopwire`.",
        {
            "id": _TEXT,
            "role": {"enum": ["user", "assistant", "system", "developer", "tool", "activity", "reasoning"]},
            "content?": _explain(
                "A text; of an activity what it shows. A call has none.", {"anyOf": [_TEXT, _OPEN]}
            ),
            "name?": _explain("The agent that speaks, or the person where the mark says `operator`.", _TEXT),
            "toolCalls?": _explain(
                "Of a call: an assistant's message of its own, whose id is the call's.",
                _list(_ref("ToolCall")),
            ),
            "toolCallId?": _explain("Of a result: the call that it answers.", _TEXT),
            "activityType?": _explain("Of an activity: handoff, tool_progress, block or operator.", _TEXT),
            "metadata?": _metadata(_ref("MessageMark")),
        },
    ),
    "InterruptMark": _shape(
        "The kind of the answer that a call waits for; `block_id` is the block that asks.",
        {"kind": {"enum": ["approval", "form", "tool"]}, "block_id?": _TEXT},
        more=True,
    ),
    "Interrupt": _shape(
        "A call that waits for a person or a page; `responseSchema` is the JSON Schema of the answer.",
        {
            "id": _TEXT,
            "reason": _TEXT,
            "message?": _TEXT,
            "toolCallId?": _TEXT,
            "responseSchema?": _OPEN,
            "expiresAt?": _explain("A time of ISO 8601.", _TEXT),
            "metadata?": _metadata(_ref("InterruptMark")),
        },
    ),
    "RunOutcome": _shape(
        "The outcome of a finished run; `interrupts` when it waits for answers.",
        {
            "type": {"enum": ["success", "cancelled", "interrupt"]},
            "interrupts?": _list(_ref("Interrupt")),
        },
        more=True,
    ),
    "TokenUsage": _shape(
        "The tokens of one model; cached and reasoning tokens are parts of the others.",
        {
            **dict.fromkeys(("provider?", "model?"), _TEXT),
            **dict.fromkeys(("inputTokens?", "outputTokens?", "totalTokens?"), _COUNT),
            **dict.fromkeys(("cachedInputTokens?", "reasoningTokens?"), _COUNT),
        },
        more=True,
    ),
    "PatchOperation": _shape(
        "One operation of a JSON Patch (RFC 6902).",
        {
            "op": {"enum": ["add", "remove", "replace", "move", "copy", "test"]},
            "path": _TEXT,
            "from?": _TEXT,
            "value?": {},
        },
    ),
}

_EVENTS: dict[str, Json] = {
    "RunStartedEvent": _event(
        "RUN_STARTED",
        "A run begins; one that is known is worked on anew. Its kind is `snapshot` where no run is known.",
        {
            "threadId": _TEXT,
            "runId": _TEXT,
            "protocolVersion?": _TEXT,
            "parentRunId?": _TEXT,
            "timestamp?": _AT,
            "metadata?": _own_data({"attempt": _COUNT, "kind": {"enum": ["agent", "note", "snapshot"]}}),
        },
    ),
    "RunFinishedEvent": _event(
        "RUN_FINISHED",
        "A run ends that did not fail; without an outcome it is a success.",
        {
            "threadId": _TEXT,
            "runId": _TEXT,
            "outcome?": _ref("RunOutcome"),
            "usage?": _list(_ref("TokenUsage")),
            "timestamp?": _AT,
            "metadata?": _own_data({"estimated_tokens": _COUNT}),
        },
    ),
    "RunErrorEvent": _event(
        "RUN_ERROR",
        "A run failed; the message is safe to show.",
        {"message": _TEXT, "code?": _TEXT, "timestamp?": _AT, "metadata?": _own_data({"run_id": _TEXT})},
    ),
    "TextMessageStartEvent": _event(
        "TEXT_MESSAGE_START",
        "A text begins, or goes on where its message is known; without a role it is the assistant's.",
        {
            "messageId": _TEXT,
            "role?": {"enum": ["user", "assistant", "system", "developer"]},
            "name?": _TEXT,
            "timestamp?": _AT,
            "metadata?": _own_data(_SENT),
        },
    ),
    "TextMessageContentEvent": _event(
        "TEXT_MESSAGE_CONTENT", "Text for an open message.", {"messageId": _TEXT, "delta": _TEXT}
    ),
    "TextMessageEndEvent": _event("TEXT_MESSAGE_END", "A text is complete.", {"messageId": _TEXT}),
    "ReasoningMessageStartEvent": _event(
        "REASONING_MESSAGE_START",
        "A summary of what a model thinks begins, or goes on where its message is known.",
        {
            "messageId": _TEXT,
            "role?": {"const": "reasoning"},
            "timestamp?": _AT,
            "metadata?": _own_data(_THOUGHT),
        },
    ),
    "ReasoningMessageContentEvent": _event(
        "REASONING_MESSAGE_CONTENT", "Text for an open summary.", {"messageId": _TEXT, "delta": _TEXT}
    ),
    "ReasoningMessageEndEvent": _event(
        "REASONING_MESSAGE_END",
        "A summary is complete; without a duration it was broken off.",
        {"messageId": _TEXT, "metadata?": _own_data(_THOUGHT_END)},
    ),
    "ToolCallStartEvent": _event(
        "TOOL_CALL_START",
        "A call begins: an assistant's message of its own, whose id is the call's.",
        {"toolCallId": _TEXT, "toolCallName": _TEXT, "timestamp?": _AT, "metadata?": _own_data(_CALL)},
    ),
    "ToolCallArgsEvent": _event(
        "TOOL_CALL_ARGS",
        "A piece of the public view of a call's arguments, which is JSON as a whole.",
        {"toolCallId": _TEXT, "delta": _TEXT},
    ),
    "ToolCallEndEvent": _event(
        "TOOL_CALL_END",
        "The arguments of a call are complete, and the tool works until its result.",
        {"toolCallId": _TEXT},
    ),
    "ToolCallResultEvent": _event(
        "TOOL_CALL_RESULT",
        "The public view of a call's result.",
        {
            "messageId": _TEXT,
            "toolCallId": _TEXT,
            "content": _TEXT,
            "role?": {"const": "tool"},
            "timestamp?": _AT,
            "metadata?": _own_data(_RESULT),
        },
    ),
    "StepStartedEvent": _event("STEP_STARTED", "An agent takes over.", {"stepName": _TEXT}),
    "StepFinishedEvent": _event("STEP_FINISHED", "An agent is done for now.", {"stepName": _TEXT}),
    "StateSnapshotEvent": _event(
        "STATE_SNAPSHOT", "The session's public state as a whole.", {"snapshot": _OPEN}
    ),
    "StateDeltaEvent": _event(
        "STATE_DELTA", "A change of the session's public state.", {"delta": _list(_ref("PatchOperation"))}
    ),
    "ActivitySnapshotEvent": _event(
        "ACTIVITY_SNAPSHOT",
        "Something to show that is neither text nor call: `handoff`, `tool_progress`, `block` or `operator`.\n"
        "It takes the place of the activity with its id, unless `replace` is false.",
        {
            "messageId": _TEXT,
            "activityType": _TEXT,
            "content": _OPEN,
            "replace?": {"type": "boolean"},
            "timestamp?": _AT,
        },
    ),
    "ActivityDeltaEvent": _event(
        "ACTIVITY_DELTA",
        "A change of an activity's content.",
        {"messageId": _TEXT, "activityType": _TEXT, "patch": _list(_ref("PatchOperation"))},
    ),
    "MessagesSnapshotEvent": _event(
        "MESSAGES_SNAPSHOT",
        "The messages so far; with scope `run` those of the current run alone, with `path` those of another path.\n"
        "`before` is the cursor of the messages before them.",
        {
            "messages": _list(_ref("ShownMessage")),
            "metadata?": _own_data({"scope": {"enum": ["run", "path"]}, "attempt": _COUNT, "before": _TEXT}),
        },
    ),
}


def event_definitions() -> dict[str, Json]:
    """Return the definitions by name: each event, what stands in events, and `Event`, which is any of them."""
    sent = [each["properties"]["type"]["const"] for each in _EVENTS.values()]
    unsent = [each.value for each in EventType if each.value not in sent]
    other = {"type": "string", "not": {"enum": [*sent, *unsent]}}
    return {
        **_PARTS,
        **_EVENTS,
        "OtherEvent": _shape(
            "An event that this version does not send; a newer one may. It changes nothing here.",
            {"type": {"anyOf": [{"enum": unsent}, other]}},
            more=True,
        ),
        "Event": {
            "type": "object",
            "description": "An AG-UI 1.0 event, unchanged; Loopwire's own data stands under metadata.loopwire.",
            "oneOf": [_ref(name) for name in (*_EVENTS, "OtherEvent")],
        },
    }
