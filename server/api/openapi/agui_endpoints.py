"""The operations of AG-UI and of identities, for the OpenAPI document."""

from typing import Any

from server.api.identify import IdentifyBody, RevokeBody
from server.api.openapi.endpoints import ApiOperation
from server.api.openapi.schemas import COUNT, TEXT, content, object_of, ref

Json = dict[str, Any]

_NAME: Json = {"type": "string", "minLength": 1, "maxLength": 128}

AGUI_SCHEMAS: dict[str, Json] = {
    "AguiRequest": {
        "type": "object",
        "description": "What of AG-UI's RunAgentInput is read: of the messages those that are new.",
        "properties": {
            "threadId": _NAME,
            "runId": _NAME,
            "protocolVersion": {"type": ["string", "null"], "maxLength": 64},
            "parentRunId": {"type": ["string", "null"], "maxLength": 128},
            "messages": {
                "type": "array",
                "maxItems": 5000,
                "items": {
                    "type": "object",
                    "properties": {"id": TEXT, "role": TEXT},
                    "required": ["id", "role"],
                },
            },
            "tools": {
                "type": ["array", "null"],
                "maxItems": 128,
                "items": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
            },
            "resume": {
                "type": ["array", "null"],
                "maxItems": 32,
                "items": {
                    "type": "object",
                    "properties": {"interruptId": _NAME, "status": TEXT},
                    "required": ["interruptId", "status"],
                },
            },
        },
        "required": ["threadId", "runId", "messages"],
    },
    "AguiCapabilities": {
        "type": "object",
        "description": "AG-UI's AgentCapabilities.",
        "properties": {
            "identity": {"type": "object"},
            "tools": {"type": "object"},
            "state": {"type": "object"},
        },
        "required": ["identity", "tools", "state"],
    },
    "AguiCancel": {
        "type": "object",
        "description": "The run to stop: that of a message, or that of this id; else the current run of the thread.",
        "properties": {
            "threadId": _NAME,
            "runId": {**_NAME, "type": ["string", "null"]},
            "messageId": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
        },
        "required": ["threadId"],
    },
    "AguiCancelled": object_of({"threadId": TEXT, "runId": {"type": ["string", "null"]}}),
    "Identified": object_of(
        {
            "token": {"type": "string", "description": "What the visitor shows from now on."},
            "expires_in": {**COUNT, "description": "Seconds."},
            "app": TEXT,
            "user": {"type": ["string", "null"], "description": "Null after signing out."},
            "session_id": {"type": ["string", "null"], "description": "The conversation that goes on."},
            "claimed": {**COUNT, "description": "The visitor's conversations that became the user's."},
        },
        "expires_in",
    ),
}
"""The schemas that these operations name; the edges of the product may not import those of AG-UI."""

AGUI_ENDPOINTS: tuple[ApiOperation, ...] = (
    ApiOperation(
        "post",
        "/agui/{service}",
        "run_agent",
        "Say something to a service by AG-UI; the answer is its events.",
        answer={"text/event-stream": {"schema": {"type": "string", "description": "Events of AG-UI."}}},
        body=content(ref("AguiRequest")),
    ),
    ApiOperation(
        "get",
        "/agui/{service}",
        "read_agent_capabilities",
        "What a service can do, as AG-UI's clients ask it.",
        answer="AguiCapabilities",
    ),
    ApiOperation(
        "post",
        "/agui/{service}/cancel",
        "cancel_agent_run",
        "Stop a run that was begun by AG-UI.",
        answer="AguiCancelled",
        body=content(ref("AguiCancel")),
    ),
    ApiOperation(
        "post",
        "/v1/identify",
        "identify",
        "A visitor becomes the user that a token of the app names; `token` null signs out.",
        answer="Identified",
        body=IdentifyBody,
    ),
    ApiOperation(
        "post",
        "/v1/identities/revoke",
        "revoke_identities",
        "Revoke the tokens of a user, or one by its `jti`, with a key of the app.",
        "204",
        body=RevokeBody,
        keyed=True,
    ),
)
"""The operations in the order of the document."""
